// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/layers_chart.h"

#include "base/format.h"
#include "charts/color_legend.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr int stripHeight = 17;
constexpr double barWidth = 0.78;
constexpr double widestKind = 64.0;    ///< pixels, of the bar of a kind
constexpr double tickLabelRoom = 72.0; ///< left of the middle of such a bar
constexpr int differenceHeight = 74;

QString seconds(Seconds time) { return QString::fromStdString(formatSeconds(time)); }

struct TimeUnit {
    double seconds;
    const char* name;
};
TimeUnit unitFor(double largest) {
    if (largest < 1e-6) return {1e-9, "ns"};
    if (largest < 1e-3) return {1e-6, "µs"};
    return largest < 1.0 ? TimeUnit{1e-3, "ms"} : TimeUnit{1.0, "s"};
}

} // namespace

QString nameOfBar(const LayerBar& bar, bool grouped) {
    const QString type = bar.type == LayerType::linearAttention ? LayersChart::tr("linear attention")
                                                                : LayersChart::tr("full attention");
    if (grouped) return QStringLiteral("%1 × %2").arg(bar.count).arg(type);
    return LayersChart::tr("layer %1, %2").arg(bar.first).arg(type);
}

LayersChart::LayersChart(QWidget* parent) : ChartPlot(parent) {
    setObjectName("layersChart");
    setMinimumSize(320, 160);
    for (std::size_t c = 0; c < operatorClassCount; ++c) {
        auto* bars = new QCPBars(xAxis, yAxis);
        bars->setAntialiased(false);
        bars->setStackingGap(0);
        bars->setPen(Qt::NoPen);
        if (c > 0) bars->moveAbove(stack_[c - 1]);
        stack_[c] = bars;
    }
    xAxis->grid()->setVisible(false);
    xAxis->setTickLength(0, 0);
    xAxis->setTickLabelPadding(stripHeight + 6);
    xAxis->setSubTicks(false);
    yAxis->setSubTicks(false);
    yAxis->setTickLength(0, 3);
    for (QCPAxis* axis : axisRect()->axes()) axis->setLayer("axes");

    addLayer("ghost", layer("main"), QCustomPlot::limAbove);
    new ChartPainter(this, "axes", [this](QCPPainter& painter) { paintStrip(painter); });
    new ChartPainter(this, "ghost", [this](QCPPainter& painter) { paintGhosts(painter); });
    new ChartPainter(this, "overlay", [this](QCPPainter& painter) {
        paintOverlay(painter);
        if (grouped_) paintGroupLabels(painter);
    });
    connect(this, &QCustomPlot::afterLayout, this, &LayersChart::updateCells);
    connect(this, &ChartPlot::left, this, [this] {
        if (!hovered_) return;
        hovered_.reset();
        emit barHovered(-1, {});
        update();
    });
    restyle();
}

void LayersChart::showDifferences(bool shown) {
    if (shown == (differenceRect_ != nullptr)) return;
    if (shown) {
        differenceRect_ = new QCPAxisRect(this, true);
        differenceRect_->setMinimumSize(0, differenceHeight);
        differenceRect_->setMaximumSize(QWIDGETSIZE_MAX, differenceHeight);
        differenceRect_->setAutoMargins(QCP::msLeft | QCP::msRight | QCP::msTop);
        differenceRect_->setMargins(QMargins(0, 0, 0, 6));
        plotLayout()->insertRow(0);
        plotLayout()->addElement(0, 0, differenceRect_);
        plotLayout()->setRowSpacing(4);
        auto* group = new QCPMarginGroup(this);
        differenceRect_->setMarginGroup(QCP::msLeft | QCP::msRight, group);
        yAxis->axisRect()->setMarginGroup(QCP::msLeft | QCP::msRight, group);
        QCPAxis* key = differenceRect_->axis(QCPAxis::atBottom);
        QCPAxis* value = differenceRect_->axis(QCPAxis::atLeft);
        for (QCPAxis* axis : {key, value}) {
            axis->setLayer("axes");
            axis->grid()->setLayer("grid");
            axis->setSubTicks(false);
        }
        key->setTickLabels(false);
        key->setTickLength(0, 0);
        key->grid()->setVisible(false);
        value->setTickLength(0, 3);
        value->ticker()->setTickCount(3);
        for (QCPBars** bars : {&slower_, &faster_}) {
            *bars = new QCPBars(key, value);
            (*bars)->setAntialiased(false);
            (*bars)->setPen(Qt::NoPen);
        }
    } else {
        removePlottable(slower_);
        removePlottable(faster_);
        slower_ = faster_ = nullptr;
        plotLayout()->remove(differenceRect_);
        plotLayout()->simplify();
        differenceRect_ = nullptr;
    }
    restyle();
}

void LayersChart::setBars(std::vector<LayerBar> bars, bool grouped, bool hasBaseline) {
    const bool ticksStay = grouped == grouped_ && !grouped && bars.size() == bars_.size();
    bars_ = std::move(bars);
    grouped_ = grouped;
    hasBaseline_ = hasBaseline;
    showDifferences(hasBaseline && !grouped);

    double largest = 0.0;
    for (const LayerBar& bar : bars_)
        largest = std::max({largest, bar.time.value(), bar.baseline.value_or(Seconds{}).value()});
    const TimeUnit unit = unitFor(largest);
    unit_ = unit.seconds;
    const auto n = static_cast<qsizetype>(bars_.size());
    for (std::size_t c = 0; c < operatorClassCount; ++c) {
        scratch_.resize(n);
        bool any = false;
        for (qsizetype i = 0; i < n; ++i) {
            const double value = bars_[static_cast<std::size_t>(i)].byClass[c].value();
            any = any || value > 0.0;
            scratch_[i] = QCPBarsData(static_cast<double>(i), value / unit_);
        }
        stack_[c]->data()->set(scratch_, true);
        stack_[c]->setVisible(any);
    }
    yAxis->setRange(0.0, niceCeiling(largest * 1.04 / unit_));
    yAxis->setLabel(tr("%1 per layer").arg(QString::fromUtf8(unit.name)));

    if (differenceRect_ != nullptr) {
        QVector<QCPBarsData> up, down;
        double most = 0.0;
        for (qsizetype i = 0; i < n; ++i) {
            const LayerBar& bar = bars_[static_cast<std::size_t>(i)];
            const double difference = (bar.time - bar.baseline.value_or(Seconds{})).value() / unit_;
            most = std::max(most, std::abs(difference));
            (difference > 0.0 ? up : down).append(QCPBarsData(static_cast<double>(i), difference));
        }
        slower_->data()->set(up, true);
        faster_->data()->set(down, true);
        QCPAxis* value = differenceRect_->axis(QCPAxis::atLeft);
        const double reach = niceCeiling(most * 1.1);
        value->setRange(-reach, reach);
        value->setLabel(QStringLiteral("Δ %1").arg(QString::fromUtf8(unit.name)));
    }
    if (!ticksStay) updateTicks();
    update();
}

/// Bars of kinds keep a sensible width and their labels the rest of each cell, whatever the width of the chart.
void LayersChart::updateCells() {
    const double n = std::max(1.0, static_cast<double>(bars_.size()));
    halfWidth_ = barWidth / 2;
    cellLeft_ = 0.5;
    if (grouped_) {
        const double cell = std::max(yAxis->axisRect()->width() / n, 1.0);
        const double bar = std::clamp(0.22 * cell, 24.0, widestKind);
        halfWidth_ = bar / 2 / cell;
        cellLeft_ = std::min(std::max(bar / 2 + 8, tickLabelRoom) / cell, 0.5);
    }
    xAxis->setRange(-cellLeft_, n - cellLeft_);
    for (QCPBars* bars : stack_) bars->setWidth(2 * halfWidth_);
    if (differenceRect_ == nullptr) return;
    slower_->setWidth(2 * halfWidth_);
    faster_->setWidth(2 * halfWidth_);
    differenceRect_->axis(QCPAxis::atBottom)->setRange(xAxis->range());
}

void LayersChart::updateTicks() {
    if (grouped_) {
        QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
        for (std::size_t i = 0; i < bars_.size(); ++i)
            ticker->addTick(static_cast<double>(i),
                            nameOfBar(bars_[i], true) + '\n' +
                                tr("%1 in all").arg(seconds(bars_[i].time * static_cast<double>(bars_[i].count))));
        xAxis->setTicker(ticker);
        xAxis->setLabel({});
        return;
    }
    QSharedPointer<QCPAxisTickerFixed> ticker(new QCPAxisTickerFixed);
    ticker->setTickStep(bars_.size() > 96 ? 8.0 : bars_.size() > 16 ? 4.0 : 1.0);
    ticker->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    xAxis->setTicker(ticker);
    xAxis->setLabel(tr("layer"));
}

void LayersChart::setSelected(std::optional<int> bar) {
    if (selected_ == bar) return;
    selected_ = bar;
    update();
}

void LayersChart::restyle() {
    const Theme& t = theme();
    restyleAxes();
    for (std::size_t c = 0; c < operatorClassCount; ++c)
        stack_[c]->setBrush(t.classColor(static_cast<OperatorClass>(c)));
    if (slower_ != nullptr) {
        slower_->setBrush(t.slower);
        faster_->setBrush(t.faster);
    }
    update();
}

std::optional<int> LayersChart::barAt(const QPoint& position) const {
    const QRect area = plotLayout()->rect();
    if (!area.contains(position) || bars_.empty()) return std::nullopt;
    const double at = xAxis->pixelToCoord(position.x()) + cellLeft_;
    const int bar = static_cast<int>(std::floor(at));
    if (bar < 0 || bar >= static_cast<int>(bars_.size())) return std::nullopt;
    return bar;
}

QRectF LayersChart::barRect(int bar) const {
    const double left = xAxis->coordToPixel(bar - halfWidth_), right = xAxis->coordToPixel(bar + halfWidth_);
    const double top = yAxis->coordToPixel(bars_[static_cast<std::size_t>(bar)].time.value() / unit_);
    return {QPointF(left, top), QPointF(right, yAxis->coordToPixel(0.0))};
}

std::vector<BarReading> LayersChart::readings() const {
    std::vector<BarReading> values;
    for (std::size_t c = 0; c < operatorClassCount; ++c) {
        if (!stack_[c]->visible()) continue;
        for (const QCPBarsData& point : *stack_[c]->data())
            values.push_back({static_cast<int>(point.key), static_cast<OperatorClass>(c), point.value * unit_});
    }
    return values;
}

std::vector<double> LayersChart::baselineReadings() const {
    std::vector<double> values;
    for (const LayerBar& bar : bars_)
        values.push_back(hasBaseline_ && bar.baseline ? bar.baseline->value()
                                                      : std::numeric_limits<double>::quiet_NaN());
    return values;
}

std::vector<double> LayersChart::differenceReadings() const {
    std::vector<double> values(bars_.size(), 0.0);
    for (const QCPBars* bars : {slower_, faster_})
        if (bars != nullptr)
            for (const QCPBarsData& point : *bars->data())
                values[static_cast<std::size_t>(point.key)] = point.value * unit_;
    return values;
}

void LayersChart::mouseMoveEvent(QMouseEvent* event) {
    const std::optional<int> bar = barAt(event->pos());
    if (bar != hovered_) {
        hovered_ = bar;
        update();
    }
    emit barHovered(bar.value_or(-1), event->pos());
}

void LayersChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const std::optional<int> bar = barAt(event->pos())) emit barClicked(*bar);
}

void LayersChart::paintStrip(QCPPainter& painter) {
    const Theme& t = theme();
    const double top = yAxis->axisRect()->bottom() + 4.0;
    const double wide = xAxis->coordToPixel(halfWidth_) - xAxis->coordToPixel(-halfWidth_);
    QFont letters = font();
    letters.setPixelSize(stripHeight - 7);
    letters.setBold(true);
    painter.setFont(letters);
    const bool lettered = wide > QFontMetrics(letters).horizontalAdvance('M');
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        const bool full = bars_[i].type == LayerType::fullAttention;
        const double centre = xAxis->coordToPixel(static_cast<double>(i));
        // Full layers stand out by height and hatching as well as by colour.
        const QRectF box(centre - wide / 2, full ? top : top + 2, wide, full ? stripHeight : stripHeight - 4);
        const QColor color = t.layerColor(bars_[i].type);
        fillPatterned(painter, box, color, full && !lettered ? Qt::BDiagPattern : Qt::SolidPattern);
        if (!lettered) continue;
        painter.setPen(Theme::textOn(color));
        painter.drawText(QRectF(centre - wide / 2, top, wide, stripHeight), Qt::AlignCenter,
                         full ? QStringLiteral("F") : QStringLiteral("L"));
    }
}

void LayersChart::paintGhosts(QCPPainter& painter) {
    if (!hasBaseline_) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().text, 1, Qt::DashLine));
    // Only what stands out of the bar has sides: 64 pairs of dashed lines beside the bars would hide them.
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        if (!bars_[i].baseline) continue;
        const double top = yAxis->coordToPixel(bars_[i].baseline->value() / unit_);
        const double bar = yAxis->coordToPixel(bars_[i].time.value() / unit_);
        const double left = xAxis->coordToPixel(static_cast<double>(i) - halfWidth_);
        const double right = xAxis->coordToPixel(static_cast<double>(i) + halfWidth_) - 1;
        if (top < bar) {
            const std::array outline{QPointF(left, bar), QPointF(left, top), QPointF(right, top), QPointF(right, bar)};
            painter.drawPolyline(outline.data(), static_cast<int>(outline.size()));
        } else {
            painter.drawLine(QPointF(left - 2, top), QPointF(right + 2, top));
        }
    }
}

void LayersChart::paintOverlay(QCPPainter& painter) {
    const Theme& t = theme();
    const auto band = [&](int bar) {
        const double left = xAxis->coordToPixel(bar - cellLeft_), right = xAxis->coordToPixel(bar + 1.0 - cellLeft_);
        return QRectF(left, plotLayout()->rect().top(), right - left,
                      yAxis->axisRect()->bottom() - plotLayout()->rect().top());
    };
    if (hovered_ && *hovered_ < static_cast<int>(bars_.size())) {
        QColor wash = t.text;
        wash.setAlphaF(0.06F);
        painter.fillRect(band(*hovered_), wash);
    }
    if (selected_ && *selected_ < static_cast<int>(bars_.size())) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(t.selection, 2));
        painter.drawRect(barRect(*selected_).adjusted(-2, -2, 2, 0));
    }
}

void LayersChart::paintGroupLabels(QCPPainter& painter) {
    const Theme& t = theme();
    const QFontMetrics metrics(font());
    QFont bold = font();
    bold.setBold(true);
    const double line = metrics.height() + 1;
    const int valueWidth = metrics.horizontalAdvance(QStringLiteral("888.8 µs")) + 8;
    for (std::size_t b = 0; b < bars_.size(); ++b) {
        const LayerBar& bar = bars_[b];
        const QRectF box = barRect(static_cast<int>(b));
        std::vector<double> centres;
        std::vector<std::size_t> classes;
        double base = 0.0;
        // From the top of the bar down, as the labels run.
        for (std::size_t c = 0; c < operatorClassCount; ++c) {
            const double value = bar.byClass[c].value() / unit_;
            if (value <= 0.0) continue;
            centres.insert(centres.begin(), yAxis->coordToPixel(base + value / 2));
            classes.insert(classes.begin(), c);
            base += value;
        }
        const double from = box.right() + 26;
        const double room = xAxis->coordToPixel(static_cast<double>(b) + 1.0 - cellLeft_) - from;
        std::vector<double> places = centres;
        if (room < 60)
            places.clear();
        else
            spreadLabels(places, line, yAxis->axisRect()->top(), yAxis->axisRect()->bottom());
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto cls = static_cast<OperatorClass>(classes[i]);
            painter.setPen(QPen(t.classColor(cls), 1));
            painter.setAntialiasing(true);
            painter.drawLine(QPointF(box.right() + 3, centres[i]), QPointF(from - 6, places[i]));
            painter.setAntialiasing(false);
            painter.setFont(font());
            painter.setPen(t.text);
            const double baseline = places[i] + metrics.ascent() - metrics.height() / 2.0;
            painter.drawText(QPointF(from, baseline), seconds(bar.byClass[classes[i]]));
            if (room > valueWidth + 30) {
                painter.setPen(t.mutedText);
                painter.drawText(
                    QPointF(from + valueWidth, baseline),
                    metrics.elidedText(toQString(nameOf(cls)), Qt::ElideRight, static_cast<int>(room) - valueWidth));
            }
        }
        painter.setFont(bold);
        painter.setPen(t.text);
        QString title = seconds(bar.time);
        double ghostTop = box.top();
        if (bar.baseline) {
            title += QStringLiteral("  ") + QString::fromStdString(formatSecondsDifference(bar.time - *bar.baseline));
            ghostTop = std::min(ghostTop, yAxis->coordToPixel(bar.baseline->value() / unit_));
            painter.setPen(bar.time > *bar.baseline ? t.slower : bar.time < *bar.baseline ? t.faster : t.text);
        }
        painter.drawText(QPointF(box.left(), ghostTop - 5), title);
    }
}

} // namespace deltascope::ui
