// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/context_chart.h"

#include "base/format.h"
#include "theme/theme.h"

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr int steps = 4; ///< drawn between two points of the curve

QString shortCount(double tokens) {
    if (tokens >= 999'500.0) return QStringLiteral("%1M").arg(tokens / 1e6, 0, 'g', 3);
    if (tokens >= 1000.0) return QStringLiteral("%1k").arg(tokens / 1e3, 0, 'f', 0);
    return QString::number(tokens, 'f', 0);
}

} // namespace

ContextChart::ContextChart(QWidget* parent) : ChartPlot(parent), linear_(addGraph()), full_(addGraph()) {
    setObjectName("contextChart");
    setMinimumSize(220, 140);
    setAccessibleName(tr("Time of a layer against the context length"));
    setFocusPolicy(Qt::NoFocus);
    xAxis->setScaleType(QCPAxis::stLogarithmic);
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (const double tokens : {256.0, 1e3, 4e3, 16e3, 64e3, 256e3, 1e6}) ticker->addTick(tokens, shortCount(tokens));
    xAxis->setTicker(ticker);
    xAxis->setSubTicks(false);
    yAxis->setSubTicks(false);
    xAxis->setTickLength(0, 3);
    yAxis->setTickLength(0, 3);
    xAxis->setRange(256.0, 1'010'000.0);
    new ChartPainter(this, "overlay", [this](QCPPainter& painter) { paintMarks(painter); });
    restyle();
}

void ContextChart::restyle() {
    const Theme& t = theme();
    restyleAxes();
    linear_->setPen(QPen(t.layerColor(LayerType::linearAttention), 2));
    full_->setPen(QPen(t.layerColor(LayerType::fullAttention), 2, Qt::DashLine));
    update();
}

void ContextChart::setCurve(ContextCurve curve) {
    curve_ = std::move(curve);
    double largest = 0.0;
    for (const ContextCurve::Point& point : curve_.points)
        largest = std::max({largest, point.linear.value_or(Seconds{}).value(), point.full.value_or(Seconds{}).value()});
    unit_ = largest < 1e-3 ? 1e-6 : 1e-3;
    // Between two points time grows linearly with the context, which is a curve on a logarithmic axis.
    for (const auto& [graph, timeOf] :
         {std::pair{linear_, &ContextCurve::Point::linear}, std::pair{full_, &ContextCurve::Point::full}}) {
        QVector<double> keys, values;
        const ContextCurve::Point* before = nullptr;
        for (const ContextCurve::Point& point : curve_.points) {
            if (!(point.*timeOf)) continue;
            if (before != nullptr)
                for (int i = 1; i < steps; ++i) {
                    const double along = std::pow(point.context / before->context, double(i) / steps);
                    const double context = before->context * along;
                    const double share = (context - before->context) / (point.context - before->context);
                    keys.append(context);
                    values.append(((before->*timeOf)->value() * (1.0 - share) + (point.*timeOf)->value() * share) /
                                  unit_);
                }
            keys.append(point.context);
            values.append((point.*timeOf)->value() / unit_);
            before = &point;
        }
        graph->setData(keys, values, true);
    }
    QString label = tr("context length, tokens");
    if (!curve_.crossover && !curve_.points.empty()) {
        const ContextCurve::Point& first = curve_.points.front();
        if (first.linear && first.full)
            label += QStringLiteral("\n") + (*first.full > *first.linear
                                                 ? tr("a full layer takes longer at every length")
                                                 : tr("a linear layer takes longer at every length"));
    }
    if (label != xAxis->label()) xAxis->setLabel(label);
    yAxis->setRange(0.0, niceCeiling(largest * 1.04 / unit_));
    yAxis->setLabel(tr("%1 per layer").arg(unit_ < 1e-4 ? QStringLiteral("µs") : QStringLiteral("ms")));
    update();
}

void ContextChart::setContext(double context) {
    if (context_ == context) return;
    context_ = context;
    update();
}

std::vector<double> ContextChart::readings(LayerType type) const {
    std::vector<double> values;
    const auto& points = *(type == LayerType::linearAttention ? linear_ : full_)->data();
    for (int i = 0; i < points.size(); i += steps) values.push_back((points.constBegin() + i)->value * unit_);
    return values;
}

void ContextChart::paintMarks(QCPPainter& painter) {
    const Theme& t = theme();
    const QRect area = axisRect()->rect();
    const QFontMetrics metrics(font());
    painter.setFont(font());
    if (context_ >= xAxis->range().lower) {
        const double x = xAxis->coordToPixel(std::min(context_, xAxis->range().upper));
        painter.setPen(QPen(t.accent, 1));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        const QString text = tr("now %1").arg(QString::fromStdString(formatCount(context_)));
        const int w = metrics.horizontalAdvance(text);
        const double at = std::clamp(x + 4.0, area.left() + 2.0, area.right() - w - 2.0);
        painter.drawText(QPointF(at, area.top() + metrics.ascent() + 2), text);
    }
    if (curve_.crossover) {
        const double x = xAxis->coordToPixel(*curve_.crossover);
        double y = yAxis->coordToPixel(0.0);
        for (std::size_t i = 1; i < curve_.points.size(); ++i) {
            const auto &a = curve_.points[i - 1], &b = curve_.points[i];
            if (*curve_.crossover > b.context || !a.linear || !b.linear) continue;
            const double along = (*curve_.crossover - a.context) / (b.context - a.context);
            y = yAxis->coordToPixel((a.linear->value() + along * (b.linear->value() - a.linear->value())) / unit_);
            break;
        }
        painter.setAntialiasing(true);
        painter.setBrush(t.panel);
        painter.setPen(QPen(t.text, 1.5));
        painter.drawEllipse(QPointF(x, y), 4, 4);
        painter.setAntialiasing(false);
        const QString text = tr("equal at about %1").arg(shortCount(*curve_.crossover));
        const int w = metrics.horizontalAdvance(text);
        const double at = std::clamp(x - w / 2.0, area.left() + 2.0, area.right() - w - 2.0);
        painter.setPen(t.text);
        painter.drawText(QPointF(at, std::max(y - 10.0, area.top() + 2.0 * metrics.height())), text);
    }
    // Each line is named at its end.
    for (const auto& [graph, text, type] : {std::tuple{linear_, tr("linear layer"), LayerType::linearAttention},
                                            std::tuple{full_, tr("full layer"), LayerType::fullAttention}}) {
        if (graph->data()->isEmpty()) continue;
        const QCPGraphData& last = *(graph->data()->constEnd() - 1);
        const double y = yAxis->coordToPixel(last.value);
        const bool above = y - metrics.height() > area.top() + metrics.height();
        painter.setPen(t.layerColor(type));
        painter.drawText(
            QPointF(area.right() - metrics.horizontalAdvance(text) - 6, above ? y - 6 : y + metrics.height() + 4),
            text);
    }
}

} // namespace deltascope::ui
