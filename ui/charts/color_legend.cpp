// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/color_legend.h"

#include "theme/theme.h"

#include <QPainter>

namespace deltascope::ui {
namespace {

constexpr int chip = 10;
constexpr int gap = 5;
constexpr int between = 16;
constexpr int margin = 8;

} // namespace

ColorLegend::ColorLegend(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void ColorLegend::setEntries(std::vector<Entry> entries) {
    if (entries == entries_) return;
    entries_ = std::move(entries);
    QStringList names;
    for (const Entry& entry : entries_) names << entry.text;
    setAccessibleName(tr("Legend"));
    setAccessibleDescription(names.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

template <class Visit>
int ColorLegend::layOut(int width, Visit visit) const {
    const int line = fontMetrics().height() + 4;
    int x = margin, y = 2;
    for (const Entry& entry : entries_) {
        const int w = chip + gap + fontMetrics().horizontalAdvance(entry.text);
        if (x > margin && x + w > width - margin) {
            x = margin;
            y += line;
        }
        visit(entry, QPoint(x, y));
        x += w + between;
    }
    return y + line;
}

int ColorLegend::heightForWidth(int width) const {
    return layOut(width, [](const Entry&, QPoint) {});
}

QSize ColorLegend::sizeHint() const { return {400, heightForWidth(std::max(width(), 200))}; }
QSize ColorLegend::minimumSizeHint() const { return {80, fontMetrics().height() + 6}; }

void ColorLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    const int height = fontMetrics().height();
    layOut(width(), [&](const Entry& entry, QPoint at) {
        const QRect square(at.x(), at.y() + (height - chip) / 2, chip, chip);
        if (entry.outline) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(entry.color, 1, Qt::DashLine));
            painter.drawRect(square.adjusted(0, 0, -1, -1));
        } else {
            fillPatterned(painter, square, entry.color, entry.pattern);
        }
        painter.setPen(theme().mutedText);
        painter.drawText(at.x() + chip + gap, at.y() + fontMetrics().ascent(), entry.text);
    });
}

void fillPatterned(QPainter& painter, const QRectF& rect, const QColor& color, Qt::BrushStyle pattern) {
    painter.fillRect(rect, color);
    if (pattern == Qt::SolidPattern) return;
    QColor ink = Theme::textOn(color);
    ink.setAlphaF(0.55F);
    painter.fillRect(rect, QBrush(ink, pattern));
}

} // namespace deltascope::ui
