// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/text.h"

#include "base/format.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace deltascope::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Text", text); }

const QString separator = QStringLiteral(" · ");

/// "560 TOP/s INT8": the fastest format of the matrix unit.
QString fastestRate(const DeviceProfile& device) {
    std::size_t best = rateDTypeCount;
    for (std::size_t i = 0; i < rateDTypeCount; ++i)
        if (device.matrixRate[i] && (best == rateDTypeCount || *device.matrixRate[i] > *device.matrixRate[best]))
            best = i;
    if (best == rateDTypeCount) return {};
    const QString format = toQString(dtypeNames[best]).toUpper();
    const double tera = device.matrixRate[best]->value() / 1e12;
    return QStringLiteral("%1 TOP/s %2").arg(QLocale::c().toString(tera, 'f', tera < 100.0 ? 1 : 0), format);
}

QString chunkRuleOf(const EngineProfile& engine) {
    if (engine.tokenByToken)
        return tr("none: one operator of %1 kernels goes token by token").arg(engine.tokenByToken->launches);
    switch (engine.chunkKernels) {
    case ChunkKernels::oneOperator: return tr("one operator that moves its scratch through memory");
    case ChunkKernels::fused: return tr("one fused kernel");
    case ChunkKernels::stages: return tr("seven kernels, from the cumulative sum to the output");
    }
    return {};
}

QString lengthText(const std::optional<std::int64_t>& length) { return length ? countText(*length) : tr("default"); }

QString yesNo(bool value) { return value ? tr("yes") : tr("no"); }

QString requestsInWords(const ResolvedScenario& resolved) {
    QStringList groups;
    for (const Request& request : resolved.requests) {
        QString group =
            QStringLiteral("%1 %2 × %3")
                .arg(toQString(nameOf(request.phase)), countText(request.count), countText(request.queryLength));
        if (request.contextLength > 0) group += tr(" on %1").arg(countText(request.contextLength));
        groups << group;
        if (groups.size() == 3 && resolved.requests.size() > 3) {
            groups << tr("… %1 kinds of request").arg(resolved.requests.size());
            break;
        }
    }
    return groups.join(QStringLiteral(" + "));
}

} // namespace

QString countText(std::int64_t count) { return toQString(formatCount(static_cast<double>(count))); }

QString deviceLabel(std::string_view name) { return toQString(name).replace(QLatin1Char('_'), QLatin1Char(' ')); }

QString factsOf(const ModelConfig& model) {
    const std::int64_t linear = model.layerCount(LayerType::linearAttention);
    const std::int64_t full = model.layerCount(LayerType::fullAttention);
    const QString layers =
        linear > 0 ? tr("%1 linear + %2 full layers").arg(linear).arg(full) : tr("%1 full-attention layers").arg(full);
    const double billions = static_cast<double>(countParameters(model).text) / 1e9;
    return layers + separator +
           QStringLiteral("%1 B").arg(QLocale::c().toString(billions, 'f', billions < 1.0 ? 2 : 1));
}

QString factsOf(const DeviceProfile& device) {
    QStringList facts{toQString(formatBytes(device.memorySize)).replace(QStringLiteral(".00 "), QStringLiteral(" ")),
                      toQString(formatByteRate(device.memoryBandwidth.value()))};
    if (const QString rate = fastestRate(device); !rate.isEmpty()) facts << rate;
    return facts.join(separator);
}

QString factsOf(const EngineProfile& engine) {
    QStringList facts{engine.onePlusWeightNorm == Fusion::fused ? tr("fused norms") : tr("unfused norms")};
    if (engine.fuseLinearAllReduce) facts << tr("fused all-reduce");
    facts << (engine.tokenByToken                           ? tr("token by token")
              : engine.chunkKernels == ChunkKernels::stages ? tr("chunk in stages")
              : engine.chunkKernels == ChunkKernels::fused  ? tr("fused chunk")
                                                            : tr("chunk as one operator"));
    facts << (engine.appliesCalibration ? tr("calibrated") : tr("roofline"));
    return facts.join(separator);
}

QString differencesOf(const EngineProfile& engine) {
    QStringList lines;
    if (!engine.summary.empty()) lines << toQString(engine.summary) << QString();
    const auto line = [&](const QString& what, const QString& how) { lines << tr("%1: %2").arg(what, how); };
    line(tr("RMSNorm scaled by 1 + weight"), engine.onePlusWeightNorm == Fusion::fused
                                                 ? engine.fuseMixerResidual ? tr("one kernel with the residual add")
                                                                            : tr("one kernel, the residual add another")
                                                 : tr("cast, pow, mean, add, rsqrt, mul, mul, cast"));
    line(tr("gate projections b and a"), engine.mergeProjections && engine.mergeGateProjections
                                             ? tr("in the matmul of qkv and z")
                                             : tr("a matmul of their own"));
    line(tr("chunk rule"), chunkRuleOf(engine));
    if (!engine.collectives) line(tr("collectives"), tr("none: one device"));
    line(tr("activations of static schemes"),
         engine.dynamicQuantize ? tr("quantized with a scale per token") : tr("quantized with a fixed scale"));
    line(tr("row-parallel linear and its all-reduce"),
         engine.fuseLinearAllReduce ? tr("one operator") : tr("one after the other"));
    int launches = 0;
    for (const LayoutKernels& layout : engine.layout)
        if (layout.when == LayoutKernels::When::prefill || layout.when == LayoutKernels::When::always)
            launches += layout.launches;
    line(tr("layout kernels in a linear layer"),
         launches == 0 ? tr("none") : tr("%1 launches in prefill").arg(launches));
    line(tr("prefill attention"), engine.causalDiscount ? tr("skips what the mask hides") : tr("computes every pair"));
    line(tr("drafts after the first"), engine.laterDrafts == LaterDrafts::step ? tr("all tokens")
                                       : engine.laterDrafts == LaterDrafts::request
                                           ? tr("one token per request")
                                           : tr("one token per request, in buffers of all tokens"));
    if (engine.host)
        line(tr("host"),
             tr("%1, %2 per kernel")
                 .arg(toQString(nameOf(engine.host->mode)), toQString(formatSeconds(engine.host->dispatch))));
    else
        line(tr("host"), tr("not modelled: the device never waits"));
    if (engine.memory)
        line(tr("memory"), tr("blocks of %1 tokens, %2 of the device usable, %3 reserved")
                               .arg(engine.memory->blockTokens)
                               .arg(toQString(formatShare(engine.memory->usableFraction)),
                                    toQString(formatBytes(Bytes(engine.memory->reservedBytes)))));
    else
        line(tr("memory"), tr("only what is needed; no allocator is modelled"));
    line(tr("times"),
         engine.appliesCalibration ? tr("calibrated where the device has measurements") : tr("the device's roofline"));
    return lines.join(QLatin1Char('\n'));
}

QString scenarioInWords(const Simulation& simulation) {
    const ResolvedScenario& resolved = simulation.scenario;
    const Scenario& s = resolved.scenario;
    QString device = deviceLabel(resolved.device->name);
    if (simulation.totals.devices > 1) device += QStringLiteral(" ×%1").arg(simulation.totals.devices);
    QStringList words{toQString(resolved.model->name), device, toQString(resolved.engine->name),
                      toQString(factsOf(s.quantization.linear).label)};
    if (s.quantization.kvCache != KvDType::bf16)
        words << tr("KV %1").arg(toQString(nameOf(s.quantization.kvCache)).toUpper());
    words << tr("TP %1").arg(s.parallel.tp);
    words << requestsInWords(resolved);
    if (s.mtpTokens > 0) words << tr("MTP %1").arg(s.mtpTokens);
    if (s.allFull) words << tr("full attention everywhere");
    return words.join(separator);
}

QString shortLabel(const Scenario& scenario) {
    QStringList words{toQString(factsOf(scenario.quantization.linear).label), tr("TP %1").arg(scenario.parallel.tp),
                      toQString(nameOf(scenario.phase))};
    if (scenario.allFull) words.prepend(tr("all full"));
    return words.join(separator);
}

QStringList differences(const Scenario& a, const Scenario& b) {
    QStringList result;
    const auto note = [&](const QString& field, const QString& from, const QString& to) {
        if (from != to) result << QStringLiteral("%1 %2 → %3").arg(field, from, to);
    };
    note(tr("model"), toQString(a.model), toQString(b.model));
    note(tr("device"), deviceLabel(a.device), deviceLabel(b.device));
    note(tr("engine"), toQString(a.engine), toQString(b.engine));
    note(tr("phase"), toQString(nameOf(a.phase)), toQString(nameOf(b.phase)));
    note(tr("requests"), countText(a.queries), countText(b.queries));
    note(tr("query length"), lengthText(a.queryLength), lengthText(b.queryLength));
    note(tr("context length"), lengthText(a.contextLength), lengthText(b.contextLength));
    note(tr("MTP tokens"), countText(a.mtpTokens), countText(b.mtpTokens));
    note(tr("linears"), toQString(factsOf(a.quantization.linear).label),
         toQString(factsOf(b.quantization.linear).label));
    note(tr("KV cache"), toQString(nameOf(a.quantization.kvCache)).toUpper(),
         toQString(nameOf(b.quantization.kvCache)).toUpper());
    note(tr("TP"), countText(a.parallel.tp), countText(b.parallel.tp));
    note(tr("all full attention"), yesNo(a.allFull), yesNo(b.allFull));
    note(tr("padding mask"), yesNo(a.paddingMask), yesNo(b.paddingMask));
    if (result.isEmpty() && a != b) result << tr("other settings");
    return result;
}

QString percentDifference(double from, double to) {
    if (from == to) return QStringLiteral("±0 %");
    if (from == 0.0 || !std::isfinite(to / from)) return {};
    const double percent = (to / from - 1.0) * 100.0;
    const double magnitude = std::abs(percent);
    const int decimals = magnitude < 0.1 ? 3 : magnitude < 100.0 ? 1 : 0;
    return (percent < 0.0 ? QStringLiteral("−") : QStringLiteral("+")) +
           QLocale::c().toString(magnitude, 'f', decimals) + QStringLiteral(" %");
}

QString refusalText(const Error& error) {
    QString text = toQString(error.why);
    if (text.isEmpty()) text = toQString(error.text());
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    if (!error.value.empty() && !text.contains(toQString(error.value)))
        text = QStringLiteral("%1: %2").arg(toQString(error.value), text);
    if (!error.accepted.empty()) text += tr(". Works: %1").arg(toQString(error.accepted));
    return text;
}

} // namespace deltascope::ui
