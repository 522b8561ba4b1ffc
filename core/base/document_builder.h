// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a DocumentValue together from the events of a parser, and keeps the limits. Used by the two parsers only.
#pragma once

#include "base/document.h"

#include <string>
#include <utility>
#include <vector>

namespace deltascope {

/// Every call returns false once an error is held; the parser then stops.
class DocumentBuilder {
public:
    DocumentBuilder(std::string where, const DocumentLimits& limits) : where_(std::move(where)), limits_(limits) {}

    bool scalar(DocumentValue value);
    bool open(DocumentValue::Kind kind, std::int32_t line);
    bool close();
    bool key(std::string key, std::int32_t line);
    bool fail(Error error);
    bool fail(ErrorCode code, std::string value, std::string why, std::int32_t line);

    [[nodiscard]] bool failed() const { return error_.has_value(); }
    /// Inside a map, where a key has to come next.
    [[nodiscard]] bool expectsKey() const;
    /// `a.b[2]`: where the parser is.
    [[nodiscard]] std::string path() const;
    [[nodiscard]] Result<DocumentValue> take();

private:
    bool count(std::int32_t line);
    bool checkDuplicates(const DocumentValue& map);
    DocumentValue* place(DocumentValue value);

    std::string where_;
    DocumentLimits limits_;
    std::size_t values_ = 0;
    DocumentValue root_;
    std::vector<DocumentValue*> open_; ///< innermost last; a parent's vector does not grow while a child is open
    std::vector<std::string> names_;   ///< of the open values, and of the key that waits for its value
    bool haveKey_ = false;
    std::optional<Error> error_;
};

/// A plain scalar as YAML 1.2 (and JSON) understands it.
[[nodiscard]] DocumentValue plainScalar(std::string text, std::int32_t line);
[[nodiscard]] DocumentValue textScalar(std::string text, std::int32_t line);

/// Refuses invalid UTF-8 and control characters, with the line.
[[nodiscard]] Result<void> checkText(std::string_view text, const std::string& where, std::size_t maxBytes);

} // namespace deltascope
