// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/fact_sheet.h"

#include "panels/look.h"
#include "theme/theme.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QEvent>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace deltascope::ui {
namespace {

constexpr int captionGap = 7; ///< above a caption
constexpr int indentWidth = 10;
constexpr int swatchWidth = 14;

struct Fonts {
    QFont text = scaledFont(1.0);
    QFont bold = scaledFont(1.0, QFont::Bold);
    QFont caption = scaledFont(0.84, QFont::Bold);
    QFont formula = [] {
        QFont font = figureFont();
        font.setPointSizeF(scaledFont(0.84).pointSizeF());
        return font;
    }();
    QFontMetrics textMetrics{text};
    QFontMetrics boldMetrics{bold};
    QFontMetrics captionMetrics{caption};
    QFontMetrics formulaMetrics{formula};

    [[nodiscard]] const QFontMetrics& metricsOf(SheetRow::Kind kind) const {
        return kind == SheetRow::Kind::caption   ? captionMetrics
               : kind == SheetRow::Kind::formula ? formulaMetrics
                                                 : textMetrics;
    }
};

Fonts& fonts() {
    static Fonts fonts;
    return fonts;
}

int leftOf(const SheetRow& row) { return row.indent * indentWidth + (row.swatch.isValid() ? swatchWidth : 0); }

} // namespace

QStringList brokenLines(const QString& text, const QFontMetrics& metrics, int width) {
    QStringList lines;
    for (const QString& paragraph : text.split(QLatin1Char('\n'))) {
        QString line;
        int used = 0;
        const int blank = metrics.horizontalAdvance(QLatin1Char(' '));
        for (QString word : paragraph.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            int length = metrics.horizontalAdvance(word);
            if (!line.isEmpty() && used + blank + length > width) {
                lines << line;
                line.clear();
                used = 0;
            }
            while (length > width && word.size() > 1) {
                qsizetype fitting = std::max<qsizetype>(1, word.size() * width / length);
                while (fitting > 1 && metrics.horizontalAdvance(word.left(fitting)) > width) --fitting;
                lines << word.left(fitting);
                word = word.mid(fitting);
                length = metrics.horizontalAdvance(word);
            }
            used += (line.isEmpty() ? 0 : blank) + length;
            line += (line.isEmpty() ? QString() : QStringLiteral(" ")) + word;
        }
        lines << line;
    }
    return lines;
}

FactSheet::FactSheet(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::IBeamCursor);
}

void FactSheet::setRows(std::vector<SheetRow> rows) {
    if (rows == rows_) return;
    const int before = heightForWidth(width());
    std::vector<Laid> laid(rows.size());
    // Most rows keep their text while a slider moves: what was broken to this width stays.
    for (std::size_t i = 0; i < rows.size() && i < rows_.size(); ++i)
        if (rows[i] == rows_[i]) laid[i] = std::move(laid_[i]);
    rows_ = std::move(rows);
    laid_ = std::move(laid);
    const int width = std::exchange(laidWidth_, -1);
    if (width >= 0) {
        int top = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (laid_[i].lines.isEmpty()) layOut(rows_[i], laid_[i], width);
            laid_[i].top = top;
            top += laid_[i].height;
        }
        height_ = top;
        laidWidth_ = width;
    }
    selectRows(-1, -1);
    setAccessibleDescription(plainText());
    if (heightForWidth(this->width()) != before) updateGeometry();
    update();
}

void FactSheet::layOut(const SheetRow& row, Laid& laid, int width) const {
    const Fonts& f = fonts();
    const QFontMetrics& metrics = f.metricsOf(row.kind);
    int room = width - leftOf(row);
    if (row.kind == SheetRow::Kind::fact && !row.value.isEmpty())
        room = std::max(room / 4, room - f.boldMetrics.horizontalAdvance(row.value) - 8);
    laid.lines = brokenLines(row.label, metrics, room);
    laid.height = static_cast<int>(laid.lines.size()) * metrics.height() + 2;
    if (row.kind == SheetRow::Kind::caption) laid.height += captionGap;
}

void FactSheet::layOut(int width) const {
    if (laidWidth_ == width && laid_.size() == rows_.size()) return;
    laid_.assign(rows_.size(), {});
    height_ = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        layOut(rows_[i], laid_[i], width);
        laid_[i].top = height_;
        height_ += laid_[i].height;
    }
    laidWidth_ = width;
}

int FactSheet::heightForWidth(int width) const {
    layOut(width);
    return height_;
}

QSize FactSheet::sizeHint() const { return {240, heightForWidth(width() > 0 ? width() : 240)}; }

void FactSheet::paintRow(QPainter& painter, std::size_t index) const {
    const Theme& t = theme();
    const Fonts& f = fonts();
    const SheetRow& row = rows_[index];
    const Laid& laid = laid_[index];
    const QFontMetrics& metrics = f.metricsOf(row.kind);
    int y = laid.top + 1 + (row.kind == SheetRow::Kind::caption ? captionGap : 0);
    if (isSelected(index)) {
        QColor fill = t.accent;
        fill.setAlphaF(0.25F);
        painter.fillRect(QRect(-2, laid.top, width() + 4, laid.height), fill);
    }
    if (row.swatch.isValid())
        painter.fillRect(QRect(row.indent * indentWidth, y + metrics.ascent() - 9, 9, 9), row.swatch);
    if (row.kind == SheetRow::Kind::fact && !row.value.isEmpty()) {
        painter.setFont(f.bold);
        painter.setPen(row.color.isValid() ? row.color : t.text);
        painter.drawText(width() - f.boldMetrics.horizontalAdvance(row.value), y + f.boldMetrics.ascent(), row.value);
    }
    painter.setFont(row.kind == SheetRow::Kind::caption   ? f.caption
                    : row.kind == SheetRow::Kind::formula ? f.formula
                                                          : f.text);
    painter.setPen(row.kind == SheetRow::Kind::sentence ? t.text : t.mutedText);
    for (const QString& line : laid.lines) {
        painter.drawText(leftOf(row), y + metrics.ascent(), line);
        y += metrics.height();
    }
}

void FactSheet::paintEvent(QPaintEvent* event) {
    layOut(width());
    QPainter painter(this);
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (laid_[i].top < event->rect().bottom() + 1 && laid_[i].top + laid_[i].height > event->rect().top())
            paintRow(painter, i);
    if (!hasFocus()) return;
    painter.setPen(QPen(theme().accent, 1.0, Qt::DotLine));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void FactSheet::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (event->oldSize().width() != width()) updateGeometry();
}

void FactSheet::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::FontChange) return;
    fonts() = Fonts{};
    laidWidth_ = -1;
    updateGeometry();
}

int FactSheet::rowAt(int y) const {
    for (std::size_t i = 0; i < laid_.size(); ++i)
        if (y < laid_[i].top + laid_[i].height) return static_cast<int>(i);
    return static_cast<int>(laid_.size()) - 1;
}

bool FactSheet::isSelected(std::size_t row) const {
    const int at = static_cast<int>(row);
    return anchor_ >= 0 && at >= std::min(anchor_, end_) && at <= std::max(anchor_, end_);
}

void FactSheet::selectRows(int anchor, int end) {
    const int last = static_cast<int>(rows_.size()) - 1;
    anchor_ = std::min(anchor, last);
    end_ = std::clamp(end, -1, last);
    update();
}

void FactSheet::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const int row = rowAt(static_cast<int>(event->position().y()));
    selectRows(event->modifiers().testFlag(Qt::ShiftModifier) && anchor_ >= 0 ? anchor_ : row, row);
}

/// The end of a selection: nothing is left to do, but the event is the sheet's own.
void FactSheet::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

void FactSheet::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton) && anchor_ >= 0)
        selectRows(anchor_, std::max(0, rowAt(static_cast<int>(event->position().y()))));
}

void FactSheet::keyPressEvent(QKeyEvent* event) {
    const bool extend = event->modifiers().testFlag(Qt::ShiftModifier);
    if (event->matches(QKeySequence::Copy)) {
        copy();
    } else if (event->matches(QKeySequence::SelectAll)) {
        selectRows(0, static_cast<int>(rows_.size()) - 1);
    } else if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        const int next = std::max(0, end_ + (event->key() == Qt::Key_Down ? 1 : -1));
        selectRows(extend && anchor_ >= 0 ? anchor_ : next, next);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void FactSheet::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    if (event->reason() != Qt::PopupFocusReason) selectRows(-1, -1);
}

void FactSheet::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* copySelection = menu->addAction(tr("Copy"), this, [this] { copy(); });
    copySelection->setEnabled(anchor_ >= 0);
    menu->addAction(tr("Select all"), this, [this] { selectRows(0, static_cast<int>(rows_.size()) - 1); });
    menu->popup(event->globalPos());
}

QString FactSheet::textOf(std::size_t index) const {
    const SheetRow& row = rows_[index];
    const QString text = row.kind == SheetRow::Kind::caption ? QLatin1Char('\n') + row.label : row.label;
    return row.value.isEmpty() ? text : QStringLiteral("%1\t%2").arg(text, row.value);
}

QString FactSheet::plainText() const {
    QStringList lines;
    for (std::size_t i = 0; i < rows_.size(); ++i) lines << textOf(i);
    return lines.join(QLatin1Char('\n'));
}

QString FactSheet::selectedText() const {
    QStringList lines;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (isSelected(i)) lines << textOf(i);
    return lines.join(QLatin1Char('\n'));
}

void FactSheet::copy() const {
    if (anchor_ >= 0) QGuiApplication::clipboard()->setText(selectedText().trimmed());
}

} // namespace deltascope::ui
