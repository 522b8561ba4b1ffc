// SPDX-License-Identifier: GPL-3.0-or-later
// A YAML or JSON file as one kind of tree, whose values know the line they stand on. Safe on any input: size, nesting
// and number of values are limited, duplicate keys are refused. CheckedMap (checked_map.h) reads it.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

struct DocumentMember;

struct DocumentValue {
    enum class Kind : std::uint8_t { null, boolean, number, text, list, map };

    Kind kind = Kind::null;
    bool boolean = false;
    double number = 0.0;                 ///< may be infinite or NaN (YAML's `.inf`, `.nan`)
    std::optional<std::int64_t> whole;   ///< of a number that is exactly a whole one
    std::string text;                    ///< of a text; of other scalars, as they were written
    std::vector<DocumentValue> items;    ///< of a list
    std::vector<DocumentMember> members; ///< of a map, in the order of the file
    std::int32_t line = 0;               ///< counted from 1; 0 when unknown

    /// Null when there is no such key.
    [[nodiscard]] const DocumentValue* find(std::string_view key) const;
    /// The value for a message, on one short line.
    [[nodiscard]] std::string shown() const;
};

struct DocumentMember {
    std::string key;
    std::int32_t line = 0; ///< of the key
    DocumentValue value;
};

struct DocumentLimits {
    std::size_t bytes = 64U << 20U;
    std::size_t values = 200'000;
    std::size_t nesting = 64;
};

/// The text of a regular file, without a byte order mark. Refused: no such file, a folder or a device, more than
/// `maxBytes`.
[[nodiscard]] Result<std::string> readTextFile(const std::filesystem::path& path,
                                               std::size_t maxBytes = DocumentLimits{}.bytes);

/// `where` names the text in errors. One document, no aliases or tags; plain scalars are null, true, false, numbers
/// or text as in YAML 1.2. An empty text is a null.
[[nodiscard]] Result<DocumentValue> parseYaml(std::string_view text, const std::string& where,
                                              const DocumentLimits& limits = {});
[[nodiscard]] Result<DocumentValue> parseJson(std::string_view text, const std::string& where,
                                              const DocumentLimits& limits = {});

/// readTextFile, then parse; YAML files are limited to 4 MiB.
[[nodiscard]] Result<DocumentValue> readYamlFile(const std::filesystem::path& path);
[[nodiscard]] Result<DocumentValue> readJsonFile(const std::filesystem::path& path);

/// "file:12", or "file" when the line is unknown.
[[nodiscard]] std::string lineOf(const std::string& where, std::int32_t line);

} // namespace deltascope
