// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/hover_card.h"

#include "theme/theme.h"
#include "timeline/plot_frame.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace deltascope::ui {
namespace {

constexpr int padding = 12;
constexpr int columnGap = 12;
constexpr int anchorGap = 16;

QFont boldOf(QFont font) {
    font.setBold(true);
    return font;
}

} // namespace

HoverCard::HoverCard(QWidget* parent) : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    setFont(smallFont(*parent));
    hide();
}

QSize HoverCard::measure() const {
    const QFontMetrics plain(font());
    const QFontMetrics bold(boldOf(font()));
    int names = 0;
    int values = 0;
    for (const auto& row : facts_.rows) {
        names = std::max(names, plain.horizontalAdvance(row.name));
        values = std::max(values, (row.strong ? bold : plain).horizontalAdvance(row.value));
    }
    const int width = std::max({bold.horizontalAdvance(facts_.title), plain.horizontalAdvance(facts_.subtitle),
                                plain.horizontalAdvance(facts_.note), names + columnGap + values});
    const auto lines = 1 + (facts_.subtitle.isEmpty() ? 0 : 1) + (facts_.note.isEmpty() ? 0 : 1) +
                       static_cast<int>(facts_.rows.size());
    return {width + 2 * padding + 2, lines * plain.lineSpacing() + 2 * padding + 6};
}

void HoverCard::show(const CardFacts& facts, QPoint anchor) {
    facts_ = facts;
    if (facts.isEmpty()) {
        hide();
        return;
    }
    const QSize size = measure();
    const QRect inside = parentWidget()->rect().adjusted(4, 4, -4, -4);
    QPoint at = anchor + QPoint(anchorGap, anchorGap);
    if (at.x() + size.width() > inside.right()) at.setX(anchor.x() - anchorGap - size.width());
    if (at.y() + size.height() > inside.bottom()) at.setY(anchor.y() - anchorGap - size.height());
    at.setX(std::clamp(at.x(), inside.left(), std::max(inside.left(), inside.right() - size.width())));
    at.setY(std::clamp(at.y(), inside.top(), std::max(inside.top(), inside.bottom() - size.height())));
    setGeometry(QRect(at, size));
    raise();
    QWidget::show();
    update();
}

void HoverCard::paintEvent(QPaintEvent*) {
    // Dark on both themes: it lies over bars of every colour.
    const Theme& t = theme();
    const QColor ground = t.dark ? QColor(0x33, 0x3b, 0x48) : QColor(0x28, 0x2f, 0x3b);
    const QColor bright(0xff, 0xff, 0xff);
    const QColor soft(0xc3, 0xcb, 0xd6);
    const QColor amber(0xf2, 0xb6, 0x4c);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(QColor(255, 255, 255, 40), 1.0));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6.0, 6.0);

    const QFontMetrics plain(font());
    int names = 0;
    for (const auto& row : facts_.rows) names = std::max(names, plain.horizontalAdvance(row.name));
    int y = padding;
    const int line = plain.lineSpacing();
    const auto draw = [&](int x, const QString& text, const QColor& color, bool strong) {
        painter.setFont(strong ? boldOf(font()) : font());
        painter.setPen(color);
        painter.drawText(QRect(x, y, width() - x - padding + 2, line),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
    };
    draw(padding, facts_.title, bright, true);
    y += line;
    if (!facts_.subtitle.isEmpty()) {
        draw(padding, facts_.subtitle, soft, false);
        y += line;
    }
    y += 4;
    for (const auto& row : facts_.rows) {
        draw(padding, row.name, soft, false);
        draw(padding + names + columnGap, row.value, bright, row.strong);
        y += line;
    }
    if (facts_.note.isEmpty()) return;
    y += 2;
    draw(padding, facts_.note, amber, false);
}

} // namespace deltascope::ui
