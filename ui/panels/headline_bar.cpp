// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/headline_bar.h"

#include "base/format.h"
#include "explore/fits.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLocale>

#include <array>
#include <cmath>

namespace deltascope::ui {
namespace {

QString rateText(double perSecond) {
    if (!std::isfinite(perSecond)) return QStringLiteral("–");
    if (perSecond >= 1000.0) return toQString(formatCount(perSecond));
    return QLocale::c().toString(perSecond, 'f', perSecond >= 100.0 ? 1 : perSecond >= 1.0 ? 2 : 3);
}

/// Difference of two figures of which more is worse, or better.
void setDifference(FigureCard::Content& content, double a, double b, bool moreIsBetter) {
    const QString percent = percentDifference(a, b);
    content.same = a == b;
    content.better = moreIsBetter ? b > a : b < a;
    content.difference =
        content.same || percent.isEmpty() ? percent : (b > a ? QStringLiteral("▲ ") : QStringLiteral("▼ ")) + percent;
}

std::vector<ShareBar::Piece> sharesOf(const Totals& totals) {
    const auto piece = [](const QString& label, double share, Bound bound, const QString& what) {
        return ShareBar::Piece{label, share, boundColor(bound),
                               QStringLiteral("%1: %2").arg(what, toQString(formatShare(share)))};
    };
    const auto tr = [](const char* text) { return HeadlineBar::tr(text); };
    std::vector<ShareBar::Piece> pieces{
        piece(tr("compute"), totals.shareCompute, Bound::matrix, tr("time of operators bound by compute")),
        piece(tr("memory"), totals.shareMemory, Bound::memory, tr("time of operators bound by memory bandwidth")),
        piece(tr("comm."), totals.shareCommunication, Bound::communication, tr("time of communication")),
        piece(tr("launch"), totals.shareLaunch, Bound::launch, tr("time of operators bound by their launch"))};
    if (totals.shareHost > 0.0)
        pieces.push_back(
            {tr("host"), totals.shareHost, theme().slower,
             tr("time in which the device waits for the host: %1").arg(toQString(formatShare(totals.shareHost)))});
    return pieces;
}

/// What is taken, by the engine where that is modelled, and the rest up to the limit.
std::vector<ShareBar::Piece> memoryPieces(const MemoryReport& memory) {
    constexpr std::array<std::string_view, memoryPartCount> colors{"MLP", "KV cache", "recurrent state",
                                                                   "activation peak", "graphs and runtime"};
    std::vector<ShareBar::Piece> pieces;
    const auto add = [&](const QString& label, std::string_view color, Bytes bytes, bool rest = false) {
        pieces.push_back({{},
                          bytes.value(),
                          theme().memoryColor(color),
                          QStringLiteral("%1: %2").arg(label, toQString(formatBytes(bytes))),
                          rest});
    };
    for (const PartBytes& part : partsOf(memory))
        if (part.used() > Bytes{})
            add(toQString(nameOf(part.part)), colors[static_cast<std::size_t>(part.part)], part.used());
    if (memory.free() > Bytes{}) add(HeadlineBar::tr("free"), "free", memory.free(), true);
    return pieces;
}

/// "13.9 GiB" without the noise of a third decimal.
QString shortBytes(Bytes bytes) {
    const double gib = bytes.value() / (1024.0 * 1024.0 * 1024.0);
    return QLocale::c().toString(gib, 'f', gib < 0.095 ? 2 : gib < 100.0 ? 1 : 0);
}

/// "calibrated 91 %": where most of the step's time comes from; the whole mix as a tooltip.
struct ProvenanceMix {
    QString text;
    QString toolTip;
    bool measured = false; ///< less than half of it is the plain roofline
};
ProvenanceMix provenanceOf(const Simulation& simulation) {
    const Totals& t = simulation.totals;
    const auto& shares = t.shareProvenance;
    const auto most = static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
    const auto share = [](double value) { return toQString(formatShare(value)); };
    ProvenanceMix mix;
    mix.measured = shares[static_cast<std::size_t>(Provenance::roofline)] < 0.5;
    mix.text = toQString(nameOf(static_cast<Provenance>(most)));
    if (shares[most] < 1.0 - 1e-12) mix.text += QLatin1Char(' ') + share(shares[most]);
    QStringList lines{HeadlineBar::tr("Where the times come from, by share of the step")};
    const std::array meanings{HeadlineBar::tr("from the device's figures, nothing measured"),
                              HeadlineBar::tr("from measurements on this device"),
                              HeadlineBar::tr("carried over from measurements on a sibling"),
                              HeadlineBar::tr("as recorded")};
    for (std::size_t i = 0; i < shares.size(); ++i)
        if (shares[i] > 0.0)
            lines << QStringLiteral("%1 %2: %3")
                         .arg(toQString(nameOf(static_cast<Provenance>(i))), share(shares[i]), meanings[i]);
    if (t.shareExtrapolated > 0.0)
        lines << HeadlineBar::tr("%1 of the step lies outside the sizes that were measured")
                     .arg(share(t.shareExtrapolated));
    if (t.range)
        lines << HeadlineBar::tr("Step time by the scatter of the measurements: %1 to %2")
                     .arg(toQString(formatSeconds(t.range->low)), toQString(formatSeconds(t.range->high)));
    mix.toolTip = lines.join(QLatin1Char('\n'));
    return mix;
}

} // namespace

QColor boundColor(Bound bound) {
    const Theme& t = theme();
    switch (bound) {
    case Bound::matrix: return t.classColor(OperatorClass::linear);
    case Bound::vector: return t.classColor(OperatorClass::activation);
    case Bound::memory: return t.classColor(OperatorClass::norm);
    case Bound::communication: return t.classColor(OperatorClass::communication);
    case Bound::launch: return t.classColor(OperatorClass::quantize);
    case Bound::none: break;
    }
    return t.ghost;
}

HeadlineBar::HeadlineBar(Workbench& workbench, QWidget* parent)
    : QWidget(parent), workbench_(workbench),
      step_(new FigureCard(tr("Step time"), FigureCard::GhostPlace::lastLine, this)),
      latency_(new FigureCard(tr("TPOT"), FigureCard::GhostPlace::lastLine, this)),
      throughput_(new FigureCard(tr("Throughput"), FigureCard::GhostPlace::lastLine, this)),
      memory_(new FigureCard(tr("Memory"), FigureCard::GhostPlace::besideDetail, this)),
      memoryBar_(new ShareBar(4, this)), where_(new Card(this)), shares_(new ShareBar(17, this)), rule_(new Chip(this)),
      conv_(new Chip(this)), provenance_(new Chip(this)), gate_(*this, [this] { refresh(); }) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(step_, 18);
    row->addWidget(latency_, 19);
    row->addWidget(throughput_, 19);
    row->addWidget(memory_, 22);
    row->addWidget(where_, 28);
    memory_->addBeneathValue(memoryBar_);
    memoryBar_->setAccessibleName(tr("Memory by use"));

    where_->setAccessibleName(tr("Where the time goes"));
    auto* column = new QVBoxLayout(where_);
    column->setContentsMargins(10, 7, 10, 7);
    column->setSpacing(4);
    column->addWidget(makeCaption(tr("Where the time goes"), where_));
    column->addWidget(shares_);
    auto* chips = new QHBoxLayout;
    chips->setSpacing(4);
    for (Chip* chip : {rule_, conv_, provenance_}) chips->addWidget(chip);
    chips->addStretch(1);
    column->addLayout(chips);
    column->addStretch(1);
    shares_->setAccessibleName(tr("Share of the step by what bounds it"));

    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&workbench_, &Workbench::scenarioChanged, &gate_, &RefreshGate::mark);
    connect(&workbench_, &Workbench::baselineChanged, &gate_, &RefreshGate::mark);
    refresh();
}

void HeadlineBar::refresh() {
    refreshTimes();
    refreshMemory();
    refreshShares();
    setDimmed(this, workbench_.refusal().has_value());
}

void HeadlineBar::refreshTimes() {
    const Simulation& now = *workbench_.simulation();
    const auto baseline = workbench_.baseline();

    FigureCard::Content step;
    step.title = tr("Step time");
    step.value = toQString(formatSeconds(now.totals.time));
    step.detail = tr("%1 operators").arg(countText(now.totals.operators));
    step.toolTip = tr("Time of one step on the busiest rank");
    if (const auto& range = now.totals.range) {
        step.detail = tr("%1 to %2").arg(toQString(formatSeconds(range->low)), toQString(formatSeconds(range->high)));
        step.toolTip += tr("\nLikely range, by the scatter of the calibration's measurements; %1 operators")
                            .arg(countText(now.totals.operators));
    }
    if (now.host && now.host->wait > Seconds{})
        step.toolTip += tr("\nThe device waits %1 for the host (%2)")
                            .arg(toQString(formatSeconds(now.host->wait)), toQString(nameOf(now.host->mode)));
    if (baseline) {
        step.ghost = toQString(formatSeconds(baseline->totals.time));
        setDifference(step, baseline->totals.time.value(), now.totals.time.value(), false);
    }
    step_->setContent(step);

    const auto latencyOf = [](const Simulation& s) { return s.totals.time / std::max(1e-9, s.scenario.tokensPerStep); };
    const bool decode = now.scenario.scenario.phase == Phase::decode;
    FigureCard::Content latency;
    latency.title = decode ? tr("TPOT") : tr("TTFT");
    latency.toolTip = decode ? tr("Time per output token: the step's time over the tokens a request gains by it")
                             : tr("Time to first token: the time of this prefill step");
    const auto shown = [&](const Simulation& s) { return decode ? latencyOf(s) : s.totals.time; };
    latency.value = toQString(formatSeconds(shown(now)));
    latency.detail = tr("%1 tok/s per user").arg(rateText(now.totals.tokensPerSecondPerUser));
    if (baseline) {
        latency.ghost =
            tr("%1 · %2/s")
                .arg(toQString(formatSeconds(shown(*baseline))), rateText(baseline->totals.tokensPerSecondPerUser));
        setDifference(latency, shown(*baseline).value(), shown(now).value(), false);
    }
    latency_->setContent(latency);

    FigureCard::Content throughput;
    throughput.title = tr("Per device");
    throughput.value = tr("%1 tok/s").arg(rateText(now.totals.tokensPerSecondPerDevice));
    throughput.detail = now.totals.devices == 1
                            ? tr("on one device")
                            : tr("%1 on %2 devices").arg(rateText(now.totals.tokensPerSecond)).arg(now.totals.devices);
    throughput.toolTip = tr("Tokens per second of each device; beneath, of all devices together");
    if (baseline) {
        throughput.ghost =
            tr("%1 · %2 on %3")
                .arg(rateText(baseline->totals.tokensPerSecondPerDevice), rateText(baseline->totals.tokensPerSecond))
                .arg(baseline->totals.devices);
        setDifference(throughput, baseline->totals.tokensPerSecondPerDevice, now.totals.tokensPerSecondPerDevice, true);
    }
    throughput_->setContent(throughput);
}

void HeadlineBar::refreshMemory() {
    const Simulation& now = *workbench_.simulation();
    const auto baseline = workbench_.baseline();
    const MemoryReport& memory = now.memory;
    FigureCard::Content content;
    content.title = tr("Memory");
    content.value = tr("%1 / %2 GiB").arg(shortBytes(memory.used()), shortBytes(memory.limit));
    const auto parts = partsOf(memory);
    const auto bytesOf = [&](MemoryPart part) { return shortBytes(parts[static_cast<std::size_t>(part)].used()); };
    content.detail = tr("weights %1 · KV %2").arg(bytesOf(MemoryPart::weights), bytesOf(MemoryPart::kvCache));
    content.secondDetail =
        memory.engine ? tr("state %1 · reserve %2").arg(bytesOf(MemoryPart::states), bytesOf(MemoryPart::reserve))
                      : tr("state %1 · peak %2").arg(bytesOf(MemoryPart::states), bytesOf(MemoryPart::activations));
    QStringList lines{memory.engine ? tr("Per device: what the engine takes, of what it may use")
                                    : tr("Per device: needed, of what the engine may use")};
    for (const ShareBar::Piece& piece : memoryPieces(memory)) lines << piece.toolTip;
    content.toolTip = lines.join(QLatin1Char('\n'));
    if (baseline) {
        content.ghost = shortBytes(baseline->memory.used());
        setDifference(content, baseline->memory.used().value(), memory.used().value(), false);
        if (!content.same)
            content.difference =
                (content.better ? QStringLiteral("▼ −") : QStringLiteral("▲ +")) +
                toQString(formatBytes(Bytes(std::abs(memory.used().value() - baseline->memory.used().value()))));
    }
    memory_->setContent(content);
    memoryBar_->setPieces(memoryPieces(memory), false);
    memoryBar_->setGhost(baseline ? memoryPieces(baseline->memory) : std::vector<ShareBar::Piece>{});
}

void HeadlineBar::refreshShares() {
    const Simulation& now = *workbench_.simulation();
    const auto baseline = workbench_.baseline();
    shares_->setPieces(sharesOf(now.totals), true);
    shares_->setGhost(baseline ? sharesOf(baseline->totals) : std::vector<ShareBar::Piece>{});

    const Rule rule = now.step.rule;
    rule_->setContent(rule == Rule::none ? tr("full attention only") : tr("%1 rule").arg(toQString(nameOf(rule))),
                      rule == Rule::none ? Chip::Tone::neutral : Chip::Tone::good,
                      tr("Rule of the gated delta net that this step runs"));
    conv_->setContent(now.step.conv == ConvPath::none ? QString() : tr("conv %1").arg(toQString(nameOf(now.step.conv))),
                      Chip::Tone::neutral, tr("Path of the causal convolution in the linear layers"));
    const ProvenanceMix mix = provenanceOf(now);
    provenance_->setContent(mix.text, mix.measured ? Chip::Tone::good : Chip::Tone::attention, mix.toolTip);
}

void HeadlineBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && provenance_ != nullptr) gate_.mark();
}

} // namespace deltascope::ui
