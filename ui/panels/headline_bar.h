// SPDX-License-Identifier: GPL-3.0-or-later
// The figures that the eye meets first: step time, TTFT or TPOT, throughput, memory, where the time goes.
#pragma once

#include "panels/figure_card.h"
#include "panels/share_bar.h"
#include "tables/refresh_gate.h"
#include "workbench/workbench.h"

namespace deltascope::ui {

class HeadlineBar : public QWidget {
    Q_OBJECT
public:
    explicit HeadlineBar(Workbench& workbench, QWidget* parent = nullptr);

    /// Brings the figures up to date now, also while they are hidden.
    void refreshNow() { gate_.ensure(true); }
    [[nodiscard]] FigureCard* stepTime() const { return step_; }
    [[nodiscard]] FigureCard* latency() const { return latency_; } ///< TTFT in prefill, TPOT in decode
    [[nodiscard]] FigureCard* throughput() const { return throughput_; }
    [[nodiscard]] FigureCard* memory() const { return memory_; }
    [[nodiscard]] ShareBar* shares() const { return shares_; }
    [[nodiscard]] ShareBar* memoryBar() const { return memoryBar_; }
    [[nodiscard]] Chip* ruleChip() const { return rule_; }
    [[nodiscard]] Chip* convChip() const { return conv_; }
    [[nodiscard]] Chip* provenanceChip() const { return provenance_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void refreshTimes();
    void refreshMemory();
    void refreshShares();

    Workbench& workbench_;
    FigureCard* step_;
    FigureCard* latency_;
    FigureCard* throughput_;
    FigureCard* memory_;
    ShareBar* memoryBar_;
    Card* where_;
    ShareBar* shares_;
    Chip* rule_;
    Chip* conv_;
    Chip* provenance_ = nullptr;
    RefreshGate gate_;
};

/// Colours of what bounds an operator, the same in the headline and in the details.
[[nodiscard]] QColor boundColor(Bound bound);

} // namespace deltascope::ui
