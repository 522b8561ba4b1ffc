// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/details_text.h"

#include "base/format.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <functional>

namespace deltascope::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Details", text); }

void addCaption(SheetRows& rows, const QString& text) {
    rows.push_back({SheetRow::Kind::caption, text.toUpper(), {}, {}, {}, 0});
}
void addSentence(SheetRows& rows, const QString& text) {
    rows.push_back({SheetRow::Kind::sentence, text, {}, {}, {}, 0});
}
SheetRow& addFact(SheetRows& rows, const QString& label, const QString& value, int indent = 0) {
    rows.push_back({SheetRow::Kind::fact, label, value, {}, {}, indent});
    return rows.back();
}

/// A difference of times, in the colour of what it means.
void addDifference(SheetRows& rows, const QString& label, Seconds a, Seconds b) {
    if (a == b) {
        addFact(rows, label, tr("none")).color = theme().mutedText;
        return;
    }
    const QString percent = percentDifference(a.value(), b.value());
    QString text = toQString(formatSecondsDifference(b - a));
    if (!percent.isEmpty()) text += QStringLiteral(" (%1)").arg(percent);
    addFact(rows, label, text).color = b < a ? theme().faster : theme().slower;
}

void addLines(SheetRows& rows, const std::vector<ExplanationLine>& lines) {
    for (const ExplanationLine& line : lines) {
        addFact(rows, toQString(line.label), toQString(line.result));
        QStringList how;
        if (!line.formula.empty()) how << toQString(line.formula);
        if (!line.substituted.empty() && line.substituted != line.formula) how << toQString(line.substituted);
        if (!how.isEmpty()) rows.push_back({SheetRow::Kind::formula, how.join(QStringLiteral(" = ")), {}, {}, {}, 0});
    }
}

template <class Values, class Text>
QString listed(const Values& values, Text text) {
    constexpr std::size_t most = 3;
    const bool alike = std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
    if (values.size() > 1 && alike) return tr("%1, all %2").arg(text(values[0])).arg(values.size());
    QStringList words;
    for (std::size_t i = 0; i < values.size() && i < most; ++i) words << text(values[i]);
    if (values.size() > most) words << tr("… %1 in all").arg(values.size());
    return words.join(QStringLiteral(", "));
}

/// Uses of the operator's block: an operator of a linear layer of 27B runs 48 times.
std::int64_t usesOf(const Simulation& simulation, OperatorRef ref) {
    const std::uint32_t block = simulation.segment(ref).block;
    return std::count_if(simulation.step.segments.begin(), simulation.step.segments.end(),
                         [&](const Segment& segment) { return segment.block == block; });
}

void addBaseline(SheetRows& rows, const Workbench& workbench, OperatorRef ref) {
    const auto baseline = workbench.baseline();
    if (baseline == nullptr) return;
    const auto found = baseline->find(workbench.simulation()->id(ref));
    if (!found) {
        addFact(rows, tr("baseline A"), tr("does not run")).color = theme().mutedText;
        return;
    }
    const Seconds before = baseline->cost(*found).total;
    addFact(rows, tr("baseline A"), toQString(formatSeconds(before)));
    addDifference(rows, tr("difference"), before, workbench.simulation()->cost(ref).total);
}

QString stepInWords(const Simulation& simulation) {
    const ResolvedScenario& r = simulation.scenario;
    const bool decode = r.scenario.phase == Phase::decode;
    const auto counted = [](std::int64_t n, const QString& one, const QString& many) {
        return QStringLiteral("%1 %2").arg(countText(n), n == 1 ? one : many);
    };
    QString text =
        tr("One %1 step of %2: %3")
            .arg(decode ? tr("decode") : tr("prefill"), counted(r.requestCount, tr("request"), tr("requests")),
                 counted(r.tokens, tr("new token"), tr("new tokens")));
    std::int64_t cached = 0;
    for (const Request& request : r.requests) cached += request.count * request.contextLength;
    if (cached > 0) text += tr(" on %1 in the caches").arg(countText(cached));
    text += QLatin1Char('.');
    switch (simulation.step.rule) {
    case Rule::recurrent:
        if (r.engine->tokenByToken)
            return text + tr(" Linear attention goes token by token, in prefill too: this engine has no chunk rule.");
        return text + tr(" The recurrent rule and the convolution update run: there is previous state, and every "
                         "request is a decode request of 1 or 1 + MTP tokens.");
    case Rule::chunk:
        return text + (simulation.step.metadata.hasPreviousState
                           ? tr(" The chunk rule and the convolution body run and read the previous state: not every "
                                "request is a decode request of 1 or 1 + MTP tokens.")
                           : tr(" The chunk rule and the convolution body run: there is no previous state."));
    case Rule::mixed: return text + tr(" Prefill requests take the chunk rule, decode requests the recurrent one.");
    case Rule::none: return text + tr(" No layer has linear attention.");
    }
    return text;
}

void addStepFacts(SheetRows& rows, const Simulation& simulation) {
    std::int64_t linear = 0;
    for (const LayerSummary& layer : simulation.layers) linear += layer.type == LayerType::linearAttention;
    const std::int64_t full = static_cast<std::int64_t>(simulation.layers.size()) - linear;
    addFact(rows, tr("time"), toQString(formatSeconds(simulation.totals.time)));
    for (const PartSummary& part : simulation.parts)
        addFact(rows, toQString(nameOf(part.part)), toQString(formatSeconds(part.time)), 1);
    addFact(rows, tr("layers"), tr("%1 linear, %2 full").arg(linear).arg(full));
    addFact(rows, tr("operators"), countText(simulation.totals.operators));
    if (simulation.host) {
        addFact(rows, tr("host"), toQString(nameOf(simulation.host->mode)));
        for (const HostOutcome& outcome : simulation.host->modes)
            addFact(rows, toQString(nameOf(outcome.mode)), toQString(formatSeconds(outcome.time)), 1);
    }
    addFact(rows, tr("devices"), countText(simulation.totals.devices));
}

void addComparison(SheetRows& rows, const Workbench& workbench) {
    const auto baseline = workbench.baseline();
    if (baseline == nullptr) return;
    const Simulation& now = *workbench.simulation();
    addCaption(rows, tr("Against baseline A"));
    const QStringList changed = differences(baseline->scenario.scenario, now.scenario.scenario);
    addSentence(rows, changed.isEmpty() ? tr("The same scenario") : changed.join(QLatin1Char('\n')));
    addDifference(rows, tr("step time"), baseline->totals.time, now.totals.time);
    for (const WaterfallStep& step : workbench.comparison().waterfall) {
        if (step.time == Seconds(0.0)) continue;
        SheetRow& row = addFact(rows, toQString(step.cause), toQString(formatSecondsDifference(step.time)), 1);
        row.color = step.time < Seconds(0.0) ? theme().faster : theme().slower;
    }
}

void addLongestKinds(SheetRows& rows, const Simulation& simulation) {
    constexpr std::size_t most = 6;
    addCaption(rows, tr("Longest kinds"));
    for (std::size_t i = 0; i < simulation.byKind.size() && i < most; ++i) {
        const KindSummary& kind = simulation.byKind[i];
        SheetRow& row = addFact(rows, QStringLiteral("%1 ×%2").arg(toQString(nameOf(kind.kind)), countText(kind.calls)),
                                toQString(formatShare(kind.time / simulation.totals.time)));
        row.swatch = theme().classColor(classOf(kind.kind));
    }
}

void addMetadata(SheetRows& rows, const Simulation& simulation) {
    const StepMetadata& m = simulation.step.metadata;
    const auto number = [](std::int64_t n) { return countText(n); };
    const auto yesNo = [](bool on) { return on ? tr("yes") : tr("no"); };
    addCaption(rows, tr("Step metadata"));
    addFact(rows, tr("query lengths"), listed(m.queryLengths, number));
    addFact(rows, tr("is decode"), listed(m.isDecode, yesNo));
    addFact(rows, tr("previous state"), yesNo(m.hasPreviousState));
    addFact(rows, tr("positions start at"), listed(m.positionStarts, number));
    addFact(rows, tr("base decode query length"), number(m.baseDecodeQueryLength));
    addFact(rows, tr("MTP tokens"), number(m.mtpTokens));
    addFact(rows, tr("effective decode steps"), number(m.effectiveDecodeSteps));
    addFact(rows, tr("tokens gained per request"), QString::number(simulation.scenario.tokensPerStep, 'g', 4));
}

} // namespace

SheetRows operatorRows(const Workbench& workbench, OperatorRef ref, const Explanation& explanation) {
    const Simulation& s = *workbench.simulation();
    const OperatorCost& cost = s.cost(ref);
    const double step = s.totals.time.value();
    const auto share = [&](Seconds time) { return toQString(formatShare(step > 0.0 ? time.value() / step : 0.0)); };
    SheetRows rows;
    addFact(rows, tr("time"), toQString(formatSeconds(cost.total)));
    addFact(rows, tr("share of step"), share(cost.total));
    if (const std::int64_t uses = usesOf(s, ref); uses > 1) {
        const Seconds all = cost.total * static_cast<double>(uses);
        addFact(rows, tr("in all %1 such layers").arg(uses),
                QStringLiteral("%1 · %2").arg(toQString(formatSeconds(all)), share(all)));
    }
    addFact(rows, tr("starts at"), toQString(formatSeconds(s.start(ref))));
    addBaseline(rows, workbench, ref);
    addCaption(rows, tr("What it is"));
    addSentence(rows, toQString(explanation.what));
    addCaption(rows, tr("How the time comes about"));
    addLines(rows, explanation.time);
    addCaption(rows, tr("Work"));
    addLines(rows, explanation.work);
    return rows;
}

SheetRows operandRows(const Explanation& explanation) {
    SheetRows rows;
    if (!explanation.shapes.empty()) addCaption(rows, tr("Shapes, per device"));
    for (const std::string& shape : explanation.shapes)
        rows.push_back({SheetRow::Kind::formula, toQString(shape), {}, {}, {}, 0});
    if (!explanation.values.empty()) addCaption(rows, tr("With"));
    addLines(rows, explanation.values);
    return rows;
}

SheetRows stepRows(const Workbench& workbench) {
    const Simulation& simulation = *workbench.simulation();
    SheetRows rows;
    addStepFacts(rows, simulation);
    addCaption(rows, tr("What runs"));
    addSentence(rows, stepInWords(simulation));
    addComparison(rows, workbench);
    addLongestKinds(rows, simulation);
    addMetadata(rows, simulation);
    if (!simulation.notes.empty()) addCaption(rows, tr("Notes"));
    for (const std::string& note : simulation.notes) addSentence(rows, QStringLiteral("• ") + toQString(note));
    return rows;
}

} // namespace deltascope::ui
