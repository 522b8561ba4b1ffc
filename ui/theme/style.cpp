// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/style.h"

#include "theme/theme.h"

#include <QPainter>
#include <QScrollBar>
#include <QStyleOptionSlider>

#include <algorithm>

namespace deltascope::ui {
namespace {

constexpr int barWidth = 10;
constexpr int leastHandle = 28;
constexpr int inset = 2;

QRect handleOf(const QStyleOptionSlider& bar) {
    const bool lying = bar.orientation == Qt::Horizontal;
    const int length = lying ? bar.rect.width() : bar.rect.height();
    const qint64 range = qint64{bar.maximum} - bar.minimum;
    int handle = length;
    if (range > 0) {
        const qint64 share = qint64{bar.pageStep} * length / (range + std::max(bar.pageStep, 1));
        handle = static_cast<int>(std::clamp<qint64>(share, std::min(leastHandle, length), length));
    }
    const int at =
        QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition, length - handle, bar.upsideDown);
    return lying ? QRect(bar.rect.left() + at, bar.rect.top(), handle, bar.rect.height())
                 : QRect(bar.rect.left(), bar.rect.top() + at, bar.rect.width(), handle);
}

} // namespace

Style::Style() : QProxyStyle(QStringLiteral("Fusion")) {}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    if (metric == PM_ScrollBarExtent) return barWidth;
    if (metric == PM_ScrollBarSliderMin) return leastHandle;
    return QProxyStyle::pixelMetric(metric, option, widget);
}

QRect Style::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                            const QWidget* widget) const {
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (control != CC_ScrollBar || bar == nullptr) return QProxyStyle::subControlRect(control, option, part, widget);
    const QRect handle = handleOf(*bar);
    const QRect whole = bar->rect;
    const bool lying = bar->orientation == Qt::Horizontal;
    QRect found;
    switch (part) {
    case SC_ScrollBarSlider: found = handle; break;
    case SC_ScrollBarGroove: found = whole; break;
    case SC_ScrollBarSubPage:
        found = lying ? QRect(whole.topLeft(), QPoint(handle.left() - 1, whole.bottom()))
                      : QRect(whole.topLeft(), QPoint(whole.right(), handle.top() - 1));
        break;
    case SC_ScrollBarAddPage:
        found = lying ? QRect(QPoint(handle.right() + 1, whole.top()), whole.bottomRight())
                      : QRect(QPoint(whole.left(), handle.bottom() + 1), whole.bottomRight());
        break;
    default: return {}; // no arrows
    }
    return visualRect(bar->direction, whole, found);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                               const QWidget* widget) const {
    const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (control != CC_ScrollBar || bar == nullptr) {
        QProxyStyle::drawComplexControl(control, option, painter, widget);
        return;
    }
    if (bar->maximum <= bar->minimum) return;
    const Theme& t = theme();
    const bool touched = bar->state.testFlag(State_MouseOver) || bar->state.testFlag(State_Sunken);
    const QRectF handle =
        QRectF(subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget)).adjusted(inset, inset, -inset, -inset);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(touched ? t.ghost : t.dark ? t.border.lighter(130) : t.border.darker(108));
    const double radius = 0.5 * std::min(handle.width(), handle.height());
    painter->drawRoundedRect(handle, radius, radius);
    painter->restore();
}

void Style::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    // What is under the bar shows beside its handle.
    if (qobject_cast<QScrollBar*>(widget) != nullptr) widget->setAttribute(Qt::WA_OpaquePaintEvent, false);
}

} // namespace deltascope::ui
