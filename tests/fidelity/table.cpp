// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"

#include <array>
#include <cstdio>

namespace deltascope::fidelity {

std::string fixed(double value, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, value);
    return text.data();
}

std::string percent(double share) { return (share < 0.0 ? "" : "+") + fixed(100.0 * share, 1) + " %"; }
std::string percentSize(double share) { return fixed(100.0 * share, 1) + " %"; }

std::string toText(const Table& table) {
    std::vector<Align> columns;
    std::vector<std::string> heads;
    for (const Column& column : table.columns) {
        columns.push_back(column.align);
        heads.push_back(column.head);
    }
    TextTable text(columns);
    text.row(heads);
    for (const auto& row : table.rows) text.row(row);
    std::string out = table.title + "\n" + text.text();
    for (const std::string& line : table.closing) out += wrapped(line, 120, 0) + "\n";
    return out;
}

std::string toMarkdown(const Table& table) {
    const auto line = [](const std::vector<std::string>& cells) {
        std::string text = "|";
        for (const std::string& cell : cells) text += " " + cell + " |";
        return text + "\n";
    };
    std::vector<std::string> heads;
    std::string rule = "|";
    for (const Column& column : table.columns) {
        heads.push_back(column.head);
        rule += column.align == Align::right ? "---:|" : "---|";
    }
    std::string out = table.title + "\n\n" + line(heads) + rule + "\n";
    for (const auto& row : table.rows) out += line(row);
    for (const std::string& closing : table.closing) out += "\n" + closing + "\n";
    return out;
}

std::string placed(std::string document, const Table& table) {
    const std::string opening = "<!-- " + table.name + " table";
    const std::string closing = "<!-- end of " + table.name + " table -->";
    const std::size_t start = document.find(opening);
    const std::size_t end = document.find(closing);
    const std::size_t from = start == std::string::npos ? start : document.find('\n', start);
    if (from == std::string::npos || end == std::string::npos || end < from) return document;
    return document.substr(0, from + 1) + toMarkdown(table) + document.substr(end);
}

} // namespace deltascope::fidelity
