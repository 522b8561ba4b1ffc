// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/hover_card.h"

#include "base/format.h"

#include <QCoreApplication>
#include <QStringList>

namespace deltascope::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("deltascope::ui::HoverCard", text); }
QString utf8(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }
QString seconds(double time) { return QString::fromStdString(formatSeconds(Seconds(time))); }
QString bytes(Bytes amount) { return QString::fromStdString(formatBytes(amount)); }

QString timeAndShare(double time, double whole) {
    QString text = seconds(time);
    if (whole > 0.0) text += tr(" · %1 of the step").arg(QString::fromStdString(formatShare(time / whole)));
    return text;
}

void addBaseline(CardFacts& facts, const TimelineModel& model, double here, std::optional<double> there) {
    if (model.baseline() == nullptr) return;
    if (!there) {
        facts.rows.push_back({tr("baseline A"), tr("not there")});
        return;
    }
    const QString difference = QString::fromStdString(formatSecondsDifference(Seconds(here - *there)));
    facts.rows.push_back({tr("baseline A"), seconds(*there) + tr(" · Δ %1").arg(difference)});
}

QString placeOf(const Simulation& simulation, OperatorRef ref) {
    const Segment& segment = simulation.segment(ref);
    QStringList parts;
    if (segment.layer < 0)
        parts << utf8(nameOf(segment.part));
    else if (segment.part == Part::text)
        parts << tr("layer %1").arg(segment.layer)
              << (segment.layerType == LayerType::linearAttention ? tr("linear attention") : tr("full attention"));
    else
        parts << utf8(nameOf(segment.part)) + QLatin1Char(' ') + QString::number(segment.layer);
    parts << utf8(simulation.op(ref).module);
    return parts.join(QStringLiteral(" · "));
}

/// "matrix 388.0 µs · memory 577.4 µs", the parts that a total is made of, two to a line.
QStringList partsOf(const OperatorCost& cost) {
    QStringList parts;
    const auto add = [&](const QString& name, Seconds time) {
        if (time.value() > 0.0) parts << name + QLatin1Char(' ') + seconds(time.value());
    };
    add(tr("matrix"), cost.matrix);
    add(tr("vector"), cost.vector);
    add(tr("memory"), cost.memory);
    add(tr("link"), cost.communication);
    add(tr("launch"), cost.launch);
    QStringList lines;
    for (qsizetype i = 0; i < parts.size(); i += 2) lines << parts.mid(i, 2).join(QStringLiteral(" · "));
    return lines;
}

QStringList trafficOf(const Work& work) {
    QStringList lines;
    if (work.ranks > 1) lines << tr("%1 among %2 ranks").arg(bytes(work.communicated)).arg(work.ranks);
    if (work.moved().value() > 0.0) lines << tr("%1 moved").arg(bytes(work.moved()));
    if (work.scratch.value() > 0.0) lines << tr("%1 of it scratch").arg(bytes(work.scratch));
    return lines;
}

/// One row per line, the name before the first.
void addLines(CardFacts& facts, const QString& name, const QStringList& lines) {
    for (const QString& line : lines) facts.rows.push_back({line == lines.front() ? name : QString(), line});
}

QString provenanceOf(const OperatorCost& cost) {
    if (cost.provenance == Provenance::roofline) return tr("roofline, not calibrated on this device");
    const QString name = utf8(nameOf(cost.provenance));
    return cost.extrapolated ? tr("%1, beyond the sizes that were measured").arg(name) : name;
}

void addOperator(CardFacts& facts, const TimelineModel& model, const Simulation& simulation, OperatorRef ref) {
    const OperatorCost& cost = simulation.cost(ref);
    facts.title = utf8(nameOf(simulation.op(ref).kind));
    facts.subtitle = placeOf(simulation, ref);
    facts.rows.push_back({tr("time"), timeAndShare(cost.total.value(), simulation.totals.time.value()), true});
    facts.rows.push_back({tr("starts at"), seconds(simulation.start(ref).value())});
    if (const Seconds wait = simulation.waitBefore(ref); wait > Seconds{})
        facts.rows.push_back({tr("waits"), tr("%1 for its launch").arg(seconds(wait.value()))});
    facts.rows.push_back({tr("bound"), utf8(nameOf(cost.bound))});
    addLines(facts, tr("made of"), partsOf(cost));
    addLines(facts, tr("traffic"), trafficOf(cost.work));
    if (cost.work.extraLaunches > 0)
        facts.rows.push_back({tr("launches"), tr("%1 extra").arg(cost.work.extraLaunches)});
    facts.rows.push_back({tr("alive"), tr("%1 of activations").arg(bytes(simulation.live(ref)))});
    if (const auto index = model.data().indexOf(packRef(ref)))
        addBaseline(facts, model, cost.total.value(), model.baselineTime(*index));
    if (cost.high > Seconds(0.0))
        facts.rows.push_back({tr("likely"), tr("%1 to %2").arg(seconds(cost.low.value()), seconds(cost.high.value()))});
    facts.note = provenanceOf(cost);
}

void addWait(CardFacts& facts, const Simulation& simulation, const TimelineSpan& span) {
    const OperatorRef ref = unpackRef(span.id);
    facts.title = tr("waits for the host");
    facts.subtitle = tr("before %1, %2").arg(utf8(nameOf(simulation.op(ref).kind)), placeOf(simulation, ref));
    facts.rows.push_back({tr("time"), timeAndShare(span.duration, simulation.totals.time.value()), true});
    facts.rows.push_back({tr("launch"), tr("%1 per kernel").arg(seconds(simulation.host->dispatch.value()))});
    facts.rows.push_back({tr("host"), utf8(nameOf(simulation.host->mode))});
    facts.rows.push_back(
        {tr("in the step"), timeAndShare(simulation.totals.hostWait.value(), simulation.totals.time.value())});
}

void addLayer(CardFacts& facts, const TimelineModel& model, const Simulation& simulation, const TimelineSpan& span) {
    const Segment& segment = simulation.segment(unpackRef(span.id));
    facts.rows.push_back({tr("time"), timeAndShare(span.duration, simulation.totals.time.value()), true});
    const auto layer = static_cast<std::size_t>(segment.layer);
    if (segment.layer < 0 || segment.part != Part::text || layer >= simulation.layers.size()) return;
    const LayerSummary& summary = simulation.layers[layer];
    facts.rows.push_back({tr("kernels"), seconds(summary.kernelTime.value())});
    if (summary.hostWait.value() > 0.0)
        facts.rows.push_back({tr("host"), tr("waits %1").arg(seconds(summary.hostWait.value()))});
    if (summary.communication.value() > 0.0) facts.rows.push_back({tr("link"), seconds(summary.communication.value())});
    if (const auto baseline = model.workbench().baseline())
        addBaseline(facts, model, span.duration,
                    layer < baseline->layers.size() ? std::optional(baseline->layers[layer].time.value())
                                                    : std::nullopt);
}

} // namespace

QString CardFacts::text() const {
    QStringList lines{title};
    if (!subtitle.isEmpty()) lines << subtitle;
    for (const Row& row : rows) lines << (row.name.isEmpty() ? row.value : row.name + QStringLiteral(": ") + row.value);
    if (!note.isEmpty()) lines << note;
    return lines.join(QLatin1Char('\n'));
}

CardFacts factsUnderPointer(const TimelineModel& model) {
    CardFacts facts;
    const TimelineModel::Hover& hover = model.hover();
    if (!hover.span) return facts;
    const TimelineLane& lane = laneOf(hover.kind, model.data(), model.baseline());
    if (*hover.span >= lane.size()) return facts;
    const TimelineSpan& span = lane.spans()[*hover.span];
    const Simulation* simulation = model.shown();

    if (hover.kind == StripKind::ghost) {
        const Simulation& baseline = *model.workbench().baseline();
        const OperatorRef ref = unpackRef(span.id);
        facts.title = tr("A: %1").arg(utf8(nameOf(baseline.op(ref).kind)));
        facts.subtitle = placeOf(baseline, ref);
        facts.rows.push_back({tr("in A"), timeAndShare(span.duration, baseline.totals.time.value()), true});
        const auto own = model.ownOf(*hover.span);
        if (own) {
            const double here = model.data().operators.spans()[*own].duration;
            facts.rows.push_back(
                {tr("here"), seconds(here) + tr(" · Δ %1").arg(QString::fromStdString(
                                                 formatSecondsDifference(Seconds(here - span.duration))))});
        } else {
            facts.rows.push_back({tr("here"), tr("not there")});
        }
        facts.rows.push_back({tr("bound"), utf8(nameOf(span.bound))});
    } else if (simulation != nullptr && hover.kind == StripKind::host) {
        addWait(facts, *simulation, span);
    } else if (simulation != nullptr && (hover.kind == StripKind::compute || hover.kind == StripKind::link)) {
        addOperator(facts, model, *simulation, unpackRef(span.id));
    } else {
        facts.title = model.data().labels[span.label].full;
        if (simulation != nullptr && hover.kind == StripKind::layer) {
            addLayer(facts, model, *simulation, span);
            if (simulation->segment(unpackRef(span.id)).layer >= 0) facts.title = tr("layer %1").arg(facts.title);
        } else {
            facts.rows.push_back({tr("time"), timeAndShare(span.duration, model.data().duration), true});
        }
        if (hover.kind == StripKind::module && simulation != nullptr) {
            const Segment& segment = simulation->segment(unpackRef(span.id));
            facts.subtitle = segment.layer >= 0 ? tr("module of layer %1").arg(segment.layer)
                                                : tr("module of %1").arg(utf8(nameOf(segment.part)));
        }
        if (hover.kind == StripKind::part) facts.subtitle = tr("part of the step");
    }
    if (hover.count > 1) facts.note = tr("%1 share this pixel, the longest is shown: zoom in").arg(hover.count);
    return facts;
}

} // namespace deltascope::ui
