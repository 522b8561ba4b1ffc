// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/document.h"

#include "base/document_builder.h"
#include "base/format.h"
#include "base/spelling.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>

namespace deltascope {
namespace {

std::int32_t lineAt(std::string_view text, std::size_t at) {
    return 1 +
           static_cast<std::int32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

Error tooLarge(const std::string& where, double size, std::size_t maxBytes) {
    return {ErrorCode::tooLarge,
            "file",
            formatCount(size) + " bytes",
            "larger than such a file can sensibly be",
            "at most " + formatCount(static_cast<double>(maxBytes)) + " bytes",
            where};
}

/// The number that all of `text` is, as YAML 1.2 and JSON write them; hexadecimal and octal are text.
std::optional<double> numberFrom(std::string_view text) {
    if (text == ".inf" || text == "+.inf" || text == ".Inf") return std::numeric_limits<double>::infinity();
    if (text == "-.inf" || text == "-.Inf") return -std::numeric_limits<double>::infinity();
    if (text == ".nan" || text == ".NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return std::nullopt;
    }
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || !(digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'))) return std::nullopt;
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
    // from_chars says the same of too large and too small numbers
    if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
    return number;
}

} // namespace

const DocumentValue* DocumentValue::find(std::string_view key) const {
    for (const DocumentMember& member : members)
        if (member.key == key) return &member.value;
    return nullptr;
}

std::string DocumentValue::shown() const {
    switch (kind) {
    case Kind::null: return "null";
    case Kind::text: return '"' + printable(text) + '"';
    case Kind::list: return "a list of " + std::to_string(items.size());
    case Kind::map: return "a map of " + std::to_string(members.size());
    case Kind::boolean:
    case Kind::number: break;
    }
    return printable(text);
}

DocumentValue plainScalar(std::string text, std::int32_t line) {
    DocumentValue value;
    value.line = line;
    value.kind = DocumentValue::Kind::text;
    if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") {
        value.kind = DocumentValue::Kind::null;
    } else if (text == "true" || text == "True" || text == "TRUE" || text == "false" || text == "False" ||
               text == "FALSE") {
        value.kind = DocumentValue::Kind::boolean;
        value.boolean = text[0] == 't' || text[0] == 'T';
    } else if (const auto number = numberFrom(text)) {
        constexpr double exact = 9007199254740992.0; // 2^53
        value.kind = DocumentValue::Kind::number;
        value.number = *number;
        if (std::int64_t whole = 0;
            std::from_chars(text.data(), text.data() + text.size(), whole).ptr == text.data() + text.size() &&
            std::abs(*number) < 9.2e18)
            value.whole = whole;
        else if (std::abs(*number) <= exact && *number == std::floor(*number))
            value.whole = static_cast<std::int64_t>(*number);
    }
    value.text = std::move(text);
    return value;
}

DocumentValue textScalar(std::string text, std::int32_t line) {
    DocumentValue value;
    value.kind = DocumentValue::Kind::text;
    value.text = std::move(text);
    value.line = line;
    return value;
}

Result<std::string> readTextFile(const std::filesystem::path& path, std::size_t maxBytes) {
    const std::string where = path.string();
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status))
        return Error{ErrorCode::notFound, "file", "", "there is no such file", "", where};
    if (!std::filesystem::is_regular_file(status))
        return Error{ErrorCode::unreadable,
                     "file",
                     "",
                     std::filesystem::is_directory(status) ? "is a folder" : "is not a regular file",
                     "a file",
                     where};
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > maxBytes) return tooLarge(where, static_cast<double>(size), maxBytes);

    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{ErrorCode::unreadable, "file", "", "cannot be opened for reading", "", where};
    std::string text(error ? 0 : static_cast<std::size_t>(size), '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad()) return Error{ErrorCode::unreadable, "file", "", "reading failed", "", where};
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    return text;
}

Result<void> checkText(std::string_view text, const std::string& where, std::size_t maxBytes) {
    if (text.size() > maxBytes) return tooLarge(where, static_cast<double>(text.size()), maxBytes);
    const auto control = std::find_if(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
    });
    const auto controlAt = static_cast<std::size_t>(control - text.begin());
    const std::size_t valid = validUtf8Prefix(text);
    const std::size_t at = std::min(controlAt, valid);
    if (at == text.size()) return {};
    return Error{ErrorCode::syntax,
                 "byte " + std::to_string(at),
                 std::to_string(static_cast<unsigned char>(text[at])),
                 valid <= controlAt ? "is not valid UTF-8" : "is a control character, so this is no text",
                 "a text file in UTF-8",
                 lineOf(where, lineAt(text, at))};
}

Result<DocumentValue> readYamlFile(const std::filesystem::path& path) {
    DocumentLimits limits;
    limits.bytes = 4U << 20U;
    auto text = readTextFile(path, limits.bytes);
    if (!text) return text.error();
    return parseYaml(*text, path.string(), limits);
}

Result<DocumentValue> readJsonFile(const std::filesystem::path& path) {
    auto text = readTextFile(path);
    if (!text) return text.error();
    return parseJson(*text, path.string());
}

std::string lineOf(const std::string& where, std::int32_t line) {
    return line > 0 ? where + ':' + std::to_string(line) : where;
}

} // namespace deltascope
