// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/checks.h"

#include <algorithm>
#include <numeric>

namespace deltascope {
namespace {

using std::int64_t;

/// A number of heads or columns that a tensor-parallel size must divide.
struct Divisor {
    int64_t number;
    std::string_view what;
};

std::vector<Divisor> divisors(const ModelConfig& model, bool allFull) {
    std::vector<Divisor> all;
    if (model.text.linear && !allFull && model.layerCount(LayerType::linearAttention) > 0) {
        all.push_back({model.text.linear->keyHeads, "linear-attention key heads"});
        all.push_back({model.text.linear->valueHeads, "linear-attention value heads"});
    }
    all.push_back({model.text.queryHeads, "query heads"});
    if (model.text.intermediate > 0) all.push_back({model.text.intermediate, "MLP intermediate columns"});
    if (model.text.moe) all.push_back({model.text.moe->intermediate, "expert intermediate columns"});
    return all;
}

/// KV heads are split while t is at most their number and replicated beyond.
bool keyValueHeadsAllow(const ModelConfig& model, int64_t t) {
    const int64_t heads = model.text.keyValueHeads;
    return t <= heads ? heads % t == 0 : t % heads == 0;
}

std::optional<Error> checkTensorParallel(const std::string& field, const ModelConfig& model, bool allFull, int64_t t) {
    if (t < limits::ranks.lowest || t > limits::ranks.highest) return outOfRange(field, t, limits::ranks);
    const auto accepted = [&] { return list(tensorParallelSizes(model, allFull)); };
    for (const Divisor& d : divisors(model, allFull))
        if (d.number % t != 0)
            return Error{ErrorCode::indivisible,
                         field,
                         count(t),
                         count(d.number) + " " + std::string(d.what) + " of " + model.name + " do not divide by " +
                             count(t),
                         accepted(),
                         {}};
    if (!keyValueHeadsAllow(model, t))
        return Error{ErrorCode::indivisible,
                     field,
                     count(t),
                     count(model.text.keyValueHeads) + " key/value heads of " + model.name +
                         " can be neither split nor replicated evenly over " + count(t) + " ranks",
                     accepted(),
                     {}};
    return std::nullopt;
}

/// An engine without collectives runs on one device.
std::optional<Error> checkOneDevice(const EngineProfile& engine, const Parallelism& p) {
    if (engine.collectives) return std::nullopt;
    for (auto [field, size] :
         {std::pair{"tp", p.tp}, std::pair{"dp", p.dp}, std::pair{"ep", p.ep}, std::pair{"vision_tp", p.visionTp},
          std::pair{"o_proj_tp", p.oProjTp.value_or(1)}, std::pair{"lm_head_tp", p.lmHeadTp.value_or(1)},
          std::pair{"mtp_lm_head_tp", p.mtpLmHeadTp.value_or(1)}})
        if (size > 1)
            return Error{ErrorCode::unsupported,
                         field,
                         count(size),
                         "engine " + engine.name + " runs on one device and has no collectives",
                         "1",
                         {}};
    return std::nullopt;
}

std::optional<Error> checkVisionParallelism(const ResolvedScenario& r) {
    const int64_t t = r.scenario.parallel.visionTp;
    if (t < limits::ranks.lowest || t > limits::ranks.highest) return outOfRange("vision_tp", t, limits::ranks);
    if (t == 1) return std::nullopt;
    if (!r.model->vision)
        return Error{ErrorCode::contradictory, "vision_tp", count(t), r.model->name + " has no vision tower", "1", {}};
    const VisionConfig& v = *r.model->vision;
    const int64_t common = std::gcd(v.heads, v.intermediate);
    if (common % t == 0) return std::nullopt;
    std::vector<int64_t> sizes;
    for (int64_t n = 1; n <= common; ++n)
        if (common % n == 0) sizes.push_back(n);
    return Error{ErrorCode::indivisible,
                 "vision_tp",
                 count(t),
                 count(v.heads) + " heads and " + count(v.intermediate) +
                     " MLP columns of the vision tower do not divide by it",
                 list(sizes),
                 {}};
}

/// Groups of their own are made of the ranks there are.
std::optional<Error> checkGroups(const ResolvedScenario& r) {
    const Parallelism& p = r.scenario.parallel;
    const int64_t world = p.tp * p.dp;
    std::vector<int64_t> sizes;
    for (int64_t n = 1; n <= world; ++n)
        if (world % n == 0 && (n % p.tp == 0 || p.tp % n == 0)) sizes.push_back(n);
    for (auto [field, size] : {std::pair{"vision_tp", p.visionTp}, std::pair{"o_proj_tp", r.oProjTp},
                               std::pair{"lm_head_tp", r.lmHeadTp}, std::pair{"mtp_lm_head_tp", r.mtpLmHeadTp}}) {
        if (world % size != 0)
            return Error{ErrorCode::indivisible,
                         field,
                         count(size),
                         "tp * dp = " + count(world) + " ranks do not divide by it",
                         list(sizes),
                         {}};
        if (size % p.tp != 0 && p.tp % size != 0)
            return Error{ErrorCode::indivisible,
                         field,
                         count(size),
                         "a group is a part of the " + count(p.tp) + " tensor-parallel ranks or whole such groups",
                         list(sizes),
                         {}};
    }
    return std::nullopt;
}

} // namespace

std::vector<int64_t> tensorParallelSizes(const ModelConfig& model, bool allFull, int64_t limit) {
    int64_t common = 0;
    for (const Divisor& d : divisors(model, allFull)) common = std::gcd(common, d.number);
    std::vector<int64_t> sizes;
    for (int64_t t = 1; t <= std::min(common, limit); ++t)
        if (common % t == 0 && keyValueHeadsAllow(model, t)) sizes.push_back(t);
    return sizes;
}

std::optional<Error> checkParallelism(ResolvedScenario& r) {
    Scenario& s = r.scenario;
    Parallelism& p = s.parallel;
    if (auto error = checkOneDevice(*r.engine, p)) return error;
    if (p.dp < limits::ranks.lowest || p.dp > limits::ranks.highest) return outOfRange("dp", p.dp, limits::ranks);
    if (auto error = checkTensorParallel("tp", *r.model, s.allFull, p.tp)) return error;
    if (p.tp * p.dp > limits::ranks.highest)
        return Error{ErrorCode::tooLarge,
                     "dp",
                     count(p.dp),
                     "tp * dp is " + count(p.tp * p.dp) + " ranks",
                     "at most " + count(limits::ranks.highest) + " ranks",
                     {}};
    if (p.ep < limits::ranks.lowest || p.ep > limits::ranks.highest) return outOfRange("ep", p.ep, limits::ranks);
    if (p.ep > 1) {
        if (!r.model->text.moe)
            return Error{ErrorCode::contradictory, "ep", count(p.ep), r.model->name + " has no experts", "1", {}};
        const int64_t experts = r.model->text.moe->experts;
        std::vector<int64_t> sizes;
        for (int64_t n = 1; n <= p.tp * p.dp; ++n)
            if ((p.tp * p.dp) % n == 0 && experts % n == 0) sizes.push_back(n);
        if ((p.tp * p.dp) % p.ep != 0)
            return Error{ErrorCode::indivisible,
                         "ep",
                         count(p.ep),
                         "tp * dp = " + count(p.tp * p.dp) + " ranks do not divide by it",
                         list(sizes),
                         {}};
        if (experts % p.ep != 0)
            return Error{ErrorCode::indivisible,
                         "ep",
                         count(p.ep),
                         count(experts) + " experts of " + r.model->name + " do not divide by it",
                         list(sizes),
                         {}};
    }
    if (auto error = checkVisionParallelism(r)) return error;
    r.oProjTp = p.oProjTp.value_or(p.tp);
    r.lmHeadTp = p.lmHeadTp.value_or(p.tp);
    r.mtpLmHeadTp = p.mtpLmHeadTp.value_or(p.tp);
    if (auto error = checkTensorParallel("o_proj_tp", *r.model, s.allFull, r.oProjTp)) return error;
    for (auto [field, size] : {std::pair{"lm_head_tp", r.lmHeadTp}, std::pair{"mtp_lm_head_tp", r.mtpLmHeadTp}}) {
        if (size < limits::ranks.lowest || size > limits::ranks.highest) return outOfRange(field, size, limits::ranks);
        if (r.model->text.vocab % size != 0)
            return Error{ErrorCode::indivisible,
                         field,
                         count(size),
                         "vocabulary of " + count(r.model->text.vocab) + " does not divide by it",
                         "a divisor of the vocabulary",
                         {}};
    }
    return checkGroups(r);
}

} // namespace deltascope
