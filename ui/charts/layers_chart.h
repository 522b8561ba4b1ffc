// SPDX-License-Identifier: GPL-3.0-or-later
// The bars of the layers view: stacked by operator class, the kind of layer as a lettered strip under the axis, the
// baseline as a dashed outline with a strip of differences above.
#pragma once

#include "charts/chart_plot.h"
#include "charts/layer_bars.h"

#include <array>
#include <optional>
#include <vector>

namespace deltascope::ui {

/// One filled stretch of a bar, read back from the plot.
struct BarReading {
    int bar;
    OperatorClass cls;
    double seconds;
};

class LayersChart : public ChartPlot {
    Q_OBJECT
public:
    explicit LayersChart(QWidget* parent = nullptr);

    void setBars(std::vector<LayerBar> bars, bool grouped, bool hasBaseline);
    void setSelected(std::optional<int> bar);
    void restyle();

    [[nodiscard]] const std::vector<LayerBar>& bars() const { return bars_; }
    [[nodiscard]] std::optional<int> selected() const { return selected_; }
    [[nodiscard]] std::optional<int> barAt(const QPoint& position) const;
    [[nodiscard]] QRectF barRect(int bar) const; ///< on screen, from the axis to the top of the bar

    [[nodiscard]] std::vector<BarReading> readings() const;       ///< of the class plottables
    [[nodiscard]] std::vector<double> baselineReadings() const;   ///< seconds by bar; NaN where there is none
    [[nodiscard]] std::vector<double> differenceReadings() const; ///< seconds by bar

signals:
    void barClicked(int bar);
    void barHovered(int bar, const QPoint& position); ///< -1: none

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void updateCells();
    void showDifferences(bool shown);
    void updateTicks();
    void paintStrip(QCPPainter& painter);
    void paintGhosts(QCPPainter& painter);
    void paintOverlay(QCPPainter& painter);
    void paintGroupLabels(QCPPainter& painter);

    std::vector<LayerBar> bars_;
    bool grouped_ = false;
    bool hasBaseline_ = false;
    double halfWidth_ = 0.39; ///< of a bar
    double cellLeft_ = 0.5;   ///< of a bar's cell, from the middle of the bar; labels of kinds take the rest
    double unit_ = 1.0;       ///< seconds of one step of the value axis
    std::optional<int> selected_, hovered_;
    std::array<QCPBars*, operatorClassCount> stack_{};
    QCPAxisRect* differenceRect_ = nullptr;
    QCPBars *slower_ = nullptr, *faster_ = nullptr;
    QVector<QCPBarsData> scratch_;
};

/// "48 × linear attention", or "layer 12, linear attention".
[[nodiscard]] QString nameOfBar(const LayerBar& bar, bool grouped);

} // namespace deltascope::ui
