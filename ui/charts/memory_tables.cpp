// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/memory_tables.h"

#include "base/format.h"
#include "charts/memory_chart.h"
#include "panels/text.h"
#include "scenario/validate.h"
#include "theme/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("deltascope::ui::MemoryView", text); }

QString bytesText(Bytes bytes) { return QString::fromStdString(formatBytes(bytes)); }

QString bytesDifference(Bytes by) {
    if (by.value() == 0.0) return QStringLiteral("±0 B");
    return (by.value() < 0.0 ? QStringLiteral("−") : QStringLiteral("+")) + bytesText(Bytes(std::abs(by.value())));
}

ValueCell words(const QString& text) { return {text, std::nan(""), {}, true}; }
ValueCell sized(const std::optional<Bytes>& bytes) {
    return bytes ? ValueCell{bytesText(*bytes), bytes->value(), {}, false} : words({});
}
ValueCell counted(std::int64_t n, Range range) {
    return {n == range.highest ? tr("%1 or more").arg(countText(n)) : countText(n), static_cast<double>(n), {}, false};
}

/// What a stack is called in the first row of a file.
QString rawTitleOf(StackRole role) {
    return role == StackRole::engine     ? QStringLiteral("engine")
           : role == StackRole::baseline ? QStringLiteral("baseline")
                                         : QStringLiteral("other_attention");
}

/// Bytes of a piece, total or free; empty where a stack does not tell it apart.
using BytesOf = std::function<std::optional<Bytes>(const MemoryStack&)>;

class StacksTable {
public:
    explicit StacksTable(const std::vector<MemoryStack>& stacks) : current_(stacks.front()) {
        for (const MemoryStack& stack : stacks)
            if (stack.role != StackRole::current && stack.role != StackRole::device) others_.push_back(&stack);
        table.columns = {{tr("Group"), QStringLiteral("group"), false},
                         {tr("Needed"), QStringLiteral("bytes"), true},
                         {tr("Bytes"), QStringLiteral("bytes_exact"), true},
                         {tr("Of the total"), QStringLiteral("share"), true},
                         {tr("Parameters"), QStringLiteral("parameters"), true}};
        for (const MemoryStack* stack : others_) {
            table.columns.push_back({titleOf(*stack), rawTitleOf(stack->role) + QStringLiteral("_bytes"), true});
            table.columns.push_back(
                {tr("Difference"), rawTitleOf(stack->role) + QStringLiteral("_difference_bytes"), true});
        }
    }

    struct Look {
        QColor chip = {};
        double parameters = 0.0;
        bool ofTotal = false, muted = false, moreIsGood = false;
    };
    void addRow(const QString& name, const BytesOf& bytesOf, const Look& look) {
        const Theme& t = theme();
        std::vector<ValueCell>& row = table.rows.emplace_back();
        const Bytes bytes = bytesOf(current_).value_or(Bytes{});
        row.push_back({name, std::nan(""), look.chip, look.muted});
        row.push_back({bytesText(bytes), bytes.value(), {}, look.muted});
        row.push_back({QString::fromStdString(formatCount(bytes.value())), bytes.value(), {}, look.muted});
        const double share = look.ofTotal && current_.total.value() > 0.0 ? bytes / current_.total : std::nan("");
        row.push_back(
            {std::isnan(share) ? QString() : QString::fromStdString(formatShare(share)), share, {}, look.muted});
        const bool counted = look.parameters > 0.0;
        row.push_back({counted ? QString::fromStdString(formatCount(look.parameters)) : QString(),
                       counted ? look.parameters : std::nan(""),
                       {},
                       look.muted});
        for (const MemoryStack* stack : others_) {
            const std::optional<Bytes> other = bytesOf(*stack);
            if (!other) {
                row.push_back(words(tr("with the state")));
                row.push_back(words({}));
                continue;
            }
            // Against a baseline the change since then; against the rest what it would add.
            const Bytes by = stack->role == StackRole::baseline ? bytes - *other : *other - bytes;
            row.push_back({bytesText(*other), other->value(), {}, true});
            row.push_back({bytesDifference(by), by.value(),
                           by.value() == 0.0                       ? t.mutedText
                           : (by.value() > 0.0) == look.moreIsGood ? t.faster
                                                                   : t.slower,
                           false});
        }
    }

    ValueTable table;

private:
    const MemoryStack& current_;
    std::vector<const MemoryStack*> others_;
};

} // namespace

ValueTable stacksTable(const std::vector<MemoryStack>& stacks) {
    const Theme& t = theme();
    StacksTable made(stacks);
    std::vector<MemoryPiece> pieces; // of all stacks: what only another has is a row too
    for (const MemoryUse use : memoryUses)
        for (const MemoryStack& stack : stacks)
            for (const MemoryPiece& piece : stack.pieces)
                if (piece.use == use && use != MemoryUse::device &&
                    std::none_of(pieces.begin(), pieces.end(),
                                 [&](const MemoryPiece& known) { return known.name == piece.name; }))
                    pieces.push_back(
                        {piece.name, use, piece.bytes, stack.role == StackRole::current ? piece.parameters : 0.0});
    double parameters = 0.0;
    for (const MemoryPiece& piece : pieces) {
        made.addRow(toQString(piece.name),
                    [&](const MemoryStack& stack) -> std::optional<Bytes> {
                        if (stack.role == StackRole::engine && piece.use == MemoryUse::convState) return std::nullopt;
                        return stack.bytesOf(piece.name);
                    },
                    {t.memoryColor(piece.name), piece.parameters, true});
        parameters += piece.parameters;
    }
    made.addRow(tr("total"), [](const MemoryStack& stack) { return stack.total; }, {{}, parameters, true});
    made.addRow(tr("free"), [](const MemoryStack& stack) { return stack.free(); },
                {t.memoryColor("free"), 0.0, false, false, true});
    made.addRow(tr("limit"), [](const MemoryStack& stack) { return stack.limit; }, {{}, 0.0, false, true});
    for (const MemoryPiece& piece : stacks.front().notLoaded)
        made.addRow(tr("not loaded: %1").arg(toQString(piece.name)),
                    [&](const MemoryStack& stack) {
                        for (const MemoryPiece& absent : stack.notLoaded)
                            if (absent.name == piece.name) return absent.bytes;
                        return Bytes{};
                    },
                    {{}, piece.parameters, false, true});
    return std::move(made.table);
}

ValueTable growthTable(const std::vector<GrowthPoint>& byContext, const std::vector<GrowthPoint>& byRequests,
                       const QString& other) {
    const auto& any = byContext.empty() ? byRequests : byContext;
    const bool engine = !any.empty() && any.front().engine;
    ValueTable table;
    table.columns = {{tr("Against"), QStringLiteral("against"), false}, {tr("At"), QStringLiteral("at"), true}};
    const auto addColumns = [&](const QString& name, const QString& raw) {
        table.columns.push_back(
            {name.isEmpty() ? tr("Needed") : tr("%1, needed").arg(name), raw + "needed_bytes", true});
        if (engine)
            table.columns.push_back(
                {name.isEmpty() ? tr("Engine") : tr("%1, engine").arg(name), raw + "engine_bytes", true});
    };
    addColumns({}, {});
    if (!other.isEmpty()) addColumns(other, QStringLiteral("other_attention_"));
    const auto addRows = [&](const QString& against, const std::vector<GrowthPoint>& points) {
        for (const GrowthPoint& point : points) {
            std::vector<ValueCell>& row = table.rows.emplace_back();
            row.push_back(words(against));
            row.push_back({countText(point.at), static_cast<double>(point.at), {}, false});
            row.push_back(sized(point.ideal));
            if (engine) row.push_back(sized(point.engine));
            if (other.isEmpty()) continue;
            row.push_back(sized(point.idealCounterpart));
            if (engine) row.push_back(sized(point.engineCounterpart));
        }
    };
    addRows(tr("context"), byContext);
    addRows(tr("requests"), byRequests);
    return table;
}

ValueTable frontierTable(const Frontier& frontier, const QString& other) {
    ValueTable table;
    table.columns = {{tr("At"), QStringLiteral("given"), false},
                     {tr("Context"), QStringLiteral("context_tokens"), true},
                     {tr("Requests"), QStringLiteral("requests"), true}};
    if (!other.isEmpty()) table.columns.push_back({other, QStringLiteral("other_attention"), true});
    for (const RequestsAt& point : frontier.byContext) {
        std::vector<ValueCell>& row = table.rows.emplace_back();
        row.push_back(words(tr("most requests")));
        row.push_back({countText(point.context), static_cast<double>(point.context), {}, true});
        row.push_back(counted(point.requests, limits::queries));
        if (!other.isEmpty())
            row.push_back(point.counterpart ? counted(*point.counterpart, limits::queries) : words({}));
    }
    const auto length = [](const std::optional<std::int64_t>& context) {
        return context ? counted(*context, limits::contextLength) : words(tr("none"));
    };
    for (const ContextAt& point : frontier.byRequests) {
        std::vector<ValueCell>& row = table.rows.emplace_back();
        row.push_back(words(tr("longest context")));
        row.push_back(length(point.context));
        row.push_back({countText(point.requests), static_cast<double>(point.requests), {}, true});
        if (!other.isEmpty()) row.push_back(length(point.counterpart));
    }
    return table;
}

} // namespace deltascope::ui
