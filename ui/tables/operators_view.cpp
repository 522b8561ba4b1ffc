// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/operators_view.h"

#include "base/format.h"
#include "panels/look.h"

#include <QAction>
#include <QComboBox>
#include <QDataStream>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>

namespace deltascope::ui {
namespace {

constexpr quint32 stateVersion = 1;

QToolButton* menuButton(const QString& text, const QString& tip, QMenu* menu) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(text);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

} // namespace

OperatorsView::OperatorsView(Workbench& workbench, QWidget* parent)
    : QWidget(parent), workbench_(workbench), tree_(new OperatorsTree(model_, this)),
      gate_(*this, [this] { refresh(); }) {
    setObjectName("operatorsView");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildBar());
    layout->addWidget(tree_);
    tree_->setAccessibleName(tr("Operators of the step"));
    setFocusProxy(tree_);

    connect(tree_, &OperatorsTree::rowChosen, this, &OperatorsView::chooseRow);
    connect(&model_, &OperatorsModel::rearranged, this, &OperatorsView::updateSummary);
    connect(&workbench_, &Workbench::scenarioChanged, this, [this] { gate_.mark(); });
    connect(&workbench_, &Workbench::baselineChanged, this, [this] { gate_.mark(); });
    connect(&workbench_, &Workbench::selectionChanged, this, [this] {
        if (!choosing_ && !gate_.pending() && isVisible()) showSelection(true);
    });
}

QWidget* OperatorsView::buildBar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 6, 8, 6);

    filter_ = new QLineEdit;
    filter_->setObjectName("operatorsFilter");
    filter_->setPlaceholderText(tr("Filter: kind, module, layer, bound"));
    filter_->setAccessibleName(tr("Filter operators"));
    filter_->setToolTip(tr("All words must occur, as in \"attn memory\" or \"linear layer:12\" (Ctrl+F).\n"
                           "kind: module: layer: bound: part: name the field."));
    filter_->setClearButtonEnabled(true);
    filter_->setMinimumWidth(180);
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        model_.setFilter(text);
        showSelection(false);
    });

    grouping_ = new QComboBox;
    grouping_->setObjectName("operatorsGrouping");
    grouping_->addItems({tr("Not grouped"), tr("By kind"), tr("By layer"), tr("By module")});
    grouping_->setAccessibleName(tr("Group operators"));
    grouping_->setToolTip(tr("Group the operators, with totals"));
    connect(grouping_, &QComboBox::currentIndexChanged, this, [this](int index) {
        model_.setGrouping(static_cast<Grouping>(index));
        showSelection(false);
    });

    summary_ = new ElidedLabel;
    summary_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    summary_->setObjectName("operatorsSummary");
    summary_->setAccessibleName(tr("Operators shown"));

    row->addWidget(filter_, 2);
    row->addWidget(grouping_);
    row->addWidget(menuButton(tr("Columns"), tr("Choose the columns"), buildColumnMenu()));
    row->addWidget(menuButton(tr("Copy"), tr("Copy the selected rows, or all of them"), buildCopyMenu()));
    row->addWidget(summary_, 3);

    find_ = new QAction(tr("Filter operators"), this);
    find_->setShortcut(QKeySequence::Find);
    find_->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    connect(find_, &QAction::triggered, this, [this] {
        filter_->setFocus(Qt::ShortcutFocusReason);
        filter_->selectAll();
    });
    addAction(find_);
    return bar;
}

QMenu* OperatorsView::buildColumnMenu() {
    auto* menu = new QMenu(this);
    for (std::size_t c = 0; c < operatorColumnCount; ++c) {
        const auto column = static_cast<OperatorColumn>(c);
        if (column == OperatorColumn::kind) continue; // groups hang on it
        QAction* action = menu->addAction(titleOf(column));
        action->setCheckable(true);
        action->setData(static_cast<int>(c));
        connect(action, &QAction::toggled, this, [this, column](bool on) { tree_->setChosen(column, on); });
    }
    menu->addSeparator();
    QAction* reset = menu->addAction(tr("Default columns"));
    connect(reset, &QAction::triggered, tree_, &OperatorsTree::resetColumns);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        for (QAction* action : menu->actions())
            if (action->isCheckable())
                action->setChecked(tree_->isChosen(static_cast<OperatorColumn>(action->data().toInt())));
    });
    return menu;
}

QMenu* OperatorsView::buildCopyMenu() {
    auto* menu = new QMenu(this);
    const auto add = [&](const QString& text, TableFormat format) {
        QAction* action = menu->addAction(text);
        connect(action, &QAction::triggered, this, [this, format] {
            const std::vector<QModelIndex> rows = tree_->selectedInOrder();
            copyToClipboard(model_.textTable(rows.size() > 1 ? rows : std::vector<QModelIndex>{}, tree_->shownColumns(),
                                             wantsRawNumbers(format)),
                            format);
        });
        return action;
    };
    copy_ = add(tr("Copy as TSV"), TableFormat::tsv);
    copy_->setShortcut(QKeySequence::Copy);
    copy_->setShortcutContext(Qt::WidgetShortcut);
    tree_->addAction(copy_);
    tree_->addAction(add(tr("Copy as Markdown"), TableFormat::markdown));
    tree_->addAction(add(tr("Copy as CSV"), TableFormat::csv));
    auto* separator = new QAction(tree_);
    separator->setSeparator(true);
    tree_->addAction(separator);
    const auto addTree = [&](const QString& text, void (QTreeView::*slot)()) {
        auto* action = new QAction(text, tree_);
        connect(action, &QAction::triggered, tree_, slot);
        tree_->addAction(action);
    };
    addTree(tr("Expand all groups"), &QTreeView::expandAll);
    addTree(tr("Collapse all groups"), &QTreeView::collapseAll);
    tree_->setContextMenuPolicy(Qt::ActionsContextMenu);
    return menu;
}

void OperatorsView::setFilter(const QString& text) { filter_->setText(text); }

void OperatorsView::setGrouping(Grouping grouping) { grouping_->setCurrentIndex(static_cast<int>(grouping)); }

QString OperatorsView::asText(TableFormat format) const {
    return toText(model_.textTable({}, tree_->shownColumns(), wantsRawNumbers(format)), format);
}

void OperatorsView::refresh() {
    model_.setRows(OperatorRows(workbench_.simulation(), workbench_.baseline(), workbench_.comparison()),
                   workbench_.refusal().has_value());
    showSelection(false);
}

void OperatorsView::showSelection(bool scroll) {
    const auto selected = workbench_.selection();
    if (gate_.pending() || model_.rows().size() == 0) return;
    const QModelIndex index = selected ? model_.indexOfRow(model_.rows().indexOf(*selected)) : QModelIndex();
    if (!index.isValid()) {
        const auto current = model_.rowAt(tree_->currentIndex());
        if (current && !model_.rows().row(*current).ghost) tree_->showCurrent({}, false);
        return;
    }
    if (model_.rowAt(tree_->currentIndex()) == model_.rowAt(index)) return;
    tree_->showCurrent(index, scroll);
}

void OperatorsView::chooseRow(const QModelIndex& index) {
    const auto row = model_.rowAt(index);
    if (!row) return;
    choosing_ = true;
    const OperatorRow& chosen = model_.rows().row(*row);
    workbench_.select(chosen.ghost ? std::nullopt : std::optional(chosen.ref));
    choosing_ = false;
}

void OperatorsView::updateSummary() {
    const Arrangement& shown = model_.arrangement();
    std::int64_t all = 0;
    if (const auto& simulation = model_.rows().current()) all = simulation->totals.operators;
    const auto count = [](std::int64_t n) { return QString::fromStdString(formatCount(static_cast<double>(n))); };
    QString text = shown.operators == all ? tr("%1 operators").arg(count(all))
                                          : tr("%1 of %2 operators").arg(count(shown.operators), count(all));
    text += QStringLiteral("  ·  ") + QString::fromStdString(formatSeconds(shown.time));
    if (shown.ghosts > 0) text += QStringLiteral("  ·  ") + tr("%1 only in the baseline").arg(count(shown.ghosts));
    summary_->setFullText(text);
}

void OperatorsView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) tree_->viewport()->update();
    QWidget::changeEvent(event);
}

QByteArray OperatorsView::saveState() const {
    QByteArray state;
    QDataStream out(&state, QIODevice::WriteOnly);
    quint32 chosen = 0;
    for (std::size_t c = 0; c < operatorColumnCount; ++c)
        if (tree_->isChosen(static_cast<OperatorColumn>(c))) chosen |= 1U << c;
    out << stateVersion << chosen << static_cast<qint32>(grouping_->currentIndex()) << tree_->header()->saveState();
    return state;
}

bool OperatorsView::restoreState(const QByteArray& state) {
    QDataStream in(state);
    quint32 version = 0, chosen = 0;
    qint32 grouping = 0;
    QByteArray header;
    in >> version >> chosen >> grouping >> header;
    if (in.status() != QDataStream::Ok || version != stateVersion || grouping < 0 || grouping >= grouping_->count())
        return false;
    if (!tree_->header()->restoreState(header)) return false;
    for (std::size_t c = 0; c < operatorColumnCount; ++c)
        tree_->setChosen(static_cast<OperatorColumn>(c), (chosen & (1U << c)) != 0);
    grouping_->setCurrentIndex(grouping);
    return true;
}

} // namespace deltascope::ui
