// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/chart_plot.h"

#include "theme/theme.h"

#include <QToolTip>

#include <array>
#include <cmath>

namespace deltascope::ui {

ChartPlot::ChartPlot(QWidget* parent) : QCustomPlot(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setNotAntialiasedElements(QCP::aeAxes | QCP::aeGrid | QCP::aeSubGrid | QCP::aeLegend | QCP::aeZeroLine);
    restyleAxes();
}

void ChartPlot::setDimmed(bool dimmed) {
    if (dimmed_ == dimmed) return;
    dimmed_ = dimmed;
    update();
}

void ChartPlot::restyleAxes() {
    const Theme& t = theme();
    for (QCPAxisRect* rect : axisRects())
        for (QCPAxis* axis : rect->axes()) {
            axis->setBasePen(QPen(t.border));
            axis->setTickPen(QPen(t.border));
            axis->setSubTickPen(QPen(t.border));
            axis->setTickLabelColor(t.mutedText);
            axis->setLabelColor(t.mutedText);
            axis->setTickLabelFont(font());
            axis->setLabelFont(font());
            axis->grid()->setPen(QPen(t.grid));
            axis->grid()->setZeroLinePen(QPen(t.border));
        }
    update();
}

void ChartPlot::showHover(const QPoint& at, const QString& richText) {
    if (richText.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(mapToGlobal(at) + QPoint(12, 12), richText, this, rect());
}

void ChartPlot::paintEvent(QPaintEvent*) {
    if (prepare_) prepare_();
    if (!qFuzzyCompare(bufferDevicePixelRatio(), devicePixelRatioF()))
        setBufferDevicePixelRatio(devicePixelRatioF()); // of the cached tick labels
    QCPPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    draw(&painter);
    if (dimmed_) {
        QColor veil = theme().panel;
        veil.setAlphaF(0.6F);
        painter.fillRect(rect(), veil);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().accent, 1));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void ChartPlot::resizeEvent(QResizeEvent*) {
    setViewport(rect());
    update();
}

void ChartPlot::leaveEvent(QEvent* event) {
    QCustomPlot::leaveEvent(event);
    emit left();
}

void ChartPlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left: emit keyMoved(-1, false); return;
    case Qt::Key_Right: emit keyMoved(1, false); return;
    case Qt::Key_Home: emit keyMoved(-1, true); return;
    case Qt::Key_End: emit keyMoved(1, true); return;
    default: QCustomPlot::keyPressEvent(event);
    }
}

void ChartPlot::focusInEvent(QFocusEvent* event) {
    QCustomPlot::focusInEvent(event);
    update();
}

void ChartPlot::focusOutEvent(QFocusEvent* event) {
    QCustomPlot::focusOutEvent(event);
    update();
}

double niceCeiling(double value) {
    if (!(value > 0.0) || !std::isfinite(value)) return 1.0;
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double step : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
        if (value <= step * power) return step * power;
    return 10.0 * power;
}

void spreadLabels(std::vector<double>& centres, double size, double low, double high) {
    const auto fit = static_cast<std::size_t>(std::max(0.0, std::floor((high - low) / size)));
    if (centres.size() > fit) centres.resize(fit);
    double floor = low + size / 2;
    for (double& centre : centres) {
        centre = std::max(centre, floor);
        floor = centre + size;
    }
    double ceiling = high - size / 2;
    for (auto at = centres.rbegin(); at != centres.rend(); ++at) {
        *at = std::min(*at, ceiling);
        ceiling = *at - size;
    }
}

} // namespace deltascope::ui
