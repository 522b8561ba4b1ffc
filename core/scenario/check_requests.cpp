// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/checks.h"

#include <algorithm>
#include <cmath>

namespace deltascope {
namespace {

using std::int64_t;

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

std::optional<Error> checkLengths(ResolvedScenario& r, const Request& request) {
    if (request.queryLength < limits::queryLength.lowest || request.queryLength > limits::queryLength.highest)
        return outOfRange("query_length", request.queryLength, limits::queryLength);
    if (request.contextLength < limits::contextLength.lowest || request.contextLength > limits::contextLength.highest)
        return outOfRange("context_length", request.contextLength, limits::contextLength);
    if (request.phase == Phase::decode && request.contextLength == 0)
        return Error{ErrorCode::contradictory,
                     "context_length",
                     "0",
                     "a decode request continues a context",
                     "1 to " + count(limits::contextLength.highest),
                     {}};
    const int64_t end = request.queryLength + request.contextLength;
    if (end > r.model->text.maxPosition)
        r.notes.push_back("position " + count(end) + " is beyond the " + count(r.model->text.maxPosition) + " that " +
                          r.model->name + " was trained for: it needs RoPE scaling such as YaRN");
    return std::nullopt;
}

/// Image tokens, and one that opens and one that closes each image, join the prompt.
std::optional<Error> addImages(ResolvedScenario& r, Request& request, const std::optional<ImageChoice>& image) {
    if (!image || image->count == 0) return std::nullopt;
    if (image->count < limits::images.lowest || image->count > limits::images.highest)
        return outOfRange("image", image->count, limits::images, "images per request are out of range");
    if (!r.model->vision)
        return Error{ErrorCode::contradictory,
                     "image",
                     count(image->count),
                     r.model->name + " has no vision tower",
                     "no image",
                     {}};
    if (request.phase == Phase::decode) {
        r.notes.push_back("images of a decode request are in its context already: the vision tower does not run");
        return std::nullopt;
    }
    auto resized = resizeImage(*r.model->vision, r.model->imageLimits, *image);
    if (!resized) return resized.error();
    if (!r.model->imageLimits.note.empty() &&
        std::find(r.notes.begin(), r.notes.end(), r.model->imageLimits.note) == r.notes.end())
        r.notes.push_back(r.model->imageLimits.note);
    request.images = image->count;
    request.image = *resized;
    request.queryLength += image->count * (resized->tokens + 2);
    return std::nullopt;
}

/// Tokens of a prompt found in a prefix cache are context; at least one is left to compute.
void takePrefix(const ResolvedScenario& r, Request& request) {
    if (request.phase != Phase::prefill || r.scenario.prefixHit == 0.0) return;
    const auto found =
        static_cast<int64_t>(std::floor(r.scenario.prefixHit * static_cast<double>(request.queryLength)));
    request.queryLength -= found;
    request.contextLength += found;
}

} // namespace

std::optional<Error> checkRequests(ResolvedScenario& r) {
    Scenario& s = r.scenario;
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
        if (auto error = addImages(r, request, s.image)) return error;
        all.push_back(request);
    } else {
        int64_t total = 0;
        for (const RequestGroup& g : s.requests) {
            if (g.count < limits::queries.lowest || g.count > limits::queries.highest)
                return outOfRange("requests.count", g.count, limits::queries);
            total += g.count;
            Request request{g.count, g.queryLength, g.contextLength, g.phase.value_or(s.phase), 0, {}};
            if (auto error = addImages(r, request, g.image ? g.image : s.image)) return error;
            all.push_back(request);
        }
        if (total > limits::queries.highest)
            return outOfRange("requests", total, limits::queries, "lists too many requests");
        s.queries = total;
    }
    for (Request& request : all) {
        if (auto error = checkLengths(r, request)) return error;
        takePrefix(r, request);
    }
    r.requests = dealOut(all, s.parallel.dp);
    for (const Request& request : r.requests) {
        r.requestCount += request.count;
        r.images += request.count * request.images;
        r.tokens += request.count * request.queryLength;
    }
    for (const Request& request : all) {
        if (request.phase == Phase::decode)
            r.decodeRequestsOfAllRanks += request.count;
        else
            r.promptTokensOfAllRanks += request.count * request.queryLength;
    }
    return std::nullopt;
}

std::optional<Error> checkDrafting(ResolvedScenario& r) {
    Scenario& s = r.scenario;
    if (s.mtpTokens > 0 && r.model->text.mtpLayers == 0)
        return Error{ErrorCode::contradictory,
                     "mtp_tokens",
                     count(s.mtpTokens),
                     r.model->name + " has no multi-token-prediction head",
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
    r.tokensPerStep = 1.0;
    if (s.acceptedLength) {
        r.tokensPerStep = *s.acceptedLength;
    } else if (s.mtpTokens > 0) {
        if (!s.acceptance) r.notes.push_back("no acceptance was given: every drafted token is counted as accepted");
        const double p = s.acceptance.value_or(1.0);
        double power = 1.0;
        for (int64_t i = 1; i <= s.mtpTokens; ++i) r.tokensPerStep += power *= p;
    }
    return std::nullopt;
}

} // namespace deltascope
