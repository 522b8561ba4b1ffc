// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/memory_view.h"

#include "base/format.h"
#include "charts/color_legend.h"
#include "charts/frontier_chart.h"
#include "charts/growth_chart.h"
#include "charts/memory_chart.h"
#include "charts/memory_tables.h"
#include "charts/remedy_bar.h"
#include "panels/segmented_control.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace deltascope::ui {
namespace {

QString bytesText(Bytes bytes) { return QString::fromStdString(formatBytes(bytes)); }

QWidget* withLegend(QWidget* chart, ColorLegend* legend) {
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(chart, 1);
    layout->addWidget(legend);
    return page;
}

} // namespace

MemoryView::MemoryView(Workbench& workbench, QWidget* parent)
    : QWidget(parent), workbench_(workbench), stack_(new QStackedWidget), remedies_(new RemedyBar),
      chart_(new MemoryChart), byContext_(new GrowthChart(GrowthChart::Against::context)),
      byRequests_(new GrowthChart(GrowthChart::Against::requests)), stacksLegend_(new ColorLegend),
      growthLegend_(new ColorLegend), frontier_(new FrontierChart), table_(new ValueTableView),
      gate_(*this, [this] { refresh(); }) {
    setObjectName("memoryView");
    chart_->setAccessibleName(tr("Memory of one rank"));
    byContext_->setAccessibleName(tr("Memory of one rank against the context"));
    byRequests_->setAccessibleName(tr("Memory of one rank against the number of requests"));
    frontier_->setAccessibleName(tr("The most requests that fit, by context"));
    table_->setAccessibleName(tr("Memory of one rank as a table"));
    table_->hide();
    stack_->addWidget(withLegend(chart_, stacksLegend_));
    stack_->addWidget(buildGrowth());
    stack_->addWidget(frontier_);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(stack_);
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
    layout->addWidget(buildVerdict());
    layout->addWidget(remedies_);
    layout->addWidget(buildBar());
    layout->addWidget(split, 1);
    layout->addWidget(notLoaded_);
    setFocusProxy(pages_);
    connectCharts();
    connect(&workbench_, &Workbench::scenarioChanged, this, [this] { gate_.mark(); });
    connect(&workbench_, &Workbench::baselineChanged, this, [this] { gate_.mark(); });
    connect(&workbench_, &Workbench::catalogChanged, this, [this] {
        outlook_.forget();
        gate_.mark();
    });
}

void MemoryView::connectCharts() {
    for (ChartPlot* chart : std::initializer_list<ChartPlot*>{chart_, byContext_, byRequests_, frontier_})
        chart->setPrepare([this] { gate_.ensure(); });
    connect(chart_, &MemoryChart::pieceHovered, this, [this](int stack, int piece, const QPoint& at) {
        chart_->showHover(at, stack >= 0 ? tooltipOf(stack, piece) : QString());
    });
    connect(chart_, &MemoryChart::pieceClicked, this, [this](int stack, int piece) {
        const MemoryStack& hit = chart_->stacks()[static_cast<std::size_t>(stack)];
        if (hit.role == StackRole::current && piece >= 0 &&
            hit.pieces[static_cast<std::size_t>(piece)].use == MemoryUse::activations)
            selectPeak();
    });
    for (GrowthChart* chart : {byContext_, byRequests_})
        connect(chart, &GrowthChart::pointHovered, this, [this, chart](int point, const QPoint& at) {
            chart->showHover(at, point >= 0 ? tooltipOfGrowth(chart == byContext_, point) : QString());
        });
    connect(frontier_, &FrontierChart::pointHovered, this, [this](int point, const QPoint& at) {
        frontier_->showHover(at, point >= 0 ? tooltipOfFrontier(point) : QString());
    });
    connect(frontier_, &FrontierChart::pointClicked, this, &MemoryView::choosePoint);
    connect(table_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
        if (page() == frontier) choosePoint(index.row());
    });
    connect(remedies_, &RemedyBar::chosen, this,
            [this](const Scenario& scenario, const QString& text) { workbench_.edit(scenario, text); });
}

QWidget* MemoryView::buildVerdict() {
    verdict_ = new QLabel;
    verdict_->setObjectName("memoryVerdict");
    QFont bold = font();
    bold.setBold(true);
    verdict_->setFont(bold);
    verdict_->setWordWrap(true);
    verdict_->setContentsMargins(8, 6, 8, 0);
    return verdict_;
}

QWidget* MemoryView::buildBar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 2, 8, 6);
    pages_ = new SegmentedControl({tr("In use"), tr("Growth"), tr("What fits")});
    pages_->setCurrent(0);
    pages_->setSegmentToolTip(0, tr("What is needed, what the engine sets aside and what the device has"));
    pages_->setSegmentToolTip(1, tr("Bytes against the context and against the number of requests"));
    pages_->setSegmentToolTip(2, tr("The most requests that fit, by context; a click sets the scenario"));
    pages_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(pages_, &SegmentedControl::chosen, this, [this](int index) { showPage(static_cast<Page>(index)); });
    row->addWidget(pages_);
    row->addStretch(1);
    peak_ = new QPushButton;
    peak_->setObjectName("memoryPeak");
    peak_->setFlat(true);
    peak_->setCursor(Qt::PointingHandCursor);
    peak_->setToolTip(tr("Select the operator at which activations take the most"));
    connect(peak_, &QPushButton::clicked, this, &MemoryView::selectPeak);
    row->addWidget(peak_);
    zoomBox_ = new QCheckBox(tr("Zoom"));
    zoomBox_->setToolTip(tr("End the axis at the highest stack instead of the limit"));
    connect(zoomBox_, &QCheckBox::toggled, this, &MemoryView::setZoomed);
    row->addWidget(zoomBox_);
    tableBox_ = new QCheckBox(tr("Table"));
    tableBox_->setToolTip(tr("The same values as a table"));
    connect(tableBox_, &QCheckBox::toggled, this, &MemoryView::setTableShown);
    row->addWidget(tableBox_);
    return bar;
}

QWidget* MemoryView::buildGrowth() {
    auto* charts = new QSplitter(Qt::Horizontal);
    charts->addWidget(byContext_);
    charts->addWidget(byRequests_);
    charts->setChildrenCollapsible(false);
    return withLegend(charts, growthLegend_);
}

MemoryView::Page MemoryView::page() const { return static_cast<Page>(stack_->currentIndex()); }

void MemoryView::showPage(Page page) {
    pages_->setCurrent(page);
    stack_->setCurrentIndex(page);
    zoomBox_->setVisible(page == stacks);
    gate_.mark();
    gate_.ensure();
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
    if (std::exchange(restyled_, false)) {
        chart_->restyle();
        byContext_->restyle();
        byRequests_->restyle();
        frontier_->restyle();
    }
    const bool refused = workbench_.refusal().has_value();
    for (ChartPlot* chart : std::initializer_list<ChartPlot*>{chart_, byContext_, byRequests_, frontier_})
        chart->setDimmed(refused);
    remedies_->setEnabled(!refused);
    if (!refused) {
        if (Result<Remedies> found = remediesFor(workbench_.catalog(), workbench_.scenario()))
            remedies_->setRemedies(*std::move(found));
        if (page() != stacks) outlook_.update(workbench_.catalog(), workbench_.scenario());
        if (page() == growth) refreshGrowth();
        if (page() == frontier) refreshFrontier();
    }
    refreshStacks();
    refreshWords();
    if (!table_->isHidden()) refreshTable();
}

void MemoryView::refreshStacks() {
    const Simulation& simulation = *workbench_.simulation();
    std::vector<MemoryStack> shown{memoryStack(simulation, StackRole::current)};
    if (auto engine = engineStack(simulation)) shown.push_back(*std::move(engine));
    shown.push_back(deviceStack(simulation));
    if (const auto baseline = workbench_.baseline()) shown.push_back(memoryStack(*baseline, StackRole::baseline));
    if (auto other = counterpartStack(workbench_.catalog(), simulation)) shown.push_back(*std::move(other));
    chart_->setStacks(std::move(shown));
    std::vector<ColorLegend::Entry> entries;
    if (!chart_->namesPieces())
        for (const std::string& name : chart_->pieceNames())
            entries.push_back({toQString(name), theme().memoryColor(name)});
    stacksLegend_->setVisible(!entries.empty());
    stacksLegend_->setEntries(std::move(entries));
}

QString MemoryView::otherName() const {
    if (!outlook_.hasCounterpart()) return {};
    return workbench_.scenario().allFull ? tr("hybrid") : tr("all full attention");
}

void MemoryView::refreshGrowth() {
    const Simulation& simulation = *workbench_.simulation();
    const Bytes limit = simulation.memory.limit;
    const bool engine = simulation.memory.engine.has_value();
    byContext_->setGrowth(outlook_.byContext(), limit, static_cast<double>(outlook_.context()),
                          outlook_.requests() == 1
                              ? tr("context of the request, tokens")
                              : tr("context of each of %1 requests").arg(countText(outlook_.requests())));
    byRequests_->setGrowth(outlook_.byRequests(), limit, static_cast<double>(outlook_.requests()),
                           tr("requests on %1 tokens each").arg(countText(outlook_.context())));
    std::vector<ColorLegend::Entry> entries;
    const QString own = workbench_.scenario().allFull ? tr("all full attention")
                        : outlook_.hasCounterpart()   ? tr("hybrid")
                                                      : QString();
    const auto add = [&](const QString& name, GrowthChart::Line needed, GrowthChart::Line setAside) {
        const QString before = name.isEmpty() ? QString() : name + QStringLiteral(": ");
        if (engine) entries.push_back({before + tr("set aside by the engine"), GrowthChart::colorOf(setAside)});
        entries.push_back({before + tr("needed"), GrowthChart::colorOf(needed), Qt::Dense4Pattern});
    };
    if (outlook_.varies()) add(own, GrowthChart::needed, GrowthChart::engine);
    if (outlook_.hasCounterpart()) add(otherName(), GrowthChart::neededOther, GrowthChart::engineOther);
    growthLegend_->setEntries(std::move(entries));
}

void MemoryView::refreshFrontier() {
    frontier_->setReason(outlook_.varies() ? QString()
                                           : tr("The scenario lists requests of different lengths: there is no one "
                                                "context and no one number that could grow."));
    frontier_->setFrontier(outlook_.frontier(),
                           workbench_.scenario().allFull ? tr("all full attention")
                           : outlook_.hasCounterpart()   ? tr("hybrid")
                                                         : QString(),
                           otherName());
    frontier_->setPresent({static_cast<double>(outlook_.context()), static_cast<double>(outlook_.requests()),
                           workbench_.simulation()->memory.free() >= Bytes{}});
}

void MemoryView::refreshWords() {
    const Theme& t = theme();
    const Simulation& simulation = *workbench_.simulation();
    verdict_->setText(verdict());
    verdict_->setToolTip(simulation.memory.engine
                             ? tr("Judged by what the engine sets aside on each rank")
                             : tr("Judged by what is needed on each rank: what this engine sets aside beyond that is "
                                  "not modelled"));
    chart_->setAccessibleDescription(verdict());
    const bool fits = verdictOf(simulation.memory).fit == Fit::fits;
    const QColor color = fits ? t.text : t.warning;
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
    for (const MemoryPiece& piece : chart_->stacks().front().notLoaded)
        absent << QStringLiteral("%1 %2").arg(toQString(piece.name), bytesText(piece.bytes));
    notLoaded_->setVisible(!absent.isEmpty() && page() == stacks && table_->isHidden()); // the table lists them
    notLoaded_->setText(tr("Not loaded by this scenario: %1").arg(absent.join(QStringLiteral(", "))));
}

void MemoryView::refreshTable() {
    if (page() == stacks)
        table_->setTable(stacksTable(chart_->stacks()));
    else if (page() == growth)
        table_->setTable(growthTable(byContext_->points(), byRequests_->points(), otherName()));
    else
        table_->setTable(frontierTable(outlook_.frontier(), otherName()));
}

void MemoryView::choosePoint(int index) {
    const std::vector<RequestsAt>& points = frontier_->points();
    if (index < 0 || index >= static_cast<int>(points.size()) || workbench_.refusal()) return;
    const RequestsAt& point = points[static_cast<std::size_t>(index)];
    if (point.requests < 1) return;
    Scenario next = workbench_.scenario();
    next.queries = point.requests;
    next.contextLength = point.context;
    workbench_.edit(next, tr("%1 requests on %2 tokens").arg(countText(point.requests), countText(point.context)));
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
