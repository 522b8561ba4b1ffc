// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes of a rank against the context or against the number of requests: what is needed and what the engine sets aside,
// with this attention and with the other, under the limit.
#pragma once

#include "charts/chart_plot.h"
#include "explore/frontier.h"

#include <array>
#include <vector>

namespace deltascope::ui {

class GrowthChart : public ChartPlot {
    Q_OBJECT
public:
    enum class Against { context, requests };
    explicit GrowthChart(Against against, QWidget* parent = nullptr);

    /// `present` is where the scenario stands on the axis, `label` what the axis is.
    void setGrowth(std::vector<GrowthPoint> points, Bytes limit, double present, const QString& label);
    void restyle();

    enum Line { needed, engine, neededOther, engineOther, lineCount };
    /// Bytes of the plotted points of one line.
    [[nodiscard]] std::vector<double> readings(Line line) const;
    [[nodiscard]] const std::vector<GrowthPoint>& points() const { return points_; }
    /// The nearest point to a position; -1 outside of the axes.
    [[nodiscard]] int pointAt(const QPoint& position) const;
    [[nodiscard]] static Qt::PenStyle styleOf(Line line);
    [[nodiscard]] static QColor colorOf(Line line);

signals:
    void pointHovered(int point, const QPoint& position); ///< -1: none

protected:
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void paintMarks(QCPPainter& painter);

    std::vector<GrowthPoint> points_;
    Bytes limit_;
    double present_ = 0.0;
    std::array<QCPGraph*, lineCount> graphs_{};
};

} // namespace deltascope::ui
