// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/table_text.h"

#include <QClipboard>
#include <QGuiApplication>

namespace deltascope::ui {
namespace {

/// A cell cannot hold what separates cells.
QString escaped(QString cell, TableFormat format) {
    switch (format) {
    case TableFormat::tsv: return cell.replace('\t', ' ').replace('\n', ' ');
    case TableFormat::markdown: return cell.replace('|', "\\|").replace('\n', ' ');
    case TableFormat::csv:
        if (!cell.contains(',') && !cell.contains('"') && !cell.contains('\n')) return cell;
        return '"' + cell.replace('"', "\"\"") + '"';
    }
    return cell;
}

void appendLine(QString& text, const std::vector<QString>& cells, TableFormat format) {
    const bool markdown = format == TableFormat::markdown;
    const QLatin1String separator(markdown ? " | " : format == TableFormat::tsv ? "\t" : ",");
    if (markdown) text += QLatin1String("| ");
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0) text += separator;
        text += escaped(cells[i], format);
    }
    if (markdown) text += QLatin1String(" |");
    text += '\n';
}

} // namespace

QString toText(const TextTable& table, TableFormat format) {
    QString text;
    appendLine(text, table.headers, format);
    if (format == TableFormat::markdown) {
        text += '|';
        for (std::size_t i = 0; i < table.headers.size(); ++i)
            text += QLatin1String(i < table.numeric.size() && table.numeric[i] ? " ---: |" : " --- |");
        text += '\n';
    }
    for (const std::vector<QString>& row : table.rows) appendLine(text, row, format);
    return text;
}

void copyToClipboard(const TextTable& table, TableFormat format) {
    QGuiApplication::clipboard()->setText(toText(table, format));
}

} // namespace deltascope::ui
