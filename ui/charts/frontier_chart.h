// SPDX-License-Identifier: GPL-3.0-or-later
// The most requests that fit against the context of each, with the scenario on screen among them. A click chooses a
// point of the frontier.
#pragma once

#include "charts/chart_plot.h"
#include "explore/frontier.h"

#include <optional>
#include <vector>

namespace deltascope::ui {

class FrontierChart : public ChartPlot {
    Q_OBJECT
public:
    explicit FrontierChart(QWidget* parent = nullptr);

    struct Present {
        double context = 0.0, requests = 0.0;
        bool fits = true;
        bool operator==(const Present&) const = default;
    };
    /// `name` and `otherName` stand at the curves. Without points the chart says why there are none.
    void setFrontier(const Frontier& frontier, const QString& name, const QString& otherName);
    void setPresent(const Present& present);
    void setReason(const QString& reason);
    void restyle();

    [[nodiscard]] const std::vector<RequestsAt>& points() const { return points_; }
    [[nodiscard]] const Present& present() const { return present_; }
    [[nodiscard]] QPointF pixelOf(double context, double requests) const;
    /// The point of the frontier above or below a position; nothing where not one request fits.
    [[nodiscard]] std::optional<int> pointAt(const QPoint& position) const;

signals:
    void pointClicked(int point);
    void pointHovered(int point, const QPoint& position); ///< -1: none

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void paintMarks(QCPPainter& painter);

    std::vector<RequestsAt> points_; ///< by context
    Present present_;
    QString name_, otherName_, reason_;
    std::optional<int> hovered_;
    QCPGraph *own_, *other_;
};

} // namespace deltascope::ui
