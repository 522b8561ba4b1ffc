// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/validate.h"

#include "base/format.h"
#include "catalog/checkpoint_quantization.h"
#include "scenario/module_scheme.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deltascope {
namespace {

using std::int64_t;

std::string count(int64_t n) { return formatCount(static_cast<double>(n)); }

std::string list(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

std::string list(const std::vector<int64_t>& numbers) {
    std::vector<std::string> words;
    for (int64_t n : numbers) words.push_back(count(n));
    return list(words);
}

Error outOfRange(std::string field, int64_t value, Range range, std::string why = "is out of range") {
    return {ErrorCode::outOfRange,
            std::move(field),
            count(value),
            std::move(why),
            count(range.lowest) + " to " + count(range.highest),
            {}};
}

template <class Items>
std::string names(const Items& items) {
    std::vector<std::string> words;
    for (const auto& item : items) words.push_back(item->name);
    return list(words);
}

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

std::vector<std::string> matrixFormats(const DeviceProfile& device) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < rateDTypeCount; ++i)
        if (device.matrixRate[i]) words.emplace_back(dtypeNames[i]);
    return words;
}

/// `what` is stored so, in the words of a refusal; empty for a scheme that was chosen.
std::optional<Error> checkRate(const std::string& field, Scheme scheme, const ResolvedScenario& r,
                               const std::string& what = {}) {
    const SchemeFacts& facts = factsOf(scheme);
    DType needed = facts.matrix;
    if (needed == DType::bf16) needed = activationRate(r);
    if (r.device->matrixRate[static_cast<std::size_t>(needed)]) return std::nullopt;
    return Error{ErrorCode::noRate,
                 field,
                 std::string(what.empty() ? facts.name : checkpointWord),
                 (what.empty() ? "" : what + " is stored as " + std::string(facts.name) + ", and ") + r.device->name +
                     " has no " + std::string(nameOf(needed)) + " matrix rate",
                 "schemes that run in " + list(matrixFormats(*r.device)),
                 {}};
}

/// Requests of the busiest of `dp` ranks when they are dealt out one by one.
std::vector<Request> dealOut(const std::vector<Request>& all, int64_t dp) {
    if (dp == 1) return all;
    std::vector<Request> busiest;
    double most = -1.0;
    for (int64_t rank = 0; rank < dp; ++rank) {
        std::vector<Request> mine;
        double tokens = 0.0;
        int64_t dealt = 0;
        for (const Request& group : all) {
            // indices dealt, dealt + 1, ... of this group; rank takes those congruent to it
            const int64_t first = ((rank - dealt) % dp + dp) % dp;
            const int64_t n = first < group.count ? (group.count - first - 1) / dp + 1 : 0;
            dealt += group.count;
            if (n == 0) continue;
            mine.push_back(group);
            mine.back().count = n;
            tokens += static_cast<double>(n * group.queryLength);
        }
        if (tokens > most) {
            most = tokens;
            busiest = std::move(mine);
        }
    }
    return busiest;
}

class Checker {
public:
    Checker(const Catalog& catalog, const Scenario& scenario) : catalog_(catalog) { r_.scenario = scenario; }

    Result<ResolvedScenario> run() {
        using Check = std::optional<Error> (Checker::*)();
        for (Check check : {&Checker::lookUp, &Checker::model, &Checker::parallelism, &Checker::tokens,
                            &Checker::drafting, &Checker::quantization, &Checker::rest})
            if (auto error = (this->*check)()) return *std::move(error);
        return std::move(r_);
    }

private:
    std::optional<Error> lookUp() {
        const Scenario& s = r_.scenario;
        r_.model = catalog_.findModel(s.model);
        if (!r_.model)
            return Error{ErrorCode::notFound, "model", s.model, "there is no such model", names(catalog_.models()), {}};
        r_.device = catalog_.findDevice(s.device);
        if (!r_.device)
            return Error{ErrorCode::notFound,       "device", s.device, "there is no such device",
                         names(catalog_.devices()), {}};
        r_.engine = catalog_.findEngine(s.engine);
        if (!r_.engine)
            return Error{ErrorCode::notFound,       "engine", s.engine, "there is no such engine",
                         names(catalog_.engines()), {}};
        r_.scenario.model = r_.model->name;
        r_.scenario.device = r_.device->name;
        r_.scenario.engine = r_.engine->name;
        return std::nullopt;
    }

    std::optional<Error> model() {
        Scenario& s = r_.scenario;
        const int64_t depth = r_.model->layerCount();
        if (s.layers && (*s.layers < 1 || *s.layers > depth))
            return outOfRange("layers", *s.layers, {1, depth}, r_.model->name + " has " + count(depth) + " layers");
        r_.layers = r_.model->text.layers;
        if (s.layers) r_.layers.resize(static_cast<std::size_t>(*s.layers));
        if (s.allFull) std::fill(r_.layers.begin(), r_.layers.end(), LayerType::fullAttention);
        for (const std::string& note : r_.model->notes) r_.notes.push_back(note);
        return std::nullopt;
    }

    std::optional<Error> parallelism() {
        Scenario& s = r_.scenario;
        Parallelism& p = s.parallel;
        if (p.dp < limits::ranks.lowest || p.dp > limits::ranks.highest) return outOfRange("dp", p.dp, limits::ranks);
        if (auto error = checkTensorParallel("tp", *r_.model, s.allFull, p.tp)) return error;
        if (p.tp * p.dp > limits::ranks.highest)
            return Error{ErrorCode::tooLarge,
                         "dp",
                         count(p.dp),
                         "tp * dp is " + count(p.tp * p.dp) + " ranks",
                         "at most " + count(limits::ranks.highest) + " ranks",
                         {}};
        if (p.ep < limits::ranks.lowest || p.ep > limits::ranks.highest) return outOfRange("ep", p.ep, limits::ranks);
        if (p.ep > 1) {
            if (!r_.model->text.moe)
                return Error{ErrorCode::contradictory, "ep", count(p.ep), r_.model->name + " has no experts", "1", {}};
            const int64_t experts = r_.model->text.moe->experts;
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
                             count(experts) + " experts of " + r_.model->name + " do not divide by it",
                             list(sizes),
                             {}};
        }
        if (auto error = visionParallelism()) return error;
        r_.oProjTp = p.oProjTp.value_or(p.tp);
        r_.lmHeadTp = p.lmHeadTp.value_or(p.tp);
        r_.mtpLmHeadTp = p.mtpLmHeadTp.value_or(p.tp);
        if (auto error = checkTensorParallel("o_proj_tp", *r_.model, s.allFull, r_.oProjTp)) return error;
        for (auto [field, size] : {std::pair{"lm_head_tp", r_.lmHeadTp}, std::pair{"mtp_lm_head_tp", r_.mtpLmHeadTp}}) {
            if (size < limits::ranks.lowest || size > limits::ranks.highest)
                return outOfRange(field, size, limits::ranks);
            if (r_.model->text.vocab % size != 0)
                return Error{ErrorCode::indivisible,
                             field,
                             count(size),
                             "vocabulary of " + count(r_.model->text.vocab) + " does not divide by it",
                             "a divisor of the vocabulary",
                             {}};
        }
        return groupsFitWorld();
    }

    std::optional<Error> visionParallelism() {
        const int64_t t = r_.scenario.parallel.visionTp;
        if (t < limits::ranks.lowest || t > limits::ranks.highest) return outOfRange("vision_tp", t, limits::ranks);
        if (t == 1) return std::nullopt;
        if (!r_.model->vision)
            return Error{
                ErrorCode::contradictory, "vision_tp", count(t), r_.model->name + " has no vision tower", "1", {}};
        const VisionConfig& v = *r_.model->vision;
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
    std::optional<Error> groupsFitWorld() {
        const Parallelism& p = r_.scenario.parallel;
        const int64_t world = p.tp * p.dp;
        std::vector<int64_t> sizes;
        for (int64_t n = 1; n <= world; ++n)
            if (world % n == 0 && (n % p.tp == 0 || p.tp % n == 0)) sizes.push_back(n);
        for (auto [field, size] : {std::pair{"vision_tp", p.visionTp}, std::pair{"o_proj_tp", r_.oProjTp},
                                   std::pair{"lm_head_tp", r_.lmHeadTp}, std::pair{"mtp_lm_head_tp", r_.mtpLmHeadTp}}) {
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

    std::optional<Error> tokens() {
        Scenario& s = r_.scenario;
        if (!(s.prefixHit >= 0.0 && s.prefixHit < 1.0))
            return Error{ErrorCode::outOfRange,          "prefix_hit",       formatExact(s.prefixHit),
                         "is not a share of the prompt", "0 to less than 1", {}};
        if (s.mtpTokens < limits::mtpTokens.lowest || s.mtpTokens > limits::mtpTokens.highest)
            return outOfRange("mtp_tokens", s.mtpTokens, limits::mtpTokens);
        std::vector<Request> all;
        if (s.requests.empty()) {
            if (s.queries < limits::queries.lowest || s.queries > limits::queries.highest)
                return outOfRange("queries", s.queries, limits::queries);
            if (!s.queryLength) s.queryLength = defaultQueryLength(s.phase, s.mtpTokens);
            if (!s.contextLength) s.contextLength = defaultContextLength(s.phase);
            Request request{s.queries, *s.queryLength, *s.contextLength, s.phase, 0, {}};
            if (auto error = addImages(request, s.image)) return error;
            all.push_back(request);
        } else {
            int64_t total = 0;
            for (const RequestGroup& g : s.requests) {
                if (g.count < limits::queries.lowest || g.count > limits::queries.highest)
                    return outOfRange("requests.count", g.count, limits::queries);
                total += g.count;
                Request request{g.count, g.queryLength, g.contextLength, g.phase.value_or(s.phase), 0, {}};
                if (auto error = addImages(request, g.image ? g.image : s.image)) return error;
                all.push_back(request);
            }
            if (total > limits::queries.highest)
                return outOfRange("requests", total, limits::queries, "lists too many requests");
            s.queries = total;
        }
        for (Request& request : all) {
            if (auto error = lengths(request)) return error;
            takePrefix(request);
        }
        r_.requests = dealOut(all, s.parallel.dp);
        for (const Request& request : r_.requests) {
            r_.requestCount += request.count;
            r_.images += request.count * request.images;
            r_.tokens += request.count * request.queryLength;
        }
        for (const Request& request : all) {
            if (request.phase == Phase::decode)
                r_.decodeRequestsOfAllRanks += request.count;
            else
                r_.promptTokensOfAllRanks += request.count * request.queryLength;
        }
        return std::nullopt;
    }

    std::optional<Error> lengths(const Request& request) {
        if (request.queryLength < limits::queryLength.lowest || request.queryLength > limits::queryLength.highest)
            return outOfRange("query_length", request.queryLength, limits::queryLength);
        if (request.contextLength < limits::contextLength.lowest ||
            request.contextLength > limits::contextLength.highest)
            return outOfRange("context_length", request.contextLength, limits::contextLength);
        if (request.phase == Phase::decode && request.contextLength == 0)
            return Error{ErrorCode::contradictory,
                         "context_length",
                         "0",
                         "a decode request continues a context",
                         "1 to " + count(limits::contextLength.highest),
                         {}};
        const int64_t end = request.queryLength + request.contextLength;
        if (end > r_.model->text.maxPosition)
            r_.notes.push_back("position " + count(end) + " is beyond the " + count(r_.model->text.maxPosition) +
                               " that " + r_.model->name + " was trained for: it needs RoPE scaling such as YaRN");
        return std::nullopt;
    }

    /// Image tokens, and one that opens and one that closes each image, join the prompt.
    std::optional<Error> addImages(Request& request, const std::optional<ImageChoice>& image) {
        if (!image || image->count == 0) return std::nullopt;
        if (image->count < limits::images.lowest || image->count > limits::images.highest)
            return outOfRange("image", image->count, limits::images, "images per request are out of range");
        if (!r_.model->vision)
            return Error{ErrorCode::contradictory,
                         "image",
                         count(image->count),
                         r_.model->name + " has no vision tower",
                         "no image",
                         {}};
        if (request.phase == Phase::decode) {
            r_.notes.push_back("images of a decode request are in its context already: the vision tower does not run");
            return std::nullopt;
        }
        auto resized = resizeImage(*r_.model->vision, r_.model->imageLimits, *image);
        if (!resized) return resized.error();
        if (!r_.model->imageLimits.note.empty() &&
            std::find(r_.notes.begin(), r_.notes.end(), r_.model->imageLimits.note) == r_.notes.end())
            r_.notes.push_back(r_.model->imageLimits.note);
        request.images = image->count;
        request.image = *resized;
        request.queryLength += image->count * (resized->tokens + 2);
        return std::nullopt;
    }

    /// Tokens of a prompt found in a prefix cache are context; at least one is left to compute.
    void takePrefix(Request& request) const {
        if (request.phase != Phase::prefill || r_.scenario.prefixHit == 0.0) return;
        const auto found =
            static_cast<int64_t>(std::floor(r_.scenario.prefixHit * static_cast<double>(request.queryLength)));
        request.queryLength -= found;
        request.contextLength += found;
    }

    std::optional<Error> drafting() {
        Scenario& s = r_.scenario;
        if (s.mtpTokens > 0 && r_.model->text.mtpLayers == 0)
            return Error{ErrorCode::contradictory,
                         "mtp_tokens",
                         count(s.mtpTokens),
                         r_.model->name + " has no multi-token-prediction head",
                         "0",
                         {}};
        if (s.acceptance && s.acceptedLength)
            return Error{ErrorCode::contradictory,   "acceptance",
                         formatExact(*s.acceptance), "accepted_length is given too, which says the same",
                         "one of the two",           {}};
        if (s.acceptance && !(*s.acceptance >= 0.0 && *s.acceptance <= 1.0))
            return Error{ErrorCode::outOfRange,  "acceptance", formatExact(*s.acceptance),
                         "is not a probability", "0 to 1",     {}};
        const double most = 1.0 + static_cast<double>(s.mtpTokens);
        if (s.acceptedLength && !(*s.acceptedLength >= 1.0 && *s.acceptedLength <= most))
            return Error{ErrorCode::outOfRange,
                         "accepted_length",
                         formatExact(*s.acceptedLength),
                         "a step yields 1 token and at most " + count(s.mtpTokens) + " accepted drafts",
                         "1 to " + formatExact(most),
                         {}};
        r_.tokensPerStep = 1.0;
        if (s.acceptedLength) {
            r_.tokensPerStep = *s.acceptedLength;
        } else if (s.mtpTokens > 0) {
            if (!s.acceptance)
                r_.notes.push_back("no acceptance was given: every drafted token is counted as accepted");
            const double p = s.acceptance.value_or(1.0);
            double power = 1.0;
            for (int64_t i = 1; i <= s.mtpTokens; ++i) r_.tokensPerStep += power *= p;
        }
        return std::nullopt;
    }

    std::optional<Error> quantization() {
        const Quantization& q = r_.scenario.quantization;
        if (q.kvCache == KvDType::fp8 && !r_.engine->fp8KvCache)
            return Error{ErrorCode::unsupported,
                         "kv_cache",
                         "fp8",
                         "engine " + r_.engine->name + " keeps no FP8 cache for grouped-query attention",
                         "bf16 or int8",
                         {}};
        if (q.checkpoint && !r_.model->checkpoint) {
            const std::string& problem = r_.model->checkpointProblem;
            return Error{ErrorCode::contradictory,
                         "quantization",
                         std::string(checkpointWord),
                         problem.empty() ? r_.model->name + " names no quantization of its own" : problem,
                         problem.empty() ? "a scheme such as BF16 or W8A8_DYNAMIC" : "",
                         {}};
        }
        for (const std::string& pattern : q.keepBf16)
            if (pattern.empty())
                return Error{ErrorCode::outOfRange,
                             "keep_bf16",
                             "''",
                             "an empty pattern matches nothing",
                             "a glob such as layers.3.* or *.out_proj",
                             {}};
        if (q.experts && !r_.model->text.moe)
            return Error{
                ErrorCode::contradictory,           "expert_quantization", std::string(factsOf(*q.experts).name),
                r_.model->name + " has no experts", "to be left out",      {}};
        r_.schemeGroups = groupBySchemes(r_);
        return q.checkpoint ? checkpointRates() : chosenRates();
    }

    std::optional<Error> chosenRates() {
        const Quantization& q = r_.scenario.quantization;
        if (auto error = checkRate("quantization", q.linear, r_)) return error;
        if (r_.model->text.moe)
            if (auto error = checkRate("expert_quantization", q.experts.value_or(q.linear), r_)) return error;
        if (auto error = checkRate("lm_head_quantization", q.lmHead.value_or(floatScheme(r_)), r_)) return error;
        if (const auto& stored = r_.model->checkpoint)
            r_.notes.push_back("the checkpoint of " + r_.model->name + " is quantized (" + stored->method +
                               "), which the scenario does not follow: quantization " + std::string(checkpointWord) +
                               " does");
        return checkRate("quantization", floatScheme(r_), r_); // attention and what stays unquantized
    }

    /// Schemes of every module that runs, one layer of each kind.
    std::optional<Error> checkpointRates() {
        const Quantization& q = r_.scenario.quantization;
        const TextConfig& text = r_.model->text;
        const auto check = [&](ModuleRole role, const std::string& prefix, std::string_view module) {
            const Scheme scheme = schemeOf(r_, role, prefix, module);
            if (role == ModuleRole::expert && q.experts) return checkRate("expert_quantization", scheme, r_);
            if (role == ModuleRole::lmHead && q.lmHead) return checkRate("lm_head_quantization", scheme, r_);
            return checkRate("quantization", scheme, r_,
                             (prefix.empty() ? "" : prefix + ".") + std::string(module) + " of " + r_.model->name);
        };
        struct Kind {
            LayerType type;
            bool sparse;
            std::uint32_t schemeGroup;
            bool operator==(const Kind&) const = default;
        };
        std::vector<Kind> seen;
        const auto checkLayer = [&](LayerType type, bool sparse, const std::string& prefix) -> std::optional<Error> {
            for (const LayerModule& module : layerModules)
                if (hasModule(text, type, sparse, module))
                    if (auto error = check(module.role, prefix, module.path)) return error;
            return std::nullopt;
        };
        for (std::size_t i = 0; i < r_.layers.size(); ++i) {
            const Kind kind{r_.layers[i], text.sparseLayer[i], r_.schemeGroups[i]};
            if (std::find(seen.begin(), seen.end(), kind) != seen.end()) continue;
            seen.push_back(kind);
            if (auto error = checkLayer(kind.type, kind.sparse, layerPrefix(r_, i))) return error;
        }
        if (r_.scenario.mtpTokens > 0) {
            if (auto error = checkLayer(LayerType::fullAttention, text.moe.has_value(), "mtp.layers.0")) return error;
            if (auto error = check(ModuleRole::linear, "mtp", "fc")) return error;
        }
        if (auto error = check(ModuleRole::lmHead, "", "lm_head")) return error;
        r_.notes.insert(r_.notes.end(), r_.model->checkpoint->notes.begin(), r_.model->checkpoint->notes.end());
        return checkRate("quantization", floatScheme(r_), r_);
    }

    std::optional<Error> rest() {
        Scenario& s = r_.scenario;
        if (!(s.routingSkew >= 0.0 && s.routingSkew <= 4.0))
            return Error{ErrorCode::outOfRange, "routing_skew",     formatExact(s.routingSkew),
                         "is out of range",     "0 (uniform) to 4", {}};
        if (s.outputLength && (*s.outputLength < 1 || *s.outputLength > limits::contextLength.highest))
            return outOfRange("output_length", *s.outputLength, {1, limits::contextLength.highest});
        r_.calibration = s.calibration.value_or(r_.engine->appliesCalibration) && r_.device->calibration;
        if (r_.calibration && !r_.device->calibration->scaledFrom.empty()) {
            r_.calibrationSibling = catalog_.findDevice(r_.device->calibration->scaledFrom);
            if (!r_.calibrationSibling || !r_.calibrationSibling->calibration)
                r_.notes.push_back("the calibration of " + r_.device->name + " is scaled from " +
                                   r_.device->calibration->scaledFrom + ", which is not here or has none");
        }
        if (s.host)
            r_.notes.push_back("engine " + r_.engine->name + " has no host model: host " +
                               std::string(nameOf(*s.host)) + " has no effect");
        return std::nullopt;
    }

    const Catalog& catalog_;
    ResolvedScenario r_;
};

} // namespace

std::vector<int64_t> tensorParallelSizes(const ModelConfig& model, bool allFull, int64_t limit) {
    int64_t common = 0;
    for (const Divisor& d : divisors(model, allFull)) common = std::gcd(common, d.number);
    std::vector<int64_t> sizes;
    for (int64_t t = 1; t <= std::min(common, limit); ++t)
        if (common % t == 0 && keyValueHeadsAllow(model, t)) sizes.push_back(t);
    return sizes;
}

Result<ResolvedScenario> validate(const Catalog& catalog, const Scenario& scenario) {
    return Checker(catalog, scenario).run();
}

} // namespace deltascope
