// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/document_builder.h"

#include "base/format.h"
#include "base/spelling.h"

#include <algorithm>
#include <iterator>

namespace deltascope {

bool DocumentBuilder::fail(Error error) {
    if (!error_) error_ = std::move(error);
    return false;
}

bool DocumentBuilder::fail(ErrorCode code, std::string value, std::string why, std::int32_t line) {
    std::string subject = path();
    return fail({code, subject.empty() ? "file" : std::move(subject), std::move(value), std::move(why), "",
                 lineOf(where_, line)});
}

bool DocumentBuilder::expectsKey() const {
    return !open_.empty() && open_.back()->kind == DocumentValue::Kind::map && !haveKey_;
}

std::string DocumentBuilder::path() const {
    std::string path;
    for (const std::string& name : names_) path += (path.empty() || name.starts_with('[') ? "" : ".") + name;
    return printable(path, 120);
}

bool DocumentBuilder::count(std::int32_t line) {
    if (failed()) return false;
    if (++values_ > limits_.values)
        return fail(ErrorCode::tooLarge, "",
                    "more than " + formatCount(static_cast<double>(limits_.values)) + " values", line);
    return true;
}

DocumentValue* DocumentBuilder::place(DocumentValue value) {
    if (open_.empty()) {
        root_ = std::move(value);
        return &root_;
    }
    DocumentValue& parent = *open_.back();
    if (parent.kind == DocumentValue::Kind::list) return &parent.items.emplace_back(std::move(value));
    haveKey_ = false;
    return &(parent.members.back().value = std::move(value));
}

bool DocumentBuilder::scalar(DocumentValue value) {
    if (!count(value.line)) return false;
    const bool ofKey = haveKey_;
    place(std::move(value));
    if (ofKey) names_.pop_back();
    return true;
}

bool DocumentBuilder::open(DocumentValue::Kind kind, std::int32_t line) {
    if (!count(line)) return false;
    if (open_.size() >= limits_.nesting)
        return fail(ErrorCode::tooLarge, "", "nested deeper than " + std::to_string(limits_.nesting) + " levels", line);
    if (!haveKey_) names_.push_back(open_.empty() ? "" : '[' + std::to_string(open_.back()->items.size()) + ']');
    DocumentValue value;
    value.kind = kind;
    value.line = line;
    open_.push_back(place(std::move(value)));
    return true;
}

/// Once per map, when it is complete: looking back at every key would take quadratic time.
bool DocumentBuilder::checkDuplicates(const DocumentValue& map) {
    std::vector<const DocumentMember*> sorted;
    sorted.reserve(map.members.size());
    for (const DocumentMember& member : map.members) sorted.push_back(&member);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const DocumentMember* a, const DocumentMember* b) { return a->key < b->key; });
    const auto twice =
        std::adjacent_find(sorted.begin(), sorted.end(),
                           [](const DocumentMember* a, const DocumentMember* b) { return a->key == b->key; });
    if (twice == sorted.end()) return true;
    const DocumentMember& first = **twice;
    const DocumentMember& second = **std::next(twice);
    names_.push_back(printable(second.key));
    return fail(ErrorCode::duplicate, "", "the key is given twice, first on line " + std::to_string(first.line),
                second.line);
}

bool DocumentBuilder::close() {
    if (failed()) return false;
    if (!checkDuplicates(*open_.back())) return false;
    open_.pop_back();
    names_.pop_back();
    return true;
}

bool DocumentBuilder::key(std::string key, std::int32_t line) {
    if (!count(line)) return false;
    DocumentValue& map = *open_.back();
    names_.push_back(printable(key));
    map.members.push_back({std::move(key), line, {}});
    haveKey_ = true;
    return true;
}

Result<DocumentValue> DocumentBuilder::take() {
    if (error_) return *error_;
    return std::move(root_);
}

} // namespace deltascope
