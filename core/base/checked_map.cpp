// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/checked_map.h"

#include "base/format.h"
#include "base/spelling.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace deltascope {
namespace {

using Kind = DocumentValue::Kind;

/// Units that end our keys, the longer first where one ends the other.
struct KeyUnit {
    std::string_view suffix;
    std::string_view words;
};
constexpr std::array keyUnits{
    KeyUnit{"_bytes_per_s", "bytes per second"},
    KeyUnit{"_flops_per_s", "floating-point operations per second"},
    KeyUnit{"_bytes", "bytes"},
    KeyUnit{"_pixels", "pixels"},
    KeyUnit{"_s", "seconds"},
};

/// Endings that people put in place of ours, without the leading `_`.
constexpr std::array otherUnits{
    "b",
    "byte",
    "bytes",
    "kb",
    "mb",
    "gb",
    "tb",
    "kib",
    "mib",
    "gib",
    "tib",
    "bps",
    "gbps",
    "tbps",
    "gb_s",
    "tb_s",
    "gb_per_s",
    "tb_per_s",
    "gib_per_s",
    "tib_per_s",
    "mb_per_s",
    "bytes_per_s",
    "bytes_per_second",
    "flops",
    "flop_per_s",
    "flops_per_s",
    "flops_per_second",
    "gflops",
    "tflops",
    "pflops",
    "tops",
    "tflops_per_s",
    "pflops_per_s",
    "gflops_per_s",
    "tops_per_s",
    "s",
    "sec",
    "seconds",
    "ms",
    "us",
    "ns",
    "px",
    "pixels",
};

const KeyUnit* unitOf(std::string_view key) {
    const auto unit =
        std::find_if(keyUnits.begin(), keyUnits.end(), [&](const KeyUnit& u) { return key.ends_with(u.suffix); });
    return unit == keyUnits.end() ? nullptr : &*unit;
}

/// `size_gb` or `size` for `size_bytes`.
bool differsInUnitOnly(std::string_view key, std::string_view known) {
    const KeyUnit* unit = unitOf(known);
    if (!unit) return false;
    const std::string_view stem = known.substr(0, known.size() - unit->suffix.size());
    if (!key.starts_with(stem) || key == known) return false;
    const std::string_view rest = key.substr(stem.size());
    if (rest.empty()) return true;
    return rest.front() == '_' && std::any_of(otherUnits.begin(), otherUnits.end(), [&](std::string_view other) {
               return equalIgnoringCase(rest.substr(1), other);
           });
}

/// "64 GB", "1.2TB/s", "5us": a number with letters behind it.
bool looksLikeNumberWithUnit(std::string_view text) {
    const auto end = text.find_first_not_of("0123456789.+-eE ");
    return end != std::string_view::npos && end > 0 && text.find_first_of("0123456789") < end;
}

bool saysNotFinite(std::string_view text) {
    return equalIgnoringCase(text, "nan") || equalIgnoringCase(text, "inf") || equalIgnoringCase(text, "-inf") ||
           equalIgnoringCase(text, "infinity") || equalIgnoringCase(text, "-infinity");
}

std::string accepts(const NumberRange& range) {
    constexpr double none = std::numeric_limits<double>::max();
    std::string text = "a number";
    if (!range.unit.empty()) text += " of " + std::string(range.unit);
    const std::string low = formatExact(range.min);
    const std::string high = formatExact(range.max);
    if (range.min > -none && range.max < none)
        return text + (range.aboveMin ? " above " + low + ", at most " + high : " from " + low + " to " + high);
    if (range.min > -none) return text + (range.aboveMin ? " above " : " of at least ") + low;
    if (range.max < none) return text + " of at most " + high;
    return text;
}

std::string accepts(const WholeRange& range) {
    return "a whole number from " + formatCount(static_cast<double>(range.min)) + " to " +
           formatCount(static_cast<double>(range.max));
}

} // namespace

void Checker::fail(Error error) {
    const bool saysMore = error_ && error_->code == ErrorCode::missingKey &&
                          (error.code == ErrorCode::unknownKey || error.code == ErrorCode::wrongUnit);
    if (!error_ || saysMore) error_ = std::move(error);
}

CheckedMap::CheckedMap(Checker& checker, const DocumentValue& value, std::string path)
    : checker_(&checker), value_(&value), path_(std::move(path)) {
    if (value.kind != Kind::map) wrongType(value, path_.empty() ? "file" : path_, "a map of keys and values");
}

std::string CheckedMap::pathOf(std::string_view key) const {
    return (path_.empty() ? "" : path_ + '.') + printable(key);
}

void CheckedMap::failAt(ErrorCode code, const DocumentValue& value, std::string subject, std::string why,
                        std::string accepted) {
    checker_->fail({code, std::move(subject), value.shown(), std::move(why), std::move(accepted),
                    lineOf(checker_->file(), value.line)});
}

void CheckedMap::wrongType(const DocumentValue& value, std::string subject, std::string accepted) {
    failAt(ErrorCode::wrongType, value, std::move(subject), "is of another type", std::move(accepted));
}

void CheckedMap::fail(ErrorCode code, std::string_view key, std::string why, std::string accepted) {
    const DocumentValue* value = value_->find(key);
    checker_->fail({code, pathOf(key), value ? value->shown() : "", std::move(why), std::move(accepted),
                    lineOf(checker_->file(), value ? value->line : value_->line)});
}

bool CheckedMap::has(std::string_view key) const {
    const DocumentValue* value = value_->find(key);
    return value && value->kind != Kind::null;
}

const DocumentValue* CheckedMap::look(std::string_view key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
    return has(key) ? value_->find(key) : nullptr;
}

const DocumentValue* CheckedMap::require(std::string_view key) {
    const DocumentValue* value = look(key);
    if (!value && value_->kind == Kind::map) fail(ErrorCode::missingKey, key, "is required and missing");
    return value;
}

std::optional<std::string> CheckedMap::text(const DocumentValue& value, const std::string& subject) {
    if (value.kind == Kind::text && !value.text.empty()) return value.text;
    if (value.kind == Kind::text)
        failAt(ErrorCode::outOfRange, value, subject, "is empty", "a text");
    else
        wrongType(value, subject,
                  value.kind == Kind::number ? "a text (in quotes, if it looks like a number)" : "a text");
    return std::nullopt;
}

std::optional<double> CheckedMap::number(const DocumentValue& value, std::string_view key, const NumberRange& range) {
    const std::string subject = pathOf(key);
    if (value.kind == Kind::text && looksLikeNumberWithUnit(value.text)) {
        const KeyUnit* unit = unitOf(subject);
        failAt(ErrorCode::wrongUnit, value, subject, "a number alone is wanted, as the key names the unit",
               unit ? "a number of " + std::string(unit->words) : accepts(range));
        return std::nullopt;
    }
    const bool wordForInfinity = value.kind == Kind::text && saysNotFinite(value.text);
    if (value.kind != Kind::number && !wordForInfinity) {
        wrongType(value, subject, accepts(range));
        return std::nullopt;
    }
    if (wordForInfinity || !std::isfinite(value.number)) {
        failAt(ErrorCode::outOfRange, value, subject, "is not finite", accepts(range));
        return std::nullopt;
    }
    if (value.number < range.min || value.number > range.max || (range.aboveMin && value.number <= range.min)) {
        failAt(ErrorCode::outOfRange, value, subject, "is out of range", accepts(range));
        return std::nullopt;
    }
    return value.number;
}

std::optional<std::int64_t> CheckedMap::whole(const DocumentValue& value, const std::string& subject,
                                              const WholeRange& range) {
    const bool wordForInfinity = value.kind == Kind::text && saysNotFinite(value.text);
    if (value.kind != Kind::number && !wordForInfinity) {
        wrongType(value, subject, accepts(range));
    } else if (wordForInfinity || !std::isfinite(value.number)) {
        failAt(ErrorCode::outOfRange, value, subject, "is not finite", accepts(range));
    } else if (!value.whole && std::abs(value.number) < 1e15) {
        failAt(ErrorCode::wrongType, value, subject, "is not a whole number", accepts(range));
    } else if (!value.whole || *value.whole < range.min || *value.whole > range.max) {
        failAt(ErrorCode::outOfRange, value, subject, "is out of range", accepts(range));
    } else {
        return value.whole;
    }
    return std::nullopt;
}

std::string CheckedMap::requireText(std::string_view key) {
    const DocumentValue* value = require(key);
    return value ? text(*value, pathOf(key)).value_or("") : "";
}

std::string CheckedMap::requireName(std::string_view key) {
    std::string name = requireText(key);
    const auto controls = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    if (std::any_of(name.begin(), name.end(), controls))
        fail(ErrorCode::outOfRange, key, "holds a line break or another control character", "a text of one line");
    return name;
}

std::optional<std::string> CheckedMap::optionalText(std::string_view key) {
    const DocumentValue* value = look(key);
    return value ? text(*value, pathOf(key)) : std::nullopt;
}

double CheckedMap::requireNumber(std::string_view key, const NumberRange& range) {
    const DocumentValue* value = require(key);
    return value ? number(*value, key, range).value_or(0.0) : 0.0;
}

std::optional<double> CheckedMap::optionalNumber(std::string_view key, const NumberRange& range) {
    const DocumentValue* value = look(key);
    return value ? number(*value, key, range) : std::nullopt;
}

std::int64_t CheckedMap::requireWhole(std::string_view key, const WholeRange& range) {
    const DocumentValue* value = require(key);
    return value ? whole(*value, pathOf(key), range).value_or(range.min) : range.min;
}

std::optional<std::int64_t> CheckedMap::optionalWhole(std::string_view key, const WholeRange& range) {
    const DocumentValue* value = look(key);
    return value ? whole(*value, pathOf(key), range) : std::nullopt;
}

std::optional<bool> CheckedMap::optionalFlag(std::string_view key) {
    const DocumentValue* value = look(key);
    if (!value) return std::nullopt;
    if (value->kind == Kind::boolean) return value->boolean;
    wrongType(*value, pathOf(key), "true or false");
    return std::nullopt;
}

std::vector<std::string> CheckedMap::textList(std::string_view key) {
    std::vector<std::string> list;
    const DocumentValue* value = look(key);
    if (!value) return list;
    if (value->kind != Kind::list) wrongType(*value, pathOf(key), "a list of texts");
    for (std::size_t i = 0; i < value->items.size(); ++i)
        if (auto item = text(value->items[i], pathOf(key) + '[' + std::to_string(i) + ']'))
            list.push_back(std::move(*item));
    return list;
}

std::vector<std::int64_t> CheckedMap::wholeList(std::string_view key, const WholeRange& range) {
    std::vector<std::int64_t> list;
    const DocumentValue* value = look(key);
    if (!value) return list;
    if (value->kind != Kind::list) wrongType(*value, pathOf(key), "a list of whole numbers");
    for (std::size_t i = 0; i < value->items.size(); ++i)
        if (auto item = whole(value->items[i], pathOf(key) + '[' + std::to_string(i) + ']', range))
            list.push_back(*item);
    return list;
}

std::vector<double> CheckedMap::numberList(std::string_view key, const NumberRange& range) {
    std::vector<double> list;
    const DocumentValue* value = look(key);
    if (!value) return list;
    if (value->kind != Kind::list) wrongType(*value, pathOf(key), "a list of numbers");
    for (std::size_t i = 0; i < value->items.size(); ++i)
        if (const auto item = number(value->items[i], std::string(key) + '[' + std::to_string(i) + ']', range))
            list.push_back(*item);
    return list;
}

std::optional<CheckedMap> CheckedMap::requireMap(std::string_view key) {
    const DocumentValue* value = require(key);
    if (!value) return std::nullopt;
    return CheckedMap(*checker_, *value, pathOf(key));
}

std::optional<CheckedMap> CheckedMap::optionalMap(std::string_view key) {
    const DocumentValue* value = look(key);
    if (!value) return std::nullopt;
    return CheckedMap(*checker_, *value, pathOf(key));
}

std::vector<CheckedMap> CheckedMap::maps(std::string_view key) {
    std::vector<CheckedMap> list;
    const DocumentValue* value = look(key);
    if (!value) return list;
    if (value->kind != Kind::list) wrongType(*value, pathOf(key), "a list of maps");
    for (std::size_t i = 0; i < value->items.size(); ++i)
        list.emplace_back(*checker_, value->items[i], pathOf(key) + '[' + std::to_string(i) + ']');
    return list;
}

std::optional<std::size_t> CheckedMap::choiceIndex(std::string_view key, const std::vector<std::string>& names,
                                                   bool required) {
    const DocumentValue* value = look(key);
    if (!value) {
        if (required) fail(ErrorCode::missingKey, key, "is required and missing", orList(names));
        return std::nullopt;
    }
    if (value->kind != Kind::text && value->kind != Kind::boolean && value->kind != Kind::number) {
        wrongType(*value, pathOf(key), orList(names));
        return std::nullopt;
    }
    const auto found = std::find(names.begin(), names.end(), value->text);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    const auto meant = nearest(value->text, names);
    failAt(ErrorCode::outOfRange, *value, pathOf(key),
           meant ? "is not one of the words for it, perhaps " + *meant + " is meant" : "is not one of the words for it",
           orList(names));
    return std::nullopt;
}

void CheckedMap::refuseUnknownKeys() {
    for (const DocumentMember& member : value_->members) {
        if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
        const std::string where = lineOf(checker_->file(), member.line);
        const auto meant = std::find_if(known_.begin(), known_.end(),
                                        [&](const std::string& known) { return differsInUnitOnly(member.key, known); });
        if (meant != known_.end()) {
            checker_->fail({ErrorCode::wrongUnit, pathOf(member.key), member.value.shown(),
                            "the figure is wanted in " + std::string(unitOf(*meant)->words), pathOf(*meant), where});
        } else {
            const auto similar = nearest(member.key, known_);
            checker_->fail({ErrorCode::unknownKey, pathOf(member.key), member.value.shown(),
                            similar ? "is no known key, the nearest is " + *similar : "is no known key", orList(known_),
                            where});
        }
        return;
    }
}

} // namespace deltascope
