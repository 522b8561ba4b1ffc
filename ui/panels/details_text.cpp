// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/details_text.h"

#include "base/format.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QCoreApplication>
#include <QFontInfo>

#include <algorithm>

namespace deltascope::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Details", text); }

QString colored(const QString& text, const QColor& color) {
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(color.name(), text);
}
QString quiet(const QString& text) { return colored(text, theme().mutedText); }

QString mono(const QString& text) {
    static const QString family = QFontInfo(figureFont()).family();
    return QStringLiteral("<span style=\"font-family:'%1'\">%2</span>").arg(family, text);
}

/// Lets a long formula break where a reader would break it.
QString breakable(const QString& formula) {
    QString text = formula.toHtmlEscaped();
    for (const QChar c : {QLatin1Char('*'), QLatin1Char('+'), QLatin1Char('/'), QLatin1Char(',')})
        text.replace(c, QString(c) + QChar(0x200B));
    return text;
}

QString differenceText(Seconds a, Seconds b) {
    if (a == b) return quiet(tr("no difference"));
    const QString percent = percentDifference(a.value(), b.value());
    QString text = toQString(formatSecondsDifference(b - a));
    if (!percent.isEmpty()) text += QStringLiteral(" (%1)").arg(percent);
    return colored(text, b < a ? theme().faster : theme().slower);
}

template <class Values, class Text>
QString listed(const Values& values, Text text) {
    constexpr std::size_t most = 6;
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

std::optional<Seconds> baselineTimeOf(const Workbench& workbench, OperatorRef ref) {
    const auto baseline = workbench.baseline();
    const auto found = baseline->find(workbench.simulation()->id(ref));
    if (!found) return std::nullopt;
    return baseline->cost(*found).total;
}

} // namespace

QString factTable(const std::vector<Fact>& facts) {
    if (facts.empty()) return {};
    QString html = QStringLiteral("<table width='100%' cellspacing='0' cellpadding='1'>");
    for (const Fact& fact : facts) {
        html += QStringLiteral("<tr><td>%1</td><td align='right' style='white-space:nowrap'><b>%2</b></td></tr>")
                    .arg(quiet(fact.label), fact.value);
        if (!fact.beneath.isEmpty())
            html += QStringLiteral("<tr><td colspan='2'>%1</td></tr>").arg(quiet(fact.beneath));
    }
    return html + QStringLiteral("</table>");
}

std::vector<Fact> operatorFacts(const Workbench& workbench, OperatorRef ref) {
    const Simulation& s = *workbench.simulation();
    const OperatorCost& cost = s.cost(ref);
    const double step = s.totals.time.value();
    const auto share = [&](Seconds time) { return toQString(formatShare(step > 0.0 ? time.value() / step : 0.0)); };
    std::vector<Fact> facts{{tr("time"), toQString(formatSeconds(cost.total)), {}},
                            {tr("share of step"), share(cost.total), {}}};
    const std::int64_t uses = usesOf(s, ref);
    if (uses > 1) {
        const Seconds all = cost.total * static_cast<double>(uses);
        facts.push_back({tr("in all %1 such layers").arg(uses),
                         QStringLiteral("%1 · %2").arg(toQString(formatSeconds(all)), share(all)),
                         {}});
    }
    facts.push_back({tr("starts at"), toQString(formatSeconds(s.start(ref))), {}});
    if (workbench.baseline() != nullptr) {
        const std::optional<Seconds> before = baselineTimeOf(workbench, ref);
        facts.push_back({tr("baseline A"), before ? toQString(formatSeconds(*before)) : quiet(tr("does not run")), {}});
        if (before) facts.push_back({tr("difference"), differenceText(*before, cost.total), {}});
    }
    return facts;
}

QString explanationLines(const std::vector<ExplanationLine>& lines) {
    std::vector<Fact> facts;
    for (const ExplanationLine& line : lines) {
        Fact fact{toQString(line.label).toHtmlEscaped(), toQString(line.result).toHtmlEscaped(), {}};
        QStringList how;
        if (!line.formula.empty()) how << breakable(toQString(line.formula));
        if (!line.substituted.empty() && line.substituted != line.formula)
            how << breakable(toQString(line.substituted));
        if (!how.isEmpty())
            fact.beneath = QStringLiteral("<small>%1</small>").arg(mono(how.join(QStringLiteral(" = "))));
        facts.push_back(std::move(fact));
    }
    return factTable(facts);
}

QString shapeLines(const std::vector<std::string>& shapes) {
    QStringList lines;
    for (const std::string& shape : shapes) lines << toQString(shape).toHtmlEscaped();
    return lines.isEmpty() ? QString()
                           : QStringLiteral("<small>%1</small>").arg(mono(lines.join(QStringLiteral("<br>"))));
}

QString stepInWords(const Simulation& simulation) {
    const ResolvedScenario& r = simulation.scenario;
    const bool decode = r.scenario.phase == Phase::decode;
    QString text = tr("One %1 step of %2 request(s): %3 new token(s)")
                       .arg(decode ? tr("decode") : tr("prefill"), countText(r.requestCount), countText(r.tokens));
    std::int64_t cached = 0;
    for (const Request& request : r.requests) cached += request.count * request.contextLength;
    if (cached > 0) text += tr(" on %1 in the caches").arg(countText(cached));
    text += QLatin1Char('.');
    switch (simulation.step.rule) {
    case Rule::recurrent:
        text += tr(" The recurrent rule and the convolution update run: there is previous state, and every request is "
                   "a decode request of 1 or 1 + MTP tokens.");
        break;
    case Rule::chunk:
        text += simulation.step.metadata.hasPreviousState
                    ? tr(" The chunk rule and the convolution body run, and read the previous state: not every request "
                         "is a decode request of 1 or 1 + MTP tokens.")
                    : tr(" The chunk rule and the convolution body run: there is no previous state.");
        break;
    case Rule::mixed: text += tr(" Prefill requests take the chunk rule, decode requests the recurrent one."); break;
    case Rule::none: text += tr(" No layer has linear attention."); break;
    }
    return text;
}

std::vector<Fact> stepFacts(const Simulation& simulation) {
    std::int64_t linear = 0;
    for (const LayerSummary& layer : simulation.layers) linear += layer.type == LayerType::linearAttention;
    const std::int64_t full = static_cast<std::int64_t>(simulation.layers.size()) - linear;
    std::vector<Fact> facts{{tr("time"), toQString(formatSeconds(simulation.totals.time)), {}}};
    for (const PartSummary& part : simulation.parts)
        facts.push_back({QStringLiteral("&nbsp;&nbsp;%1").arg(toQString(nameOf(part.part))),
                         toQString(formatSeconds(part.time)),
                         {}});
    facts.push_back({tr("layers"), tr("%1 linear, %2 full").arg(linear).arg(full), {}});
    facts.push_back({tr("operators"), countText(simulation.totals.operators), {}});
    facts.push_back({tr("devices"), countText(simulation.totals.devices), {}});
    return facts;
}

std::vector<Fact> longestKinds(const Simulation& simulation) {
    std::vector<Fact> facts;
    for (const KindSummary& kind : simulation.byKind) {
        if (facts.size() == 6) break;
        const double share = kind.time / simulation.totals.time;
        const QString swatch = colored(QStringLiteral("■"), theme().classColor(classOf(kind.kind)));
        facts.push_back(
            {QStringLiteral("%1 %2 <small>×%3</small>")
                 .arg(swatch, toQString(nameOf(kind.kind)).replace(QLatin1Char('_'), QStringLiteral("_\u200B")),
                      countText(kind.calls)),
             toQString(formatShare(share)),
             {}});
    }
    return facts;
}

std::vector<Fact> metadataFacts(const Simulation& simulation) {
    const StepMetadata& m = simulation.step.metadata;
    const auto number = [](std::int64_t n) { return countText(n); };
    const auto yesNo = [](bool on) { return on ? tr("yes") : tr("no"); };
    return {{tr("query lengths"), listed(m.queryLengths, number), {}},
            {tr("is decode"), listed(m.isDecode, yesNo), {}},
            {tr("previous state"), yesNo(m.hasPreviousState), {}},
            {tr("positions start at"), listed(m.positionStarts, number), {}},
            {tr("base decode query length"), number(m.baseDecodeQueryLength), {}},
            {tr("MTP tokens"), number(m.mtpTokens), {}},
            {tr("effective decode steps"), number(m.effectiveDecodeSteps), {}},
            {tr("tokens gained per request"), QString::number(simulation.scenario.tokensPerStep, 'g', 4), {}}};
}

QString comparisonText(const Workbench& workbench) {
    const auto baseline = workbench.baseline();
    if (baseline == nullptr) return {};
    const Simulation& now = *workbench.simulation();
    const QStringList changed = differences(baseline->scenario.scenario, now.scenario.scenario);
    QString html = changed.isEmpty() ? quiet(tr("The same scenario"))
                                     : changed.join(QStringLiteral("<br>"))
                                           .toHtmlEscaped()
                                           .replace(QStringLiteral("&lt;br&gt;"), QStringLiteral("<br>"));
    std::vector<Fact> causes{{tr("step time"), differenceText(baseline->totals.time, now.totals.time), {}}};
    for (const WaterfallStep& step : workbench.comparison().waterfall) {
        if (step.time == Seconds(0.0)) continue;
        causes.push_back({QStringLiteral("&nbsp;&nbsp;%1").arg(toQString(step.cause)),
                          colored(toQString(formatSecondsDifference(step.time)),
                                  step.time < Seconds(0.0) ? theme().faster : theme().slower),
                          {}});
    }
    return html + factTable(causes);
}

} // namespace deltascope::ui
