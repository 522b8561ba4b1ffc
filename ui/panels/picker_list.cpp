// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/picker_list.h"

#include "panels/look.h"
#include "theme/theme.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QScrollBar>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace deltascope::ui {
namespace {

enum Role { keyRole = Qt::UserRole, factsRole, wordsRole, sideRole, headingRole };

bool isHeading(const QModelIndex& index) { return index.data(headingRole).toBool(); }

/// Heading, or name with what is said of it at the right, and the facts beneath.
class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        const QFontMetrics name(scaledFont(1.0));
        const QFontMetrics facts(scaledFont(0.86));
        const QString factsText = index.data(factsRole).toString();
        const int width = std::max(name.horizontalAdvance(index.data().toString()) +
                                       facts.horizontalAdvance(index.data(sideRole).toString()) + 24,
                                   facts.horizontalAdvance(factsText)) +
                          32;
        if (isHeading(index)) return {width, name.height() + 8};
        return {width, name.height() + (factsText.isEmpty() ? 0 : facts.height() + 1) + 8};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& t = theme();
        const QRect box = option.rect.adjusted(10, 4, -10, -4);
        if (isHeading(index)) {
            painter->setFont(scaledFont(0.84, QFont::Bold));
            painter->setPen(t.mutedText);
            painter->drawText(box, Qt::AlignLeft | Qt::AlignBottom, index.data().toString().toUpper());
            return;
        }
        const bool active = (option.state & QStyle::State_Selected) != 0;
        if (active) painter->fillRect(option.rect, t.accent);
        const QColor quiet = active ? t.accentText : t.mutedText;
        const QFont factsFont = scaledFont(0.86);
        const QString side = index.data(sideRole).toString();
        const int sideWidth = side.isEmpty() ? 0 : QFontMetrics(factsFont).horizontalAdvance(side) + 12;
        painter->setFont(scaledFont(1.0, index.data(Qt::CheckStateRole).toBool() ? QFont::Bold : QFont::Normal));
        painter->setPen(active ? t.accentText : t.text);
        painter->drawText(
            box, Qt::AlignLeft | Qt::AlignTop,
            painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, box.width() - sideWidth));
        painter->setFont(factsFont);
        painter->setPen(quiet);
        painter->drawText(box.adjusted(0, 1, 0, 0), Qt::AlignRight | Qt::AlignTop, side);
        painter->drawText(
            box, Qt::AlignLeft | Qt::AlignBottom,
            painter->fontMetrics().elidedText(index.data(factsRole).toString(), Qt::ElideRight, box.width()));
    }
};

std::unique_ptr<QStandardItem> makeHeading(const QString& text) {
    auto item = std::make_unique<QStandardItem>(text);
    item->setFlags(Qt::NoItemFlags);
    item->setData(true, headingRole);
    return item;
}

} // namespace

PickerList::PickerList(const std::vector<PickerEntry>& entries, const QString& current,
                       const std::function<QString(const QString&)>& preview, bool searchable, QWidget* parent)
    : QFrame(parent, Qt::Popup), search_(new QLineEdit(this)), view_(new QListView(this)),
      model_(new QStandardItemModel(this)), searchable_(searchable) {
    setAttribute(Qt::WA_DeleteOnClose);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(6, 6, 6, 6);
    column->setSpacing(4);
    column->addWidget(search_);
    column->addWidget(view_);

    search_->setPlaceholderText(tr("Search"));
    search_->setAccessibleName(tr("Search %1").arg(parent->accessibleName()));
    search_->setClearButtonEnabled(true);
    search_->setVisible(searchable);
    search_->installEventFilter(this);
    connect(search_, &QLineEdit::textChanged, this, &PickerList::filter);

    QString group;
    for (const PickerEntry& entry : entries) {
        if (entry.group != group) model_->appendRow(makeHeading(group = entry.group).release());
        auto item = std::make_unique<QStandardItem>(entry.label);
        item->setData(entry.key, keyRole);
        item->setData(entry.facts, factsRole);
        item->setData(QStringList{entry.label, entry.key, entry.facts, entry.group, entry.words}.join(QLatin1Char(' ')),
                      wordsRole);
        QStringList side;
        if (!entry.mark.isEmpty()) side << entry.mark;
        if (preview && entry.mark.isEmpty()) side << preview(entry.key);
        item->setData(side.join(QStringLiteral(" · ")), sideRole);
        item->setData(entry.key == current, Qt::CheckStateRole);
        model_->appendRow(item.release());
    }
    view_->setModel(model_);
    view_->setItemDelegate(new EntryDelegate(view_));
    view_->setFrameShape(QFrame::NoFrame);
    view_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->setMouseTracking(true);
    view_->setAccessibleName(parent->accessibleName());
    view_->installEventFilter(this);
    connect(view_, &QListView::clicked, this, [this](const QModelIndex& index) { accept(index.row()); });
    connect(view_, &QListView::entered, view_, [this](const QModelIndex& index) {
        if (!isHeading(index)) view_->setCurrentIndex(index);
    });
    const QModelIndexList now = model_->match(model_->index(0, 0), keyRole, current, 1, Qt::MatchExactly);
    if (!now.isEmpty()) view_->setCurrentIndex(now.front());
}

QSize PickerList::sizeHint() const {
    int rows = 0;
    int widest = 180;
    for (int row = 0; row < model_->rowCount(); ++row) {
        const QSize size = view_->itemDelegate()->sizeHint({}, model_->index(row, 0));
        rows += size.height();
        widest = std::max(widest, size.width());
    }
    const int chrome = 14 + (searchable_ ? search_->sizeHint().height() + 4 : 0);
    const bool scrolls = rows + chrome > 460;
    return {std::min(widest, 520) + 14 + (scrolls ? view_->verticalScrollBar()->sizeHint().width() : 0),
            std::min(rows + chrome, 460)};
}

void PickerList::takeFocus() {
    (searchable_ ? static_cast<QWidget*>(search_) : view_)->setFocus(Qt::PopupFocusReason);
    view_->scrollTo(view_->currentIndex(), QAbstractItemView::PositionAtCenter);
}

void PickerList::filter(const QString& words) {
    const QStringList wanted = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    int heading = -1;
    int firstShown = -1;
    bool groupShown = false;
    const auto closeGroup = [&] {
        if (heading >= 0) view_->setRowHidden(heading, !groupShown);
        groupShown = false;
    };
    for (int row = 0; row < model_->rowCount(); ++row) {
        const QModelIndex index = model_->index(row, 0);
        if (isHeading(index)) {
            closeGroup();
            heading = row;
            continue;
        }
        const QString text = index.data(wordsRole).toString();
        const bool shown = std::all_of(wanted.begin(), wanted.end(),
                                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
        view_->setRowHidden(row, !shown);
        groupShown |= shown;
        if (shown && firstShown < 0) firstShown = row;
    }
    closeGroup();
    const int at = view_->currentIndex().row();
    if (firstShown >= 0 && (at < 0 || view_->isRowHidden(at))) view_->setCurrentIndex(model_->index(firstShown, 0));
}

void PickerList::accept(int row) {
    if (row < 0 || row >= model_->rowCount() || view_->isRowHidden(row)) return;
    const QModelIndex index = model_->index(row, 0);
    if (isHeading(index)) return;
    const QString key = index.data(keyRole).toString();
    close();
    emit picked(key);
}

void PickerList::move(int rows) {
    const int direction = rows < 0 ? -1 : 1;
    int left = std::abs(rows);
    int last = view_->currentIndex().row();
    for (int row = last + direction; row >= 0 && row < model_->rowCount() && left > 0; row += direction) {
        if (view_->isRowHidden(row) || isHeading(model_->index(row, 0))) continue;
        last = row;
        --left;
    }
    if (last >= 0) view_->setCurrentIndex(model_->index(last, 0));
}

bool PickerList::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down: move(1); return true;
    case Qt::Key_Up: move(-1); return true;
    case Qt::Key_PageDown: move(8); return true;
    case Qt::Key_PageUp: move(-8); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: accept(view_->currentIndex().row()); return true;
    case Qt::Key_Escape: close(); return true;
    default: return QFrame::eventFilter(watched, event);
    }
}

void PickerList::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    painter.setPen(theme().border);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

} // namespace deltascope::ui
