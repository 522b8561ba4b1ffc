// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/text_table.h"

#include <algorithm>

namespace deltascope {

std::size_t columnsOf(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80; // not a continuation byte
    }));
}

std::string TextTable::text() const {
    std::vector<std::size_t> widths(columns_.size());
    for (const auto& cells : rows_)
        for (std::size_t i = 0; i < std::min(cells.size(), widths.size()); ++i)
            widths[i] = std::max(widths[i], columnsOf(cells[i]));
    std::string out;
    for (const auto& cells : rows_) {
        std::string line(indent_, ' ');
        for (std::size_t i = 0; i < std::min(cells.size(), widths.size()); ++i) {
            const std::string padding(widths[i] - columnsOf(cells[i]), ' ');
            if (i > 0) line += "  ";
            line += columns_[i] == Align::left ? cells[i] + padding : padding + cells[i];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
    std::string out;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t blank = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, blank);
        text.remove_prefix(std::min(blank + 1, text.size()));
        const std::size_t length = columnsOf(word);
        if (column > indent && column + 1 + length > width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!out.empty()) {
            out += ' ';
            ++column;
        }
        out += word;
        column += length;
    }
    return out;
}

} // namespace deltascope
