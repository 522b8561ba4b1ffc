// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/share_bar.h"

#include "panels/look.h"
#include "theme/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr int ghostHeight = 4;

double total(const std::vector<ShareBar::Piece>& pieces) {
    double sum = 0.0;
    for (const ShareBar::Piece& piece : pieces) sum += std::max(0.0, piece.value);
    return sum;
}

} // namespace

ShareBar::ShareBar(int height, QWidget* parent) : QWidget(parent), height_(height) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFont(scaledFont(0.82, QFont::DemiBold));
}

void ShareBar::setPieces(std::vector<Piece> pieces, bool percent) {
    pieces_ = std::move(pieces);
    percent_ = percent;
    QStringList words;
    for (const Piece& piece : pieces_)
        if (piece.value > 0.0) words << piece.toolTip;
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    update();
}

void ShareBar::setGhost(std::vector<Piece> pieces) {
    ghost_ = std::move(pieces);
    update();
}

std::vector<ShareBar::Box> ShareBar::layOut(const std::vector<Piece>& pieces, const QRectF& bar) {
    std::vector<Box> boxes;
    const double whole = total(pieces);
    if (!(whole > 0.0)) return boxes;
    double done = 0.0;
    double x = bar.left();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!(pieces[i].value > 0.0)) continue;
        done += pieces[i].value;
        const double end = std::min(bar.right(), std::max(bar.left() + bar.width() * done / whole, x + 1.0));
        boxes.push_back({QRectF(x, bar.top(), end - x, bar.height()), i});
        x = end;
    }
    return boxes;
}

QSize ShareBar::sizeHint() const { return {160, height_ + 1 + ghostHeight}; }

QRectF ShareBar::barRect() const { return {0.0, 0.0, static_cast<double>(width()), static_cast<double>(height_)}; }

void ShareBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath rounded;
    rounded.addRoundedRect(barRect(), 3.0, 3.0);
    painter.save();
    painter.setClipPath(rounded);
    painter.setFont(font());
    const double whole = total(pieces_);
    if (!(whole > 0.0)) painter.fillRect(barRect(), theme().grid);
    for (const Box& box : layOut(pieces_, barRect())) {
        const Piece& piece = pieces_[box.piece];
        painter.fillRect(box.rect, piece.isRest ? theme().grid : piece.color);
        if (box.rect.left() > 0.5) painter.fillRect(QRectF(box.rect.left(), 0.0, 1.0, height_), theme().panel);
        const QString percent =
            percent_ ? QString::number(std::lround(100.0 * std::max(0.0, piece.value) / whole)) : QString();
        painter.setPen(piece.isRest ? theme().mutedText : Theme::textOn(piece.color));
        for (const QString& label :
             {QStringLiteral("%1 %2").arg(piece.label, percent).trimmed(), percent_ ? percent : piece.label}) {
            if (label.isEmpty() || fontMetrics().horizontalAdvance(label) + 6.0 > box.rect.width()) continue;
            painter.drawText(box.rect, Qt::AlignCenter, label);
            break;
        }
    }
    painter.restore();
    const QRectF strip(0.0, height_ + 1.0, width(), ghostHeight);
    painter.setOpacity(0.5);
    for (const Box& box : layOut(ghost_, strip))
        painter.fillRect(box.rect, ghost_[box.piece].isRest ? theme().grid : ghost_[box.piece].color);
}

bool ShareBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (const Box& box : layOut(pieces_, barRect()))
        if (help->pos().x() >= box.rect.left() && help->pos().x() < box.rect.right()) {
            QToolTip::showText(help->globalPos(), pieces_[box.piece].toolTip, this);
            return true;
        }
    QToolTip::hideText();
    return true;
}

} // namespace deltascope::ui
