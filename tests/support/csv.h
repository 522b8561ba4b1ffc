// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of figures in tests/data: comma separated, no quotes, `#` starts a comment line, the first row names the
// columns.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope::test {

using CsvRow = std::map<std::string, std::string>;

inline std::vector<std::string> fieldsOf(std::string_view line, char separator = ',') {
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size();) {
        const std::size_t end = std::min(line.find(separator, at), line.size());
        fields.emplace_back(line.substr(at, end - at));
        at = end + 1;
    }
    return fields;
}

/// Empty when the file cannot be read or a row has not as many fields as the first.
inline std::vector<CsvRow> readCsv(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::vector<CsvRow> rows;
    std::vector<std::string> names;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.front() == '#') continue;
        const auto fields = fieldsOf(line);
        if (names.empty()) {
            names = fields;
            continue;
        }
        if (fields.size() != names.size()) return {};
        CsvRow& row = rows.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = fields[i];
    }
    return rows;
}

inline double numberOf(const CsvRow& row, const std::string& column) {
    return std::strtod(row.at(column).c_str(), nullptr);
}

} // namespace deltascope::test
