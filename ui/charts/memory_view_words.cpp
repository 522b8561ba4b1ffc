// SPDX-License-Identifier: GPL-3.0-or-later
// What the memory view says: its verdict and what stands beside the pointer.
#include "base/format.h"
#include "charts/frontier_chart.h"
#include "charts/growth_chart.h"
#include "charts/memory_chart.h"
#include "charts/memory_view.h"
#include "charts/remedy_bar.h"
#include "panels/text.h"

#include <QPushButton>

namespace deltascope::ui {
namespace {

QString bytesText(Bytes bytes) { return QString::fromStdString(formatBytes(bytes)); }
QString shareText(double share) { return QString::fromStdString(formatShare(share)); }

} // namespace

QString MemoryView::verdict() const {
    const FitVerdict verdict = verdictOf(workbench_.simulation()->memory);
    return tr("%1 · largest: %2, %3")
        .arg(verdictText(verdict), toQString(nameOf(verdict.largest)), bytesText(verdict.largestBytes));
}

QString MemoryView::tooltipOf(int index, int piece) const {
    const MemoryStack& stack = chart_->stacks()[static_cast<std::size_t>(index)];
    if (piece < 0)
        return tr("<b>free</b> (%1)<br>%2 of %3").arg(titleOf(stack), bytesText(stack.free()), bytesText(stack.limit));
    const MemoryPiece& hit = stack.pieces[static_cast<std::size_t>(piece)];
    QString text = QStringLiteral("<b>%1</b> (%2)<br>%3, %4<br>%5 B")
                       .arg(toQString(hit.name), titleOf(stack), bytesText(hit.bytes),
                            shareText(stack.total.value() > 0.0 ? hit.bytes / stack.total : 0.0),
                            QString::fromStdString(formatCount(hit.bytes.value())));
    if (hit.parameters > 0.0) text += tr("<br>%1 parameters").arg(QString::fromStdString(formatCount(hit.parameters)));
    if (stack.role == StackRole::current && hit.use == MemoryUse::recurrentState)
        text += tr("<br>%n slot(s) per request", nullptr,
                   static_cast<int>(workbench_.simulation()->memory.ideal.stateSlots));
    if (stack.role == StackRole::engine && hit.use == MemoryUse::recurrentState)
        text += tr("<br>with the convolution state, in whole pages");
    if (stack.role == StackRole::engine && hit.use == MemoryUse::kvCache)
        text += tr("<br>in blocks of %1 tokens").arg(countText(workbench_.simulation()->memory.engine->blockTokens));
    if (stack.role == StackRole::current && hit.use == MemoryUse::activations)
        text += QStringLiteral("<br>") + peak_->text();
    return text;
}

QString MemoryView::tooltipOfFrontier(int index) {
    const RequestsAt& point = frontier_->points()[static_cast<std::size_t>(index)];
    QString text = tr("<b>%1 requests</b> on %2 tokens each").arg(countText(point.requests), countText(point.context));
    text +=
        point.requests == limits::queries.highest ? tr("<br>more were not looked at") : tr("<br>one more does not fit");
    if (point.counterpart) text += tr("<br>%1: %2").arg(otherName(), countText(*point.counterpart));
    return text + tr("<br>a click sets the scenario so");
}

QString MemoryView::tooltipOfGrowth(bool byContext, int index) {
    const GrowthPoint& point = growthChart(byContext).points()[static_cast<std::size_t>(index)];
    QString text = byContext ? tr("<b>%1 tokens of context</b>").arg(countText(point.at))
                             : tr("<b>%1 requests</b>").arg(countText(point.at));
    const auto add = [&](const QString& name, const std::optional<Bytes>& bytes) {
        if (bytes) text += QStringLiteral("<br>%1: %2").arg(name, bytesText(*bytes));
    };
    add(tr("needed"), point.ideal);
    add(tr("engine"), point.engine);
    add(tr("%1, needed").arg(otherName()), point.idealCounterpart);
    add(tr("%1, engine").arg(otherName()), point.engineCounterpart);
    return text;
}

} // namespace deltascope::ui
