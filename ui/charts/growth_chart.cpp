// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/growth_chart.h"

#include "base/format.h"
#include "charts/axis_ticks.h"
#include "theme/theme.h"

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr int steps = 4; ///< drawn between two points: a straight line is a curve on a logarithmic axis

std::optional<Bytes> valueOf(const GrowthPoint& point, int line) {
    switch (line) {
    case GrowthChart::needed: return point.ideal;
    case GrowthChart::engine: return point.engine;
    case GrowthChart::neededOther: return point.idealCounterpart;
    default: return point.engineCounterpart;
    }
}

} // namespace

Qt::PenStyle GrowthChart::styleOf(Line line) {
    return line == needed || line == neededOther ? Qt::DotLine : Qt::SolidLine;
}

QColor GrowthChart::colorOf(Line line) {
    const Theme& t = theme();
    return line == needed || line == engine ? t.accent : t.layerColor(LayerType::fullAttention);
}

GrowthChart::GrowthChart(Against against, QWidget* parent) : ChartPlot(parent) {
    setObjectName(against == Against::context ? "growthByContext" : "growthByRequests");
    setMinimumSize(200, 150);
    setFocusPolicy(Qt::NoFocus);
    for (QCPGraph*& graph : graphs_) graph = addGraph();
    if (against == Against::context)
        showContexts(xAxis);
    else
        showRequests(xAxis);
    yAxis->setSubTicks(false);
    yAxis->setTickLength(0, 3);
    yAxis->setLabel(tr("GiB per rank"));
    new ChartPainter(this, "overlay", [this](QCPPainter& painter) { paintMarks(painter); });
    connect(this, &ChartPlot::left, this, [this] { emit pointHovered(-1, {}); });
    restyle();
}

void GrowthChart::restyle() {
    restyleAxes();
    for (int line = 0; line < lineCount; ++line) {
        const auto which = static_cast<Line>(line);
        graphs_[static_cast<std::size_t>(line)]->setPen(QPen(colorOf(which), 2, styleOf(which)));
    }
    update();
}

void GrowthChart::setGrowth(std::vector<GrowthPoint> points, Bytes limit, double present, const QString& label) {
    points_ = std::move(points);
    limit_ = limit;
    present_ = present;
    double here = 0.0;
    for (int line = 0; line < lineCount; ++line) {
        QVector<double> keys, values;
        const GrowthPoint* before = nullptr;
        for (const GrowthPoint& point : points_) {
            const std::optional<Bytes> value = valueOf(point, line);
            if (!value) break;
            const auto at = static_cast<double>(point.at);
            if (at == present) here = std::max(here, point.used().value());
            if (before != nullptr) {
                const auto from = static_cast<double>(before->at);
                const Bytes low = *valueOf(*before, line);
                for (int i = 1; i < steps; ++i) {
                    const double x = from > 0.0 ? from * std::pow(at / from, double(i) / steps) : at * i / steps;
                    keys.append(x);
                    values.append((low + (*value - low) * ((x - from) / (at - from))).value() / gib);
                }
            }
            keys.append(at);
            values.append(value->value() / gib);
            before = &point;
        }
        graphs_[static_cast<std::size_t>(line)]->setData(keys, values, true);
    }
    // Twice the limit shows where each line crosses it; what lies far beyond is left to the table.
    yAxis->setRange(0.0, niceCeiling(std::max(2.0 * limit_.value(), 1.1 * here) / gib));
    if (xAxis->label() != label) xAxis->setLabel(label);
    update();
}

std::vector<double> GrowthChart::readings(Line line) const {
    std::vector<double> values;
    const auto& drawn = *graphs_[static_cast<std::size_t>(line)]->data();
    for (int i = 0; i < drawn.size(); i += steps) values.push_back((drawn.constBegin() + i)->value * gib);
    return values;
}

int GrowthChart::pointAt(const QPoint& position) const {
    if (!axisRect()->rect().contains(position)) return -1;
    int nearest = -1;
    double distance = 1e9;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const double at = std::max(static_cast<double>(points_[i].at), xAxis->range().lower);
        const double away = std::abs(xAxis->coordToPixel(at) - position.x());
        if (away >= distance) continue;
        distance = away;
        nearest = static_cast<int>(i);
    }
    return nearest;
}

void GrowthChart::mouseMoveEvent(QMouseEvent* event) { emit pointHovered(pointAt(event->pos()), event->pos()); }

void GrowthChart::paintMarks(QCPPainter& painter) {
    if (points_.empty()) return;
    const Theme& t = theme();
    const QRectF area = axisRect()->rect();
    const QFontMetrics metrics(font());
    painter.setFont(font());
    const double y = yAxis->coordToPixel(limit_.value() / gib);
    painter.setPen(QPen(t.warning, 1, Qt::DashLine));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    // On the right, where what grows is far above.
    const auto write = [&](const QString& text, const QColor& color, double left, double line) {
        painter.fillRect(
            QRectF(left - 2, line - metrics.ascent(), metrics.horizontalAdvance(text) + 4, metrics.height()), t.panel);
        painter.setPen(color);
        painter.drawText(QPointF(left, line), text);
    };
    const QString limit = tr("limit %1").arg(QString::fromStdString(formatBytes(limit_)));
    write(limit, t.warning, area.right() - metrics.horizontalAdvance(limit) - 3, y - metrics.descent() - 2);
    const double x = xAxis->coordToPixel(std::clamp(present_, xAxis->range().lower, xAxis->range().upper));
    painter.setPen(QPen(t.text, 1, Qt::DotLine));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    const QString text = tr("now %1").arg(QString::fromStdString(formatCount(present_)));
    const int width = metrics.horizontalAdvance(text);
    write(text, t.text, x + width + 8 > area.right() ? x - width - 4 : x + 4, area.top() + metrics.ascent() + 2);
}

} // namespace deltascope::ui
