// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/frontier_chart.h"

#include "base/format.h"
#include "charts/axis_ticks.h"
#include "theme/theme.h"

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr double reach = 40.0; ///< pixels to the side in which a point is hit

QString countText(double n) { return QString::fromStdString(formatCount(n)); }

/// The curve of one attention: its points by context, down to the longest context of one request.
template <class Requests, class Context>
void drawCurve(QCPGraph* graph, const Frontier& frontier, Requests requestsOf, Context contextOf) {
    QVector<double> keys, values;
    for (const RequestsAt& point : frontier.byContext) {
        const std::int64_t requests = requestsOf(point);
        if (requests < 1) break;
        keys.append(static_cast<double>(point.context));
        values.append(static_cast<double>(requests));
    }
    if (!frontier.byRequests.empty() && !keys.isEmpty()) {
        const std::optional<std::int64_t> end = contextOf(frontier.byRequests.front());
        if (end && static_cast<double>(*end) > keys.back()) {
            keys.append(static_cast<double>(*end));
            values.append(static_cast<double>(frontier.byRequests.front().requests));
        }
    }
    graph->setData(keys, values, true);
}

} // namespace

FrontierChart::FrontierChart(QWidget* parent) : ChartPlot(parent), own_(addGraph()), other_(addGraph()) {
    setObjectName("frontierChart");
    setMinimumSize(320, 150);
    setFocusPolicy(Qt::NoFocus);
    setCursor(Qt::PointingHandCursor);
    showContexts(xAxis);
    showRequests(yAxis);
    xAxis->setLabel(tr("context of each request, tokens"));
    yAxis->setLabel(tr("requests"));
    new ChartPainter(this, "overlay", [this](QCPPainter& painter) { paintMarks(painter); });
    connect(this, &ChartPlot::left, this, [this] {
        if (!hovered_) return;
        hovered_.reset();
        emit pointHovered(-1, {});
        update();
    });
    restyle();
}

void FrontierChart::restyle() {
    const Theme& t = theme();
    restyleAxes();
    own_->setPen(QPen(t.accent, 2));
    QColor below = t.accent;
    below.setAlphaF(0.12F);
    own_->setBrush(below);
    own_->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, t.accent, t.accent, 5));
    other_->setPen(QPen(t.layerColor(LayerType::fullAttention), 2, Qt::DashLine));
    update();
}

void FrontierChart::setFrontier(const Frontier& frontier, const QString& name, const QString& otherName) {
    points_ = frontier.byContext;
    name_ = name;
    otherName_ = otherName;
    hovered_.reset();
    drawCurve(
        own_, frontier, [](const RequestsAt& p) { return p.requests; }, [](const ContextAt& p) { return p.context; });
    drawCurve(
        other_, frontier, [](const RequestsAt& p) { return p.counterpart.value_or(0); },
        [](const ContextAt& p) { return p.counterpart; });
    update();
}

void FrontierChart::setPresent(const Present& present) {
    if (present_ == present) return;
    present_ = present;
    update();
}

void FrontierChart::setReason(const QString& reason) {
    if (reason_ == reason) return;
    reason_ = reason;
    update();
}

QPointF FrontierChart::pixelOf(double context, double requests) const {
    return {xAxis->coordToPixel(std::clamp(context, xAxis->range().lower, xAxis->range().upper)),
            yAxis->coordToPixel(std::clamp(requests, yAxis->range().lower, yAxis->range().upper))};
}

std::optional<int> FrontierChart::pointAt(const QPoint& position) const {
    if (!axisRect()->rect().contains(position)) return std::nullopt;
    std::optional<int> nearest;
    double distance = reach;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const double away = std::abs(pixelOf(static_cast<double>(points_[i].context), 1.0).x() - position.x());
        if (points_[i].requests < 1 || away >= distance) continue;
        distance = away;
        nearest = static_cast<int>(i);
    }
    return nearest;
}

void FrontierChart::mouseMoveEvent(QMouseEvent* event) {
    const std::optional<int> hit = pointAt(event->pos());
    if (hit != hovered_) {
        hovered_ = hit;
        update();
    }
    emit pointHovered(hit.value_or(-1), event->pos());
}

void FrontierChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const std::optional<int> hit = pointAt(event->pos())) emit pointClicked(*hit);
}

void FrontierChart::paintMarks(QCPPainter& painter) {
    const Theme& t = theme();
    const QRectF area = axisRect()->rect();
    const QFontMetrics metrics(font());
    painter.setFont(font());
    if (!reason_.isEmpty()) {
        painter.setPen(t.mutedText);
        painter.drawText(area.adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap, reason_);
        return;
    }
    if (!points_.empty() && points_.front().requests < 1) {
        painter.setPen(t.warning);
        painter.drawText(
            area.adjusted(8, 4, -8, -4), Qt::AlignTop | Qt::AlignRight | Qt::TextWordWrap,
            tr("not even one request of %1 tokens fits").arg(countText(static_cast<double>(points_.front().context))));
    }
    // Each curve is named above its right end, where the curves are farthest from their names' neighbours.
    for (const auto& [graph, name, color] :
         {std::tuple{own_, name_, t.accent}, std::tuple{other_, otherName_, t.layerColor(LayerType::fullAttention)}}) {
        if (graph->data()->isEmpty() || name.isEmpty()) continue;
        const auto middle = graph->data()->constBegin() + graph->data()->size() / 2;
        const QPointF at = pixelOf(middle->key, middle->value);
        const int width = metrics.horizontalAdvance(name);
        const bool isOwn = graph == own_;
        const double x = isOwn ? at.x() + 8 : at.x() - width - 8;
        const double y = isOwn ? at.y() - 6 : at.y() + metrics.ascent() + 6;
        painter.setPen(color);
        painter.drawText(QPointF(std::clamp(x, area.left() + 2, area.right() - width - 2),
                                 std::clamp(y, area.top() + metrics.ascent(), area.bottom() - 2.0)),
                         name);
    }
    if (hovered_) {
        const RequestsAt& point = points_[static_cast<std::size_t>(*hovered_)];
        const QPointF at = pixelOf(static_cast<double>(point.context), static_cast<double>(point.requests));
        painter.setPen(QPen(t.selection, 1));
        painter.drawLine(QPointF(at.x(), area.top()), QPointF(at.x(), area.bottom()));
        painter.setAntialiasing(true);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.selection, 2));
        painter.drawEllipse(at, 6, 6);
        painter.setAntialiasing(false);
    }
    const QPointF here = pixelOf(present_.context, present_.requests);
    const QColor color = present_.fits ? t.text : t.warning;
    painter.setPen(QPen(color, 1, Qt::DotLine));
    painter.drawLine(QPointF(area.left(), here.y()), here);
    painter.drawLine(here, QPointF(here.x(), area.bottom()));
    painter.setAntialiasing(true);
    painter.setPen(QPen(color, 2));
    painter.setBrush(t.panel);
    painter.drawPolygon(
        QPolygonF({here - QPointF(0, 6), here + QPointF(6, 0), here + QPointF(0, 6), here - QPointF(6, 0)}));
    painter.setAntialiasing(false);
    const QString text =
        present_.fits ? tr("now %1 × %2").arg(countText(present_.requests), countText(present_.context))
                      : tr("now %1 × %2, does not fit").arg(countText(present_.requests), countText(present_.context));
    const int width = metrics.horizontalAdvance(text);
    painter.setPen(color);
    painter.drawText(QPointF(std::clamp(here.x() + 10, area.left() + 2, area.right() - width - 2),
                             std::clamp(here.y() - 6, area.top() + metrics.ascent(), area.bottom() - 2.0)),
                     text);
}

} // namespace deltascope::ui
