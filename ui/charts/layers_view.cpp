// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/layers_view.h"

#include "base/format.h"
#include "charts/color_legend.h"
#include "charts/context_chart.h"
#include "charts/layers_chart.h"
#include "panels/look.h"
#include "panels/segmented_control.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace deltascope::ui {
namespace {

QString seconds(Seconds time) { return QString::fromStdString(formatSeconds(time)); }
QString difference(Seconds time) { return QString::fromStdString(formatSecondsDifference(time)); }

} // namespace

LayersView::LayersView(Workbench& workbench, QWidget* parent)
    : QWidget(parent), workbench_(workbench), chart_(new LayersChart), context_(new ContextChart),
      legend_(new ColorLegend), table_(new ValueTableView), gate_(*this, [this] { refresh(); }) {
    setObjectName("layersView");
    chart_->setAccessibleName(tr("Time of each layer"));
    table_->setAccessibleName(tr("Layers as a table"));
    table_->hide();
    context_->hide();

    auto* charts = new QSplitter(Qt::Horizontal);
    charts->addWidget(chart_);
    charts->addWidget(context_);
    charts->setStretchFactor(0, 5);
    charts->setStretchFactor(1, 4);
    charts->setChildrenCollapsible(false);
    charts->setSizes({3000, 2000});
    auto* upper = new QWidget;
    auto* upperLayout = new QVBoxLayout(upper);
    upperLayout->setContentsMargins(0, 0, 0, 0);
    upperLayout->setSpacing(0);
    upperLayout->addWidget(charts, 1);
    upperLayout->addWidget(legend_);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(upper);
    split->addWidget(table_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    split->setSizes({3000, 2000});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildBar());
    layout->addWidget(split, 1);
    setFocusProxy(chart_);

    chart_->setPrepare([this] { gate_.ensure(); });
    context_->setPrepare([this] { gate_.ensure(); });
    connect(chart_, &LayersChart::barClicked, this, &LayersView::selectBar);
    connect(chart_, &LayersChart::barHovered, this,
            [this](int bar, const QPoint& at) { chart_->showHover(at, bar >= 0 ? tooltipOf(bar) : QString()); });
    connect(chart_, &ChartPlot::keyMoved, this, &LayersView::moveBy);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (index.isValid() && table_->hasFocus()) selectBar(index.row());
    });
    connect(&workbench_, &Workbench::scenarioChanged, this, [this] { gate_.mark(); });
    connect(&workbench_, &Workbench::baselineChanged, this, [this] { gate_.mark(); });
    connect(&workbench_, &Workbench::selectionChanged, this, [this] {
        if (!gate_.pending()) showSelection();
    });
}

QWidget* LayersView::buildBar() {
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 6, 8, 6);
    kinds_ = new SegmentedControl({tr("Each layer"), tr("Kinds of layer")});
    kinds_->setCurrent(0);
    kinds_->setSegmentToolTip(0, tr("One bar per layer"));
    kinds_->setSegmentToolTip(1, tr("One bar per kind of layer, and its time against the context length"));
    kinds_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(kinds_, &SegmentedControl::chosen, this, [this](int index) { setGrouped(index == 1); });
    row->addWidget(kinds_);
    const auto addBox = [&](const QString& text, const QString& tip, bool on, void (LayersView::*slot)(bool)) {
        auto* box = new QCheckBox(text);
        box->setToolTip(tip);
        box->setChecked(on);
        connect(box, &QCheckBox::toggled, this, slot);
        row->addWidget(box);
        return box;
    };
    row->addSpacing(8);
    communicationBox_ =
        addBox(tr("Communication"), tr("Count collectives in the bars"), true, &LayersView::setCommunicationShown);
    tableBox_ = addBox(tr("Table"), tr("The same values as a table"), false, &LayersView::setTableShown);
    summary_ = new ElidedLabel;
    summary_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    summary_->setObjectName("layersSummary");
    summary_->setAccessibleName(tr("Layers in all"));
    row->addWidget(summary_, 1);
    return bar;
}

void LayersView::setGrouped(bool grouped) {
    if (choice_.grouped == grouped) return;
    choice_.grouped = grouped;
    kinds_->setCurrent(grouped ? 1 : 0);
    context_->setVisible(grouped);
    gate_.mark();
    gate_.ensure();
}

void LayersView::setCommunicationShown(bool shown) {
    if (choice_.communication == shown) return;
    choice_.communication = shown;
    communicationBox_->setChecked(shown);
    gate_.mark();
    gate_.ensure();
}

void LayersView::setTableShown(bool shown) {
    tableBox_->setChecked(shown);
    table_->setVisible(shown);
    gate_.mark();
    gate_.ensure();
}

void LayersView::refresh() {
    if (std::exchange(restyled_, false)) {
        chart_->restyle();
        context_->restyle();
    }
    const auto baseline = workbench_.baseline();
    chart_->setBars(layerBars(*workbench_.simulation(), baseline.get(), choice_), choice_.grouped, baseline != nullptr);
    const bool stale = workbench_.refusal().has_value();
    chart_->setDimmed(stale);
    context_->setDimmed(stale);
    if (choice_.grouped && !stale) refreshCurve();
    if (!table_->isHidden()) refreshTable();
    refreshLegend();
    summary_->setFullText(summary());
    chart_->setAccessibleDescription(summary());
    showSelection();
}

void LayersView::refreshCurve() {
    const Simulation& simulation = *workbench_.simulation();
    if (simulation.scenario.requests.empty()) return;
    // Moving along the curve does not change it.
    std::pair<Scenario, bool> made{atContext(workbench_.scenario(), 0), choice_.communication};
    if (curveOf_ != made) {
        context_->setCurve(contextCurve(workbench_.catalog(), workbench_.scenario(), choice_.communication));
        curveOf_ = std::move(made);
    }
    context_->setContext(static_cast<double>(simulation.scenario.requests.front().contextLength));
}

void LayersView::refreshTable() {
    const bool compared = workbench_.baseline() != nullptr;
    const std::vector<LayerBar>& bars = chart_->bars();
    std::array<bool, operatorClassCount> occurs{};
    for (const LayerBar& bar : bars)
        for (std::size_t c = 0; c < operatorClassCount; ++c) occurs[c] = occurs[c] || bar.byClass[c].value() > 0.0;

    ValueTable table;
    table.columns = {{choice_.grouped ? tr("Kind") : tr("Layer"), QStringLiteral("layer"), false}};
    if (choice_.grouped) table.columns.push_back({tr("All of them"), QStringLiteral("all_s"), true});
    table.columns.push_back({tr("One layer"), QStringLiteral("time_s"), true});
    if (compared) {
        table.columns.push_back({tr("Baseline"), QStringLiteral("baseline_s"), true});
        table.columns.push_back({tr("Difference"), QStringLiteral("difference_s"), true});
    }
    for (std::size_t c = 0; c < operatorClassCount; ++c)
        if (occurs[c]) {
            const QString name = toQString(operatorClassNames[c]);
            table.columns.push_back({name, name + QStringLiteral("_s"), true});
        }

    const Theme& t = theme();
    for (const LayerBar& bar : bars) {
        std::vector<ValueCell>& row = table.rows.emplace_back();
        const auto add = [&](Seconds time) { row.push_back({seconds(time), time.value(), {}, time.value() == 0.0}); };
        row.push_back(
            {nameOfBar(bar, choice_.grouped), std::numeric_limits<double>::quiet_NaN(), t.layerColor(bar.type), false});
        if (choice_.grouped) add(bar.time * static_cast<double>(bar.count));
        add(bar.time);
        if (compared) {
            const Seconds before = bar.baseline.value_or(Seconds{});
            if (bar.baseline)
                add(before);
            else
                row.push_back({QStringLiteral("–"), std::numeric_limits<double>::quiet_NaN(), {}, true});
            const Seconds by = bar.time - before;
            row.push_back({difference(by), by.value(),
                           by.value() > 0.0   ? t.slower
                           : by.value() < 0.0 ? t.faster
                                              : t.mutedText,
                           false});
        }
        for (std::size_t c = 0; c < operatorClassCount; ++c)
            if (occurs[c]) add(bar.byClass[c]);
    }
    table_->setTable(std::move(table));
}

void LayersView::refreshLegend() {
    const Theme& t = theme();
    std::array<bool, operatorClassCount> occurs{};
    for (const LayerBar& bar : chart_->bars())
        for (std::size_t c = 0; c < operatorClassCount; ++c) occurs[c] = occurs[c] || bar.byClass[c].value() > 0.0;
    std::vector<ColorLegend::Entry> entries;
    for (std::size_t c = 0; c < operatorClassCount; ++c)
        if (occurs[c])
            entries.push_back({toQString(operatorClassNames[c]), t.classColor(static_cast<OperatorClass>(c)),
                               Qt::SolidPattern, false});
    if (workbench_.baseline() != nullptr) entries.push_back({tr("baseline"), t.text, Qt::SolidPattern, true});
    legend_->setEntries(std::move(entries));
}

QString LayersView::summary() const {
    const Simulation& simulation = *workbench_.simulation();
    std::array<Seconds, 2> time{};
    std::array<std::int64_t, 2> count{};
    Seconds inLayers;
    for (const LayerSummary& layer : simulation.layers) {
        const Seconds busy = layer.kernelTime + layer.communication; // the bars hold no waiting
        const Seconds counted = choice_.communication ? busy : layer.kernelTime;
        time[static_cast<std::size_t>(layer.type)] += counted;
        ++count[static_cast<std::size_t>(layer.type)];
        inLayers += busy;
    }
    QStringList parts;
    if (count[0] > 0) parts << tr("%1 × linear  %2").arg(count[0]).arg(seconds(time[0]));
    if (count[1] > 0) parts << tr("%1 × full  %2").arg(count[1]).arg(seconds(time[1]));
    const Seconds wait = simulation.totals.hostWait;
    parts << tr("outside layers  %1").arg(seconds(simulation.totals.time - wait - inLayers));
    if (wait > Seconds{}) parts << tr("waits for the host  %1").arg(seconds(wait));
    return parts.join(QStringLiteral("   ·   "));
}

QString LayersView::tooltipOf(int bar) const {
    const LayerBar& values = chart_->bars()[static_cast<std::size_t>(bar)];
    const Theme& t = theme();
    QString text = QStringLiteral("<b>%1</b><table cellspacing='0' cellpadding='1'>")
                       .arg(values.count > 0 ? nameOfBar(values, choice_.grouped) : tr("only in the baseline"));
    const auto line = [&](const QString& name, const QString& value, const QColor& color) {
        text += QStringLiteral(
                    "<tr><td style='color:%3'>%1&nbsp;&nbsp;</td><td align='right' style='color:%3'>%2</td></tr>")
                    .arg(name, value, color.name());
    };
    line(choice_.grouped ? tr("one layer") : tr("time"), seconds(values.time), t.text);
    if (choice_.grouped && values.count > 1)
        line(tr("all %1").arg(values.count), seconds(values.time * static_cast<double>(values.count)), t.text);
    if (values.baseline) {
        line(tr("baseline"), seconds(*values.baseline), t.mutedText);
        const Seconds by = values.time - *values.baseline;
        line(tr("difference"), difference(by), by.value() > 0.0 ? t.slower : by.value() < 0.0 ? t.faster : t.mutedText);
    }
    for (std::size_t c = operatorClassCount; c-- > 0;)
        if (values.byClass[c].value() > 0.0) {
            const double share = values.time.value() > 0.0 ? values.byClass[c] / values.time : 0.0;
            line(QStringLiteral("<span style='color:%1'>■</span> %2")
                     .arg(t.classColor(static_cast<OperatorClass>(c)).name(), toQString(operatorClassNames[c])),
                 seconds(values.byClass[c]) + QStringLiteral("&nbsp;&nbsp;") +
                     QString::fromStdString(formatShare(share)),
                 t.text);
        }
    text += QStringLiteral("</table>");
    if (values.dominant)
        text += tr("longest: %1").arg(toQString(nameOf(workbench_.simulation()->op(*values.dominant).kind)));
    return text;
}

void LayersView::showSelection() {
    const auto selected = workbench_.selection();
    const Simulation& simulation = *workbench_.simulation();
    std::optional<int> bar;
    if (selected && simulation.segment(*selected).part == Part::text && simulation.segment(*selected).layer >= 0) {
        const Segment& segment = simulation.segment(*selected);
        const std::vector<LayerBar>& bars = chart_->bars();
        for (std::size_t i = 0; i < bars.size() && !bar; ++i) {
            if (bars[i].first < 0) continue;
            const auto& first = simulation.layers[static_cast<std::size_t>(bars[i].first)];
            const bool inside = choice_.grouped ? simulation.step.segments[first.segment].block == segment.block
                                                : bars[i].first == segment.layer;
            if (inside) bar = static_cast<int>(i);
        }
    }
    chart_->setSelected(bar);
    if (bar && !table_->isHidden() && !table_->hasFocus() && table_->currentIndex().row() != *bar)
        table_->selectRow(*bar);
}

void LayersView::selectBar(int bar) {
    const std::vector<LayerBar>& bars = chart_->bars();
    if (bar < 0 || bar >= static_cast<int>(bars.size())) return;
    if (const auto& dominant = bars[static_cast<std::size_t>(bar)].dominant) workbench_.select(dominant);
}

void LayersView::moveBy(int steps, bool toEnd) {
    const int last = static_cast<int>(chart_->bars().size()) - 1;
    if (last < 0) return;
    const int from = chart_->selected().value_or(steps > 0 ? -1 : last + 1);
    selectBar(toEnd ? (steps < 0 ? 0 : last) : std::clamp(from + steps, 0, last));
    if (const auto bar = chart_->selected())
        chart_->setAccessibleDescription(nameOfBar(chart_->bars()[static_cast<std::size_t>(*bar)], choice_.grouped) +
                                         QStringLiteral(": ") +
                                         seconds(chart_->bars()[static_cast<std::size_t>(*bar)].time));
}

void LayersView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        restyled_ = true;
        legend_->update();
        gate_.mark();
    }
    QWidget::changeEvent(event);
}

} // namespace deltascope::ui
