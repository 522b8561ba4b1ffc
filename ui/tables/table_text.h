// SPDX-License-Identifier: GPL-3.0-or-later
// Tables as text for the clipboard and for files: tab-separated, comma-separated (RFC 4180) or Markdown.
#pragma once

#include <QString>

#include <cstdint>
#include <vector>

namespace deltascope::ui {

enum class TableFormat : std::uint8_t { tsv, markdown, csv };
/// TSV and CSV carry plain SI numbers, Markdown what people read.
[[nodiscard]] constexpr bool wantsRawNumbers(TableFormat format) { return format != TableFormat::markdown; }

struct TextTable {
    std::vector<QString> headers;
    std::vector<bool> numeric; ///< per column: aligned to the right
    std::vector<std::vector<QString>> rows;
};

[[nodiscard]] QString toText(const TextTable& table, TableFormat format);
void copyToClipboard(const TextTable& table, TableFormat format);

} // namespace deltascope::ui
