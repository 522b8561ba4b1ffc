// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks of the memory view side by side, each piece named beside its bar, under the limit of the device.
#pragma once

#include "charts/chart_plot.h"
#include "charts/memory_stack.h"

#include <optional>
#include <vector>

namespace deltascope::ui {

/// One filled stretch of a stack, read back from the plot.
struct PieceReading {
    int stack;
    QString name;
    double bytes;
};

class MemoryChart : public ChartPlot {
    Q_OBJECT
public:
    explicit MemoryChart(QWidget* parent = nullptr);

    void setStacks(std::vector<MemoryStack> stacks);
    /// The axis ends at the highest stack instead of the limit.
    void setZoomed(bool zoomed);
    void restyle();

    [[nodiscard]] const std::vector<MemoryStack>& stacks() const { return stacks_; }
    [[nodiscard]] std::vector<PieceReading> readings() const;
    [[nodiscard]] double limitReading() const; ///< bytes at which the limit line is drawn
    [[nodiscard]] QRectF stackRect(int stack) const;
    /// Whether pieces are named beside their bars; a legend must do it otherwise.
    [[nodiscard]] bool namesPieces() const { return stacks_.size() <= 3; }
    /// Weight groups first, then what lies above them.
    [[nodiscard]] const std::vector<std::string>& pieceNames() const { return names_; }

    struct Hit {
        int stack;
        int piece; ///< -1: what is free
        bool operator==(const Hit&) const = default;
    };
    [[nodiscard]] std::optional<Hit> hitAt(const QPoint& position) const;

signals:
    void pieceClicked(int stack, int piece);
    void pieceHovered(int stack, int piece, const QPoint& position); ///< stack -1: none

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void collectNames();
    void updateRange();
    void updateCells();
    void paintUnder(QCPPainter& painter);
    void paintOver(QCPPainter& painter);
    void paintLimit(QCPPainter& painter);
    void paintLabels(QCPPainter& painter, int stack);
    void paintHead(QCPPainter& painter, int stack);
    [[nodiscard]] double pixelOf(Bytes bytes) const;

    std::vector<MemoryStack> stacks_;
    std::vector<std::string> names_; ///< of bars_, bottom first
    std::vector<QCPBars*> bars_;     ///< reused; the surplus is hidden
    QVector<double> keys_; ///< middle of each stack's bar, in cells
    double cells_ = 0.0;   ///< of all stacks together
    bool zoomed_ = false;
    double halfWidth_ = 0.13; ///< of a bar
    double cellLeft_ = 0.28;  ///< of a stack's cell, from the middle of its bar; labels take the rest
    std::optional<Hit> hovered_;
};

/// "this scenario", "baseline", "all full attention".
[[nodiscard]] QString titleOf(const MemoryStack& stack);

} // namespace deltascope::ui
