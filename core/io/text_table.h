// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of text in aligned columns, for reports and lists on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

enum class Align : bool { left, right };

class TextTable {
public:
    /// One alignment per column; every line begins with `indent` blanks.
    explicit TextTable(std::vector<Align> columns, std::size_t indent = 2)
        : columns_(std::move(columns)), indent_(indent) {}

    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// Two blanks between columns, none at the end of a line.
    [[nodiscard]] std::string text() const;

private:
    std::vector<Align> columns_;
    std::size_t indent_;
    std::vector<std::vector<std::string>> rows_;
};

/// Characters of UTF-8 text, each taken as one column.
[[nodiscard]] std::size_t columnsOf(std::string_view text);

/// `text` broken at blanks into lines of at most `width` columns, the second and later ones indented by `indent`.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

} // namespace deltascope
