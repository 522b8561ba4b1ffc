// SPDX-License-Identifier: GPL-3.0-or-later
#include "explore/compare.h"

#include <array>

namespace deltascope {
namespace {

enum Cause : std::size_t { matrix, vector, memory, communication, launch, host, added, removed, causeCount };
constexpr std::array<std::string_view, causeCount> causeNames{
    "matrix", "vector", "memory", "communication", "launch", "host", "operators added", "operators removed"};

/// An operator's time without its launch goes to what bounds it: the causes then add up to its time.
void account(std::array<Seconds, causeCount>& sums, const OperatorCost& cost, double sign) {
    const Seconds body = cost.total - cost.launch;
    sums[launch] += cost.launch * sign;
    const Seconds compute = cost.matrix + cost.vector;
    if (cost.communication >= cost.memory && cost.communication >= compute) {
        sums[communication] += body * sign;
    } else if (cost.memory >= compute) {
        sums[memory] += body * sign;
    } else {
        const double share = cost.matrix / compute;
        sums[matrix] += body * (sign * share);
        sums[vector] += body * (sign * (1.0 - share));
    }
}

bool sameOperator(const Operator& a, const Operator& b) {
    return a.kind == b.kind && a.occurrence == b.occurrence && a.module == b.module;
}

/// Partner of every operator of A's block in B's, and of every one of B's in A's; -1 for none.
struct BlockMatch {
    std::vector<std::int32_t> ofA;
    std::vector<std::int32_t> ofB;
};

BlockMatch matchBlocks(const Block& a, const Block& b) {
    BlockMatch match{std::vector<std::int32_t>(a.operators.size(), -1),
                     std::vector<std::int32_t>(b.operators.size(), -1)};
    std::size_t hint = 0;
    for (std::size_t i = 0; i < a.operators.size(); ++i) {
        // Both lists have the same order up to insertions: look from the last hit on, then from the start.
        for (std::size_t k = 0; k < b.operators.size(); ++k) {
            const std::size_t j = (hint + k) % b.operators.size();
            if (match.ofB[j] >= 0 || !sameOperator(a.operators[i], b.operators[j])) continue;
            match.ofA[i] = static_cast<std::int32_t>(j);
            match.ofB[j] = static_cast<std::int32_t>(i);
            hint = j + 1;
            break;
        }
    }
    return match;
}

class Matcher {
public:
    Matcher(const Simulation& a, const Simulation& b) : a_(a), b_(b) {}

    Comparison run() {
        std::vector<bool> seen(b_.step.segments.size(), false);
        result_.operators.reserve(static_cast<std::size_t>(a_.totals.operators + b_.totals.operators / 4));
        std::size_t hint = 0;
        for (std::uint32_t i = 0; i < a_.step.segments.size(); ++i) {
            const auto j = partner(a_.step.segments[i], hint);
            if (j) {
                seen[*j] = true;
                hint = *j + 1;
                both(i, *j);
            } else {
                only(a_, i, true);
            }
        }
        for (std::uint32_t j = 0; j < seen.size(); ++j)
            if (!seen[j]) only(b_, j, false);
        sums_[host] = b_.totals.hostWait - a_.totals.hostWait;
        for (std::size_t cause = 0; cause < causeCount; ++cause)
            result_.waterfall.push_back({causeNames[cause], sums_[cause]});
        return std::move(result_);
    }

private:
    std::optional<std::uint32_t> partner(const Segment& segment, std::size_t hint) const {
        const auto& others = b_.step.segments;
        for (std::size_t k = 0; k < others.size(); ++k) {
            const std::size_t j = (hint + k) % others.size();
            if (others[j].part == segment.part && others[j].layer == segment.layer)
                return static_cast<std::uint32_t>(j);
        }
        return std::nullopt;
    }

    const BlockMatch& match(std::uint32_t blockA, std::uint32_t blockB) {
        for (const auto& [key, value] : matches_)
            if (key == std::pair{blockA, blockB}) return value;
        matches_.emplace_back(std::pair{blockA, blockB}, matchBlocks(a_.step.blocks[blockA], b_.step.blocks[blockB]));
        return matches_.back().second;
    }

    void both(std::uint32_t segmentA, std::uint32_t segmentB) {
        const std::uint32_t blockA = a_.step.segments[segmentA].block, blockB = b_.step.segments[segmentB].block;
        const BlockMatch& m = match(blockA, blockB);
        for (std::uint32_t i = 0; i < m.ofA.size(); ++i) {
            const OperatorRef refA{segmentA, i};
            if (m.ofA[i] < 0) {
                single(a_, refA, true);
                continue;
            }
            const OperatorRef refB{segmentB, static_cast<std::uint32_t>(m.ofA[i])};
            result_.operators.push_back({refA, refB, a_.cost(refA).total, b_.cost(refB).total});
            account(sums_, a_.cost(refA), -1.0);
            account(sums_, b_.cost(refB), 1.0);
        }
        for (std::uint32_t j = 0; j < m.ofB.size(); ++j)
            if (m.ofB[j] < 0) single(b_, {segmentB, j}, false);
    }

    void only(const Simulation& s, std::uint32_t segment, bool isA) {
        const auto n = static_cast<std::uint32_t>(s.step.blocks[s.step.segments[segment].block].operators.size());
        for (std::uint32_t i = 0; i < n; ++i) single(s, {segment, i}, isA);
    }

    void single(const Simulation& s, OperatorRef ref, bool isA) {
        const Seconds time = s.cost(ref).total;
        if (isA) {
            result_.operators.push_back({ref, std::nullopt, time, Seconds(0)});
            sums_[removed] -= time;
        } else {
            result_.operators.push_back({std::nullopt, ref, Seconds(0), time});
            sums_[added] += time;
        }
    }

    const Simulation& a_;
    const Simulation& b_;
    Comparison result_;
    std::array<Seconds, causeCount> sums_{};
    std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, BlockMatch>> matches_;
};

} // namespace

Comparison compare(const Simulation& a, const Simulation& b) { return Matcher(a, b).run(); }

} // namespace deltascope
