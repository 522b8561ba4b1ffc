// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/json_writer.h"

#include "base/spelling.h"

#include <array>
#include <charconv>
#include <cmath>

namespace deltascope {

void JsonWriter::value(std::string_view content) {
    separate();
    text(content);
}

void JsonWriter::value(bool yes) {
    separate();
    out_ += yes ? "true" : "false";
}

void JsonWriter::value(double number) {
    if (!std::isfinite(number)) return null();
    // Bytes and FLOPs are whole and exact below 2^53: written without a point or an exponent.
    if (std::abs(number) < 9007199254740992.0 && number == std::trunc(number))
        return whole(static_cast<std::int64_t>(number));
    separate();
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out_.append(digits.data(), end);
}

void JsonWriter::null() {
    separate();
    out_ += "null";
}

std::string JsonWriter::take() {
    out_ += '\n';
    first_ = true;
    return std::exchange(out_, {});
}

void JsonWriter::open(char bracket) {
    separate();
    out_ += bracket;
    ++level_;
    first_ = true;
}

void JsonWriter::close(char bracket) {
    --level_;
    if (!first_ && level_ < brokenLevels_) breakLine();
    out_ += bracket;
    first_ = false;
}

void JsonWriter::name(std::string_view key) {
    separate();
    text(key);
    out_ += ':';
    if (level_ <= brokenLevels_) out_ += ' ';
    afterName_ = true;
}

void JsonWriter::whole(std::int64_t number) {
    separate();
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out_.append(digits.data(), end);
}

void JsonWriter::separate() {
    if (std::exchange(afterName_, false)) return;
    if (!first_) out_ += ',';
    if (level_ > 0 && level_ <= brokenLevels_) breakLine();
    first_ = false;
}

void JsonWriter::breakLine() {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(level_) * 2, ' ');
}

void JsonWriter::text(std::string_view content) {
    out_ += '"';
    while (!content.empty()) {
        const char c = content.front();
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            content.remove_prefix(1);
            if (c == '"' || c == '\\') {
                out_ += '\\';
                out_ += c;
            } else if (byte >= 0x20) {
                out_ += c;
            } else if (c == '\n') {
                out_ += "\\n";
            } else if (c == '\t') {
                out_ += "\\t";
            } else {
                constexpr std::string_view hex = "0123456789abcdef";
                out_ += "\\u00";
                out_ += hex[byte >> 4];
                out_ += hex[byte & 15];
            }
            continue;
        }
        // A file name may hold any bytes; JSON is UTF-8.
        const std::size_t good = validUtf8Prefix(content.substr(0, 4));
        std::size_t length = 1;
        if (good > 0)
            while (length < good && (static_cast<unsigned char>(content[length]) & 0xC0) == 0x80) ++length;
        out_ += good > 0 ? content.substr(0, length) : std::string_view("\uFFFD");
        content.remove_prefix(length);
    }
    out_ += '"';
}

} // namespace deltascope
