// SPDX-License-Identifier: GPL-3.0-or-later
// A table of results: on a terminal with aligned columns, in a document as Markdown.
#pragma once

#include "io/text_table.h"

#include <string>
#include <string_view>
#include <vector>

namespace deltascope::fidelity {

struct Column {
    std::string head;
    Align align = Align::right;
};

struct Table {
    std::string name;  ///< of its place in the document: "steps"
    std::string title; ///< one line
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> closing; ///< lines below it
};

[[nodiscard]] std::string toText(const Table& table);
[[nodiscard]] std::string toMarkdown(const Table& table);

/// The document with the table between `<!-- NAME table: ... -->` and `<!-- end of NAME table -->`; the text unchanged
/// when it has no such marks.
[[nodiscard]] std::string placed(std::string document, const Table& table);

/// "+7.3 %", one digit after the point.
[[nodiscard]] std::string percent(double share);
/// "7.3 %".
[[nodiscard]] std::string percentSize(double share);
/// `value` with so many digits after the point.
[[nodiscard]] std::string fixed(double value, int digits);

} // namespace deltascope::fidelity
