// SPDX-License-Identifier: GPL-3.0-or-later
// Time of one linear and of one full layer against the context length, with the crossover and where the scenario is.
#pragma once

#include "charts/chart_plot.h"
#include "charts/layer_bars.h"

#include <optional>

namespace deltascope::ui {

class ContextChart : public ChartPlot {
    Q_OBJECT
public:
    explicit ContextChart(QWidget* parent = nullptr);

    void setCurve(ContextCurve curve);
    void setContext(double context);
    void restyle();
    [[nodiscard]] const ContextCurve& curve() const { return curve_; }
    /// Seconds of the plotted points of one kind of layer.
    [[nodiscard]] std::vector<double> readings(LayerType type) const;

private:
    void paintMarks(QCPPainter& painter);

    ContextCurve curve_;
    double context_ = 0.0;
    double unit_ = 1.0;
    QCPGraph *linear_, *full_;
};

} // namespace deltascope::ui
