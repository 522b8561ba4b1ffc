// SPDX-License-Identifier: GPL-3.0-or-later
#include "explore/remedies.h"

#include "explore/frontier.h"
#include "simulation/simulation.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace deltascope {
namespace {

using std::int64_t;

std::string text(int64_t n) { return std::to_string(n); }
std::string text(Scheme scheme) { return std::string(factsOf(scheme).name); }

bool isFourBit(Scheme scheme) { return bytesPerElement(factsOf(scheme).weight) < 1.0; }

/// Four-bit schemes to try for weights that are stored otherwise: activations as they were where that is possible.
std::array<Scheme, 2> fourBitsFor(Scheme scheme) {
    if (scheme == Scheme::w8a16) return {Scheme::w4a16, Scheme::w4a8Dynamic};
    return {scheme == Scheme::w8a8Static ? Scheme::w4a8Static : Scheme::w4a8Dynamic, Scheme::w4a16};
}

/// Remedies of one scenario, one kind at a time.
class RemedyFinder {
public:
    static Result<RemedyFinder> make(const Catalog& catalog, const Scenario& scenario) {
        Result<MemoryProbe> probe = MemoryProbe::make(catalog, scenario);
        if (!probe) return probe.error();
        return RemedyFinder(catalog, scenario, *std::move(probe));
    }

    [[nodiscard]] FitVerdict present() const { return verdictOf(probe_.present()); }

    /// Bytes that must be left for the aim; nothing when nothing is amiss.
    [[nodiscard]] std::optional<Bytes> aim() const {
        const FitVerdict verdict = present();
        if (verdict.fit == Fit::fits) return std::nullopt;
        return verdict.fit == Fit::tight ? verdict.limit * tightShare : Bytes{};
    }

    std::vector<Remedy> of(RemedyKind kind, std::optional<Bytes> spare) {
        switch (kind) {
        case RemedyKind::kvCache: return cacheFormats();
        case RemedyKind::expertWeights: return fourBitExperts();
        case RemedyKind::weights: return fourBitWeights();
        case RemedyKind::tensorParallel: return largerTp(spare);
        case RemedyKind::fewerRequests: return fewerRequests(spare);
        case RemedyKind::shorterContext: return shorterContext(spare);
        }
        return {};
    }

private:
    RemedyFinder(const Catalog& catalog, const Scenario& scenario, MemoryProbe probe)
        : catalog_(&catalog), scenario_(scenario), probe_(std::move(probe)) {}

    /// The scenario with the changes; nothing when it is refused or takes as much as before.
    std::optional<Remedy> tried(RemedyKind kind, std::vector<FieldChange> changes, Scenario changed) const {
        const Result<Simulation> result = simulate(*catalog_, changed);
        if (!result) return std::nullopt;
        const Bytes freed = probe_.present().used() - result->memory.used();
        if (freed <= Bytes{}) return std::nullopt;
        return Remedy{kind, std::move(changes), std::move(changed), freed, verdictOf(result->memory)};
    }

    [[nodiscard]] std::vector<Remedy> cacheFormats() const {
        std::vector<Remedy> found;
        if (scenario_.quantization.kvCache != KvDType::bf16) return found;
        for (const KvDType format : {KvDType::int8, KvDType::fp8}) {
            Scenario changed = scenario_;
            changed.quantization.kvCache = format;
            if (auto remedy =
                    tried(RemedyKind::kvCache,
                          {{"kv_cache", std::string(nameOf(KvDType::bf16)), std::string(nameOf(format))}}, changed))
                found.push_back(*std::move(remedy));
        }
        return found;
    }

    /// What the experts are stored as; the linears' scheme where nothing else is said.
    [[nodiscard]] std::string expertsName() const {
        const Quantization& q = scenario_.quantization;
        return q.experts ? text(*q.experts) : std::string(linearName(q));
    }
    [[nodiscard]] bool expertsAreFourBit() const {
        const Quantization& q = scenario_.quantization;
        return isFourBit(q.experts.value_or(q.checkpoint ? Scheme::bf16 : q.linear));
    }

    [[nodiscard]] std::vector<Remedy> fourBitExperts() const {
        const Quantization& q = scenario_.quantization;
        if (!probe_.scenario().model->text.moe || expertsAreFourBit()) return {};
        for (const Scheme scheme : fourBitsFor(q.experts.value_or(q.linear))) {
            Scenario changed = scenario_;
            changed.quantization.experts = scheme;
            if (auto remedy =
                    tried(RemedyKind::expertWeights, {{"expert_quantization", expertsName(), text(scheme)}}, changed))
                return {*std::move(remedy)};
        }
        return {};
    }

    [[nodiscard]] std::vector<Remedy> fourBitWeights() const {
        const Quantization& q = scenario_.quantization;
        if (!q.checkpoint && isFourBit(q.linear)) return {};
        for (const Scheme scheme : fourBitsFor(q.linear)) {
            Scenario changed = scenario_;
            changed.quantization.linear = scheme;
            changed.quantization.checkpoint = false;
            std::vector<FieldChange> changes{{"quantization", std::string(linearName(q)), text(scheme)}};
            if (q.experts && !expertsAreFourBit()) {
                changed.quantization.experts = scheme;
                changes.push_back({"expert_quantization", expertsName(), text(scheme)});
            }
            if (auto remedy = tried(RemedyKind::weights, std::move(changes), changed)) return {*std::move(remedy)};
        }
        return {};
    }

    /// The next size that is taken, and the next that is enough (or the largest, when none is) if that one is not.
    [[nodiscard]] std::vector<Remedy> largerTp(std::optional<Bytes> spare) const {
        std::vector<Remedy> found;
        const auto enough = [&](const Remedy& remedy) { return !spare || remedy.after.free() >= *spare; };
        for (const int64_t size : tensorParallelSizes(*probe_.scenario().model, scenario_.allFull)) {
            if (size <= scenario_.parallel.tp) continue;
            Scenario changed = scenario_;
            changed.parallel.tp = size;
            auto remedy = tried(RemedyKind::tensorParallel, {{"tp", text(scenario_.parallel.tp), text(size)}}, changed);
            if (!remedy) continue;
            if (found.size() > 1) found.pop_back();
            found.push_back(*std::move(remedy));
            if (enough(found.back())) break;
        }
        return found;
    }

    [[nodiscard]] std::vector<Remedy> fewerRequests(std::optional<Bytes> spare) {
        if (!spare || !probe_.canVary()) return {};
        const int64_t most = std::max<int64_t>(mostRequests(probe_, probe_.context(), *spare), 1);
        if (most >= probe_.requests()) return {};
        Scenario changed = scenario_;
        changed.queries = most;
        auto remedy = tried(RemedyKind::fewerRequests, {{"queries", text(probe_.requests()), text(most)}}, changed);
        return remedy ? std::vector{*std::move(remedy)} : std::vector<Remedy>{};
    }

    [[nodiscard]] std::vector<Remedy> shorterContext(std::optional<Bytes> spare) {
        if (!spare || !probe_.canVary()) return {};
        const int64_t longest = longestContext(probe_, probe_.requests(), *spare).value_or(probe_.shortestContext());
        if (longest >= probe_.context()) return {};
        Scenario changed = scenario_;
        changed.contextLength = longest;
        auto remedy =
            tried(RemedyKind::shorterContext, {{"context_length", text(probe_.context()), text(longest)}}, changed);
        return remedy ? std::vector{*std::move(remedy)} : std::vector<Remedy>{};
    }

    const Catalog* catalog_;
    Scenario scenario_;
    MemoryProbe probe_;
};

/// Each kind on top of those before it, until `aim` bytes are left.
Result<std::vector<Remedy>> combine(const Catalog& catalog, const Scenario& scenario, Bytes aim) {
    std::vector<Remedy> steps;
    for (const RemedyKind kind : remedyOrder) {
        Result<RemedyFinder> now = RemedyFinder::make(catalog, steps.empty() ? scenario : steps.back().scenario);
        if (!now) return now.error();
        std::vector<Remedy> offered = now->of(kind, aim);
        // Of the cache formats the first will do; of the sizes the one that is enough, which stands last.
        if (offered.empty()) continue;
        Remedy& chosen = kind == RemedyKind::tensorParallel ? offered.back() : offered.front();
        steps.push_back(std::move(chosen));
        if (steps.back().after.free() >= aim) break;
    }
    return steps;
}

} // namespace

std::string_view nameOf(RemedyKind kind) {
    constexpr std::array<std::string_view, remedyOrder.size()> names{
        "kv_cache", "expert_weights", "weights", "tensor_parallel", "fewer_requests", "shorter_context"};
    return names[static_cast<std::size_t>(kind)];
}

Result<Remedies> remediesFor(const Catalog& catalog, const Scenario& scenario) {
    Result<RemedyFinder> finder = RemedyFinder::make(catalog, scenario);
    if (!finder) return finder.error();
    Remedies remedies;
    remedies.present = finder->present().fit;
    const std::optional<Bytes> aim = finder->aim();
    for (const RemedyKind kind : remedyOrder)
        for (Remedy& remedy : finder->of(kind, aim)) remedies.single.push_back(std::move(remedy));
    if (!aim) return remedies;
    const auto enough = [&](const Remedy& remedy) { return remedy.after.free() >= *aim; };
    remedies.singleIsEnough = std::any_of(remedies.single.begin(), remedies.single.end(), enough);
    if (remedies.singleIsEnough) return remedies;
    Result<std::vector<Remedy>> combined = combine(catalog, scenario, *aim);
    if (!combined) return combined.error();
    remedies.combined = *std::move(combined);
    remedies.combinedIsEnough = !remedies.combined.empty() && enough(remedies.combined.back());
    return remedies;
}

} // namespace deltascope
