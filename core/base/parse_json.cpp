// SPDX-License-Identifier: GPL-3.0-or-later
// JSON by nlohmann's events, with an iterator that counts lines: the library keeps no positions of values.
#include "base/document_builder.h"
#include "base/spelling.h"

#include <nlohmann/json.hpp>

#include <iterator>

namespace deltascope {
namespace {

/// Line of the last character read. The lexer looks one character beyond a number, so a line ends with the character
/// after its line feed.
struct LineCounter {
    std::int32_t line = 1;
    bool afterLineFeed = false;
};

class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, LineCounter* counter) : at_(at), counter_(counter) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        if (counter_->afterLineFeed) ++counter_->line;
        counter_->afterLineFeed = *at_ == '\n';
        ++at_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

private:
    const char* at_;
    LineCounter* counter_;
};

class Events {
public:
    using number_integer_t = nlohmann::json::number_integer_t;
    using number_unsigned_t = nlohmann::json::number_unsigned_t;
    using number_float_t = nlohmann::json::number_float_t;
    using string_t = nlohmann::json::string_t;
    using binary_t = nlohmann::json::binary_t;

    Events(DocumentBuilder& builder, const LineCounter& counter, const std::string& where)
        : builder_(builder), counter_(counter), where_(where) {}

    bool null() { return builder_.scalar(plainScalar("null", counter_.line)); }
    bool boolean(bool value) { return builder_.scalar(plainScalar(value ? "true" : "false", counter_.line)); }
    bool number_integer(number_integer_t value) { return number(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) { return number(std::to_string(value)); }
    bool number_float(number_float_t, const string_t& written) { return number(written); }
    bool string(string_t& value) { return builder_.scalar(textScalar(std::move(value), counter_.line)); }
    bool binary(binary_t&) { return false; } // JSON text has none
    bool start_object(std::size_t) { return builder_.open(DocumentValue::Kind::map, counter_.line); }
    bool key(string_t& key) { return builder_.key(std::move(key), counter_.line); }
    bool end_object() { return builder_.close(); }
    bool start_array(std::size_t) { return builder_.open(DocumentValue::Kind::list, counter_.line); }
    bool end_array() { return builder_.close(); }
    bool parse_error(std::size_t, const std::string& lastToken, const nlohmann::detail::exception& exception) {
        // "[json...] parse error at line 1, column 5: what is wrong": the line stands in `where`
        std::string_view what = exception.what();
        if (const auto at = what.find("column "); at != std::string_view::npos)
            if (const auto colon = what.find(": ", at); colon != std::string_view::npos) what.remove_prefix(colon + 2);
        return builder_.fail({ErrorCode::syntax, "file", '"' + printable(lastToken) + '"',
                              "is not valid JSON: " + printable(what, 200), "", lineOf(where_, counter_.line)});
    }

private:
    bool number(std::string written) { return builder_.scalar(plainScalar(std::move(written), counter_.line)); }

    DocumentBuilder& builder_;
    const LineCounter& counter_;
    const std::string& where_;
};

} // namespace

Result<DocumentValue> parseJson(std::string_view text, const std::string& where, const DocumentLimits& limits) {
    if (auto checked = checkText(text, where, limits.bytes); !checked) return checked.error();
    DocumentBuilder builder(where, limits);
    LineCounter counter;
    Events events(builder, counter, where);
    nlohmann::json::sax_parse(CountingIterator(text.data(), &counter),
                              CountingIterator(text.data() + text.size(), &counter), &events);
    return builder.take();
}

} // namespace deltascope
