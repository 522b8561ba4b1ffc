// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalog/read_calibration.h"

#include "base/numbers.h"
#include "base/spelling.h"

#include <algorithm>
#include <cmath>

namespace deltascope {
namespace {

constexpr NumberRange efficiency{.min = 1e-6, .max = 4.0};
constexpr NumberRange ratePerSecond{.min = 1e-3, .max = 1e24, .unit = "units per second"};
constexpr NumberRange seconds{.min = 0.0, .max = 1.0, .unit = "seconds"};
constexpr NumberRange size{.min = 0.0, .max = 1e30};
constexpr NumberRange point{.min = 1e-6, .max = 1e30};
constexpr NumberRange tableUnit{.min = 1e-9, .max = 1e9};
constexpr double leastFactor = 1e-12, mostFactor = 1e12; // of a table: what is beyond overflows into no time at all
constexpr std::size_t mostSizes = 4;                     // that are multiplied
constexpr std::size_t mostAxes = 4;
constexpr std::size_t mostValues = 100'000;

template <class Names>
std::vector<std::string> listed(const Names& names) {
    return {names.begin(), names.end()};
}

/// Index of `word` among `names`; a word that is none of them is a problem of `key`.
template <class Names>
std::optional<std::size_t> indexOf(CheckedMap& map, std::string_view key, const std::string& word, const Names& names) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    const auto known = listed(names);
    const auto meant = nearest(word, known);
    map.fail(ErrorCode::outOfRange, key,
             "names " + printable(word) + ", which there is not" + (meant ? ", perhaps " + *meant + " is meant" : ""),
             orList(known));
    return std::nullopt;
}

std::vector<Feature> readFeatures(CheckedMap& map, std::string_view key) {
    std::vector<Feature> features;
    for (const std::string& word : map.textList(key))
        if (const auto index = indexOf(map, key, word, featureNames)) features.push_back(static_cast<Feature>(*index));
    if (features.empty())
        map.fail(map.has(key) ? ErrorCode::outOfRange : ErrorCode::missingKey, key, "names no size",
                 orList(listed(featureNames)));
    if (features.size() > mostSizes) map.fail(ErrorCode::outOfRange, key, "multiplies too many sizes", "one to four");
    return features;
}

std::vector<FeatureRange> readRanges(CheckedMap& rule, std::string_view key) {
    std::vector<FeatureRange> ranges;
    auto map = rule.optionalMap(key);
    if (!map) return ranges;
    for (std::size_t i = 0; i < featureCount; ++i) {
        if (!map->has(featureNames[i])) {
            (void)map->numberList(featureNames[i]);
            continue;
        }
        const auto ends = map->numberList(featureNames[i], size);
        if (ends.size() != 2 || ends[0] > ends[1])
            map->fail(ErrorCode::outOfRange, featureNames[i], "is no range", "the smallest and the largest, [1, 128]");
        else
            ranges.push_back({static_cast<Feature>(i), ends[0], ends[1]});
    }
    map->refuseUnknownKeys();
    return ranges;
}

std::vector<RateTerm> readTerms(CheckedMap& rule) {
    std::vector<RateTerm> terms;
    for (CheckedMap& map : rule.maps("terms")) {
        RateTerm term;
        term.per = readFeatures(map, "per");
        term.rate = map.requireNumber("rate", ratePerSecond);
        term.scalesWith = map.optionalChoice<ScalesWith>("scales_with", {{"nothing", ScalesWith::nothing},
                                                                         {"compute", ScalesWith::compute},
                                                                         {"memory", ScalesWith::memory},
                                                                         {"link", ScalesWith::link}})
                              .value_or(ScalesWith::nothing);
        map.refuseUnknownKeys();
        terms.push_back(std::move(term));
    }
    return terms;
}

RuleTable::Axis readAxis(CheckedMap& map) {
    RuleTable::Axis axis;
    axis.of = readFeatures(map, "of");
    for (double p : map.numberList("points", point)) {
        const double log = std::log(p);
        if (!axis.logPoints.empty() && log <= axis.logPoints.back())
            map.fail(ErrorCode::outOfRange, "points", "do not rise", "points in rising order");
        axis.logPoints.push_back(log);
    }
    if (axis.logPoints.empty())
        map.fail(map.has("points") ? ErrorCode::outOfRange : ErrorCode::missingKey, "points", "holds no point",
                 "the sizes the table has values for");
    map.refuseUnknownKeys();
    return axis;
}

/// Numbers with blanks between them: a table of thousands is one text, as one value each would be slow to read.
void readValues(CheckedMap& map, RuleTable& table, std::size_t wanted) {
    const std::string text = map.requireText("values");
    const double unit = map.optionalNumber("unit", tableUnit).value_or(1.0);
    constexpr std::string_view blanks = " \n\t\r";
    const std::string_view all = text;
    for (std::size_t at = all.find_first_not_of(blanks); at != std::string_view::npos;) {
        const std::size_t end = std::min(all.find_first_of(blanks, at), all.size());
        const auto value = finiteNumber(all.substr(at, end - at));
        if (!value || !(*value * unit >= leastFactor && *value * unit <= mostFactor))
            return map.fail(ErrorCode::outOfRange, "values",
                            "holds " + printable(all.substr(at, std::min<std::size_t>(end - at, 32))),
                            "numbers with blanks between them, from 1e-12 to 1e12 times the unit");
        table.logValues.push_back(static_cast<float>(std::log(*value * unit)));
        at = all.find_first_not_of(blanks, end);
    }
    if (table.logValues.size() != wanted)
        map.fail(ErrorCode::outOfRange, "values",
                 "holds " + std::to_string(table.logValues.size()) + " numbers, the axes have " +
                     std::to_string(wanted) + " points",
                 "a value for each point, the last axis running fastest");
}

std::optional<RuleTable> readTable(CheckedMap& rule) {
    auto map = rule.optionalMap("table");
    if (!map) return std::nullopt;
    RuleTable table;
    std::size_t wanted = 1;
    for (CheckedMap& axis : map->maps("axes")) {
        table.axes.push_back(readAxis(axis));
        if (wanted <= mostValues) wanted *= table.axes.back().logPoints.size();
    }
    if (table.axes.empty() || table.axes.size() > mostAxes || wanted > mostValues)
        map->fail(map->has("axes") ? ErrorCode::outOfRange : ErrorCode::missingKey, "axes",
                  "span no table that can be read", "one to four axes, at most 100,000 points together");
    else
        readValues(*map, table, wanted);
    map->refuseUnknownKeys();
    return table;
}

Scatter readScatter(CheckedMap& map) {
    Scatter scatter{map.requireNumber("p10", {.min = 0.01, .max = 100.0}),
                    map.requireNumber("p90", {.min = 0.01, .max = 100.0})};
    if (scatter.p10 > scatter.p90)
        map.fail(ErrorCode::contradictory, "p10", "is larger than p90", "percentiles of measured / predicted");
    map.refuseUnknownKeys();
    return scatter;
}

CalibrationRule readRule(CheckedMap& map) {
    CalibrationRule rule;
    for (const std::string& word : map.textList("kinds")) {
        const auto index = indexOf(map, "kinds", word, operatorKindNames);
        if (!index) continue;
        const auto kind = static_cast<OperatorKind>(*index);
        if (std::find(rule.kinds.begin(), rule.kinds.end(), kind) != rule.kinds.end())
            map.fail(ErrorCode::contradictory, "kinds", "names " + word + " twice");
        rule.kinds.push_back(kind);
    }
    if (rule.kinds.empty()) map.fail(ErrorCode::missingKey, "kinds", "names no kind of operator");
    std::vector<std::pair<std::string, DType>> formats;
    for (std::size_t i = 0; i < rateDTypeCount; ++i) formats.emplace_back(dtypeNames[i], static_cast<DType>(i));
    rule.dtype = map.optionalChoice<DType>("dtype", formats);
    rule.phase =
        map.optionalChoice<StepPhase>("phase", {{"prefill", StepPhase::prefill}, {"decode", StepPhase::decode}});
    rule.where = readRanges(map, "where");
    rule.seen = readRanges(map, "seen");
    rule.compute = map.optionalNumber("compute_efficiency", efficiency);
    rule.memory = map.optionalNumber("memory_efficiency", efficiency);
    rule.terms = readTerms(map);
    rule.constant = Seconds(map.optionalNumber("constant_s", seconds).value_or(0.0));
    rule.floor = Seconds(map.optionalNumber("floor_s", seconds).value_or(0.0));
    rule.table = readTable(map);
    rule.includedIn = map.optionalText("included_in").value_or("");
    const bool law = rule.compute || rule.memory || !rule.terms.empty() || rule.constant > Seconds(0);
    if (!rule.includedIn.empty() && (law || rule.table || rule.floor > Seconds(0)))
        map.fail(ErrorCode::contradictory, "included_in", "stands beside a law", "one of the two");
    if (rule.includedIn.empty() && !law && (rule.table || rule.floor == Seconds(0)))
        map.fail(ErrorCode::missingKey, "kinds", "have no law",
                 "compute_efficiency, memory_efficiency, terms, constant_s, floor_s or included_in; a table needs one "
                 "of the first four to multiply");
    rule.scaled = map.optionalChoice<bool>("provenance", {{"calibrated", false}, {"scaled", true}}).value_or(false);
    if (auto scatter = rule.includedIn.empty() ? map.requireMap("scatter") : map.optionalMap("scatter"))
        rule.scatter = readScatter(*scatter);
    rule.source = map.requireText("source");
    map.refuseUnknownKeys();
    return rule;
}

} // namespace

Calibration readCalibration(CheckedMap& map) {
    Calibration calibration;
    calibration.scaledFrom = map.optionalText("scaled_from").value_or("");
    for (CheckedMap& rule : map.maps("rules")) calibration.rules.push_back(readRule(rule));
    if (calibration.rules.empty() && calibration.scaledFrom.empty())
        map.fail(ErrorCode::missingKey, "rules", "is required and missing",
                 "a list of rules, or scaled_from with the name of a device that has one");
    if (!calibration.scaledFrom.empty())
        if (auto scatter = map.requireMap("scaled")) calibration.scaled = readScatter(*scatter);
    if (auto scatter = map.optionalMap("uncalibrated")) calibration.uncalibrated = readScatter(*scatter);
    calibration.remark = map.optionalText("remark").value_or("");
    map.refuseUnknownKeys();
    return calibration;
}

} // namespace deltascope
