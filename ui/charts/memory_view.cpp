// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/memory_view.h"

#include "base/format.h"
#include "charts/memory_chart.h"
#include "panels/look.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include <cmath>

namespace deltascope::ui {
namespace {

QString bytesText(Bytes bytes) { return QString::fromStdString(formatBytes(bytes)); }
QString countText(double count) { return QString::fromStdString(formatCount(count)); }
QString shareText(double share) { return QString::fromStdString(formatShare(share)); }

QString bytesDifference(Bytes by) {
    if (by.value() == 0.0) return QStringLiteral("±0 B");
    return (by.value() < 0.0 ? QStringLiteral("−") : QStringLiteral("+")) + bytesText(Bytes(std::abs(by.value())));
}

} // namespace

MemoryView::MemoryView(Workbench& workbench, QWidget* parent)
    : QWidget(parent), workbench_(workbench), chart_(new MemoryChart), table_(new ValueTableView),
      gate_(*this, [this] { refresh(); }) {
    setObjectName("memoryView");
    chart_->setAccessibleName(tr("Memory of one rank"));
    table_->setAccessibleName(tr("Memory of one rank as a table"));
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(chart_);
    split->addWidget(table_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    split->setSizes({3000, 2000});
    notLoaded_ = new QLabel;
    notLoaded_->setObjectName("memoryNotLoaded");
    notLoaded_->setContentsMargins(8, 2, 8, 6);
    notLoaded_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildBar());
    layout->addWidget(split, 1);
    layout->addWidget(notLoaded_);
    setFocusProxy(table_);

    chart_->setPrepare([this] { gate_.ensure(); });
    connect(chart_, &MemoryChart::pieceHovered, this, [this](int stack, int piece, const QPoint& at) {
        chart_->showHover(at, stack >= 0 ? tooltipOf(stack, piece) : QString());
    });
    connect(chart_, &MemoryChart::pieceClicked, this, [this](int stack, int piece) {
        const MemoryStack& hit = chart_->stacks()[static_cast<std::size_t>(stack)];
        if (hit.role == StackRole::current && piece >= 0 &&
            hit.pieces[static_cast<std::size_t>(piece)].use == MemoryUse::activations)
            selectPeak();
    });
    connect(&workbench_, &Workbench::scenarioChanged, this, [this] { gate_.mark(); });
    connect(&workbench_, &Workbench::baselineChanged, this, [this] { gate_.mark(); });
}

QWidget* MemoryView::buildBar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 6, 8, 6);
    verdict_ = new QLabel;
    verdict_->setObjectName("memoryVerdict");
    QFont bold = font();
    bold.setBold(true);
    verdict_->setFont(bold);
    verdict_->setWordWrap(true);
    row->addWidget(verdict_, 1);
    row->addSpacing(12);
    peak_ = new QPushButton;
    peak_->setObjectName("memoryPeak");
    peak_->setFlat(true);
    peak_->setCursor(Qt::PointingHandCursor);
    peak_->setToolTip(tr("Select the operator at which activations take the most"));
    connect(peak_, &QPushButton::clicked, this, &MemoryView::selectPeak);
    row->addWidget(peak_);
    zoomBox_ = new QCheckBox(tr("Zoom to what is used"));
    zoomBox_->setToolTip(tr("End the axis at the highest stack instead of the limit"));
    connect(zoomBox_, &QCheckBox::toggled, this, &MemoryView::setZoomed);
    row->addWidget(zoomBox_);
    tableBox_ = new QCheckBox(tr("Table"));
    tableBox_->setToolTip(tr("The same values as a table"));
    tableBox_->setChecked(true);
    connect(tableBox_, &QCheckBox::toggled, this, &MemoryView::setTableShown);
    row->addWidget(tableBox_);
    return bar;
}

void MemoryView::setTableShown(bool shown) {
    tableBox_->setChecked(shown);
    table_->setVisible(shown);
    gate_.mark();
    gate_.ensure();
}

void MemoryView::setZoomed(bool zoomed) {
    zoomBox_->setChecked(zoomed);
    chart_->setZoomed(zoomed);
}

void MemoryView::refresh() {
    if (std::exchange(restyled_, false)) chart_->restyle();
    std::vector<MemoryStack> stacks{memoryStack(*workbench_.simulation(), StackRole::current)};
    if (const auto baseline = workbench_.baseline()) stacks.push_back(memoryStack(*baseline, StackRole::baseline));
    if (auto other = counterpartStack(workbench_.catalog(), *workbench_.simulation())) stacks.push_back(*other);
    chart_->setStacks(std::move(stacks));
    chart_->setDimmed(workbench_.refusal().has_value());
    refreshWords();
    if (!table_->isHidden()) refreshTable();
}

QString MemoryView::verdict() const {
    const MemoryStack stack = memoryStack(*workbench_.simulation(), StackRole::current);
    const QString limit = bytesText(stack.limit);
    const QString share = shareText(stack.limit.value() > 0.0 ? stack.free() / stack.limit : 0.0);
    switch (fitOf(stack)) {
    case Fit::fits: return tr("Fits: %1 free of %2 (%3)").arg(bytesText(stack.free()), limit, share);
    case Fit::tight: return tr("Tight: only %1 free of %2 (%3)").arg(bytesText(stack.free()), limit, share);
    case Fit::doesNotFit: break;
    }
    return tr("Does not fit: %1 over the limit of %2").arg(bytesText(stack.total - stack.limit), limit);
}

void MemoryView::refreshWords() {
    const Theme& t = theme();
    const Simulation& simulation = *workbench_.simulation();
    const MemoryStack& stack = chart_->stacks().front();
    verdict_->setText(verdict());
    chart_->setAccessibleDescription(verdict());
    const QColor color = fitOf(stack) == Fit::fits ? t.text : t.warning;
    if (verdict_->palette().color(QPalette::WindowText) != color) {
        QPalette words = palette();
        words.setColor(QPalette::WindowText, color);
        verdict_->setPalette(words);
    }
    if (peak_->palette().color(QPalette::ButtonText) != t.accent) {
        QPalette link = palette();
        link.setColor(QPalette::ButtonText, t.accent);
        peak_->setPalette(link);
    }

    const IdealMemory& ideal = simulation.memory.ideal;
    peak_->setVisible(!simulation.step.segments.empty());
    if (!simulation.step.segments.empty()) {
        const OperatorRef ref{ideal.peakSegment, ideal.peakOperator};
        const std::string_view kind = nameOf(simulation.op(ref).kind);
        const Segment& segment = simulation.segment(ref);
        const QString where = segment.layer >= 0 && segment.part == Part::text ? tr("layer %1").arg(segment.layer)
                                                                               : toQString(nameOf(segment.part));
        peak_->setText(tr("Peak %1 in %2, %3").arg(bytesText(ideal.activationPeak), toQString(kind), where));
    }
    QStringList absent;
    for (const MemoryPiece& piece : stack.notLoaded)
        absent << QStringLiteral("%1 %2").arg(toQString(piece.name), bytesText(piece.bytes));
    notLoaded_->setVisible(!absent.isEmpty() && table_->isHidden()); // the table lists them
    notLoaded_->setText(tr("Not loaded by this scenario: %1").arg(absent.join(QStringLiteral(", "))));
}

void MemoryView::refreshTable() {
    const Theme& t = theme();
    const std::vector<MemoryStack>& stacks = chart_->stacks();
    const MemoryStack& current = stacks.front();
    ValueTable table;
    table.columns = {{tr("Group"), QStringLiteral("group"), false},
                     {tr("Size"), QStringLiteral("bytes"), true},
                     {tr("Bytes"), QStringLiteral("bytes_exact"), true},
                     {tr("Of the total"), QStringLiteral("share"), true},
                     {tr("Parameters"), QStringLiteral("parameters"), true}};
    for (const MemoryStack& stack : stacks) {
        if (stack.role == StackRole::current) continue;
        const bool baseline = stack.role == StackRole::baseline;
        table.columns.push_back({titleOf(stack),
                                 baseline ? QStringLiteral("baseline_bytes") : QStringLiteral("other_attention_bytes"),
                                 true});
        table.columns.push_back({tr("Difference"),
                                 baseline ? QStringLiteral("baseline_difference_bytes")
                                          : QStringLiteral("other_attention_difference_bytes"),
                                 true});
    }

    const auto addRow = [&](const QString& name, const QColor& chip, auto bytesOf, double parameters, bool ofTotal,
                            bool muted, bool moreIsGood = false) {
        std::vector<ValueCell>& row = table.rows.emplace_back();
        const Bytes bytes = bytesOf(current);
        row.push_back({name, std::nan(""), chip, muted});
        row.push_back({bytesText(bytes), bytes.value(), {}, muted});
        row.push_back({countText(bytes.value()), bytes.value(), {}, muted});
        const double share = ofTotal && current.total.value() > 0.0 ? bytes / current.total : std::nan("");
        row.push_back({std::isnan(share) ? QString() : shareText(share), share, {}, muted});
        row.push_back({parameters > 0.0 ? countText(parameters) : QString(),
                       parameters > 0.0 ? parameters : std::nan(""),
                       {},
                       muted});
        for (const MemoryStack& stack : stacks) {
            if (stack.role == StackRole::current) continue;
            const Bytes other = bytesOf(stack);
            // Against a baseline the change since then; against the other attention what it would add.
            const Bytes by = stack.role == StackRole::baseline ? bytes - other : other - bytes;
            row.push_back({bytesText(other), other.value(), {}, true});
            row.push_back({bytesDifference(by), by.value(),
                           by.value() == 0.0                  ? t.mutedText
                           : (by.value() > 0.0) == moreIsGood ? t.faster
                                                              : t.slower,
                           false});
        }
    };
    std::vector<MemoryPiece> pieces; // of all stacks: what only another has is a row too
    for (const MemoryUse use : {MemoryUse::weights, MemoryUse::kvCache, MemoryUse::recurrentState, MemoryUse::convState,
                                MemoryUse::activations})
        for (const MemoryStack& stack : stacks)
            for (const MemoryPiece& piece : stack.pieces)
                if (piece.use == use && std::none_of(pieces.begin(), pieces.end(), [&](const MemoryPiece& known) {
                        return known.name == piece.name;
                    }))
                    pieces.push_back(
                        {piece.name, use, piece.bytes, stack.role == StackRole::current ? piece.parameters : 0.0});
    double parameters = 0.0;
    for (const MemoryPiece& piece : pieces) {
        addRow(
            toQString(piece.name), t.memoryColor(piece.name),
            [&](const MemoryStack& stack) { return stack.bytesOf(piece.name); }, piece.parameters, true, false);
        parameters += piece.parameters;
    }
    addRow(
        tr("total"), {}, [](const MemoryStack& stack) { return stack.total; }, parameters, true, false);
    addRow(
        tr("free"), t.memoryColor("free"), [](const MemoryStack& stack) { return stack.free(); }, 0.0, false, false,
        true);
    addRow(
        tr("limit"), {}, [](const MemoryStack& stack) { return stack.limit; }, 0.0, false, true);
    for (const MemoryPiece& piece : current.notLoaded)
        addRow(
            tr("not loaded: %1").arg(toQString(piece.name)), {},
            [&](const MemoryStack& stack) {
                for (const MemoryPiece& absent : stack.notLoaded)
                    if (absent.name == piece.name) return absent.bytes;
                return Bytes{};
            },
            piece.parameters, false, true);
    table_->setTable(std::move(table));
}

QString MemoryView::tooltipOf(int index, int piece) const {
    const MemoryStack& stack = chart_->stacks()[static_cast<std::size_t>(index)];
    if (piece < 0)
        return tr("<b>free</b> (%1)<br>%2 of %3").arg(titleOf(stack), bytesText(stack.free()), bytesText(stack.limit));
    const MemoryPiece& hit = stack.pieces[static_cast<std::size_t>(piece)];
    QString text =
        QStringLiteral("<b>%1</b> (%2)<br>%3, %4<br>%5 B")
            .arg(toQString(hit.name), titleOf(stack), bytesText(hit.bytes),
                 shareText(stack.total.value() > 0.0 ? hit.bytes / stack.total : 0.0), countText(hit.bytes.value()));
    if (hit.parameters > 0.0) text += tr("<br>%1 parameters").arg(countText(hit.parameters));
    if (stack.role == StackRole::current && hit.use == MemoryUse::recurrentState)
        text += tr("<br>%n slot(s) per request", nullptr,
                   static_cast<int>(workbench_.simulation()->memory.ideal.stateSlots));
    if (stack.role == StackRole::current && hit.use == MemoryUse::activations)
        text += QStringLiteral("<br>") + peak_->text();
    return text;
}

void MemoryView::selectPeak() {
    const Simulation& simulation = *workbench_.simulation();
    if (simulation.step.segments.empty()) return;
    workbench_.select(OperatorRef{simulation.memory.ideal.peakSegment, simulation.memory.ideal.peakOperator});
}

void MemoryView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        restyled_ = true;
        gate_.mark();
    }
    QWidget::changeEvent(event);
}

} // namespace deltascope::ui
