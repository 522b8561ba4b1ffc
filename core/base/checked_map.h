// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the values of a map in a file by key and checks them, so that a reader is a list of what it wants. The first
// problem is kept with file, line, dotted key, value and what would be accepted; the reader asks for it once, at the
// end:
//
//     Checker checker("devices/x.yaml");
//     CheckedMap top(checker, document);
//     device.name = top.requireText("name");
//     if (auto memory = top.requireMap("memory")) {
//         size = memory->requireNumber("size_bytes", {.min = 1.0});
//         memory->refuseUnknownKeys();
//     }
//     top.refuseUnknownKeys();
//     if (checker.failed()) return checker.error();
#pragma once

#include "base/document.h"
#include "base/result.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deltascope {

/// Keeps the first problem of a file. One exception: an unknown key displaces a missing one, as it says more (the
/// missing key is the unknown one, misspelt).
class Checker {
public:
    explicit Checker(std::string file) : file_(std::move(file)) {}

    void fail(Error error);
    [[nodiscard]] bool failed() const { return error_.has_value(); }
    [[nodiscard]] const Error& error() const { return *error_; }
    [[nodiscard]] const std::string& file() const { return file_; }

private:
    std::string file_;
    std::optional<Error> error_;
};

/// Bounds of a number, both included unless `aboveMin`. `unit` is for messages: "bytes per second".
struct NumberRange {
    double min = -std::numeric_limits<double>::max();
    double max = std::numeric_limits<double>::max();
    bool aboveMin = false;
    std::string_view unit = {};
};

struct WholeRange {
    std::int64_t min = 0;
    std::int64_t max = std::int64_t{1} << 40;
};

/// A view of a map: the document and the checker must outlive it. A `require...` that finds nothing usable gives a
/// harmless value (0, the smallest allowed, empty) and has told the checker. A null counts as absent.
class CheckedMap {
public:
    /// A `value` that is no map is a problem; `path` is its dotted key, empty for the whole file.
    CheckedMap(Checker& checker, const DocumentValue& value, std::string path = {});

    [[nodiscard]] bool has(std::string_view key) const;

    std::string requireText(std::string_view key);
    /// A text of one line, without control characters: it is printed wherever what it names is.
    std::string requireName(std::string_view key);
    std::optional<std::string> optionalText(std::string_view key);
    double requireNumber(std::string_view key, const NumberRange& range = {});
    std::optional<double> optionalNumber(std::string_view key, const NumberRange& range = {});
    std::int64_t requireWhole(std::string_view key, const WholeRange& range = {});
    std::optional<std::int64_t> optionalWhole(std::string_view key, const WholeRange& range = {});
    std::optional<bool> optionalFlag(std::string_view key);

    /// Empty when absent.
    std::vector<std::string> textList(std::string_view key);
    std::vector<std::int64_t> wholeList(std::string_view key, const WholeRange& range = {});
    std::vector<double> numberList(std::string_view key, const NumberRange& range = {});

    std::optional<CheckedMap> requireMap(std::string_view key);
    std::optional<CheckedMap> optionalMap(std::string_view key);
    /// A list of maps; empty when absent.
    std::vector<CheckedMap> maps(std::string_view key);

    /// One of a few words.
    template <class E>
    std::optional<E> optionalChoice(std::string_view key, const std::vector<std::pair<std::string, E>>& choices) {
        const auto index = choiceIndex(key, wordsOf(choices), false);
        if (!index) return std::nullopt;
        return choices[*index].second;
    }

    /// The first of the choices when the key is missing, and the checker knows.
    template <class E>
    E requireChoice(std::string_view key, const std::vector<std::pair<std::string, E>>& choices) {
        return choices[choiceIndex(key, wordsOf(choices), true).value_or(0)].second;
    }

    /// Every key that was never asked for is a problem, with the nearest known key; one that differs from a known key
    /// only in its unit (`size_gb` for `size_bytes`) is a wrong unit. Call it last.
    void refuseUnknownKeys();

    /// A problem of `key`, for checks of the reader's own. The value shown is the key's.
    void fail(ErrorCode code, std::string_view key, std::string why, std::string accepted = {});

    [[nodiscard]] std::string pathOf(std::string_view key) const;

private:
    const DocumentValue* look(std::string_view key);
    const DocumentValue* require(std::string_view key);
    void failAt(ErrorCode code, const DocumentValue& value, std::string subject, std::string why, std::string accepted);
    void wrongType(const DocumentValue& value, std::string subject, std::string accepted);
    std::optional<std::string> text(const DocumentValue& value, const std::string& subject);
    std::optional<double> number(const DocumentValue& value, std::string_view key, const NumberRange& range);
    std::optional<std::int64_t> whole(const DocumentValue& value, const std::string& subject, const WholeRange& range);
    template <class E>
    static std::vector<std::string> wordsOf(const std::vector<std::pair<std::string, E>>& choices) {
        std::vector<std::string> words;
        for (const auto& choice : choices) words.push_back(choice.first);
        return words;
    }
    std::optional<std::size_t> choiceIndex(std::string_view key, const std::vector<std::string>& names, bool required);

    Checker* checker_;
    const DocumentValue* value_;
    std::string path_;
    std::vector<std::string> known_; ///< keys asked for so far
};

} // namespace deltascope
