// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of one rank as a stack: weights by group, caches, states, activations, what is free up to the limit.
#pragma once

#include "charts/memory_stack.h"
#include "tables/refresh_gate.h"
#include "tables/value_table.h"
#include "workbench/workbench.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QPushButton;

namespace deltascope::ui {

class MemoryChart;

class MemoryView : public QWidget {
    Q_OBJECT
public:
    explicit MemoryView(Workbench& workbench, QWidget* parent = nullptr);

    void setTableShown(bool shown);
    void setZoomed(bool zoomed);

    [[nodiscard]] MemoryChart& chart() { return *chart_; }
    [[nodiscard]] ValueTableView& table() { return *table_; }
    /// "Fits: 45.2 GiB free of 57.6 GiB (78.5 %)".
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] QPushButton& peakButton() { return *peak_; }
    [[nodiscard]] QString tooltipOf(int stack, int piece) const;

    /// Brings the chart up to date now, also while it is hidden.
    void refreshNow() { gate_.ensure(true); }

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildBar();
    void refresh();
    void refreshWords();
    void refreshTable();
    void selectPeak();

    Workbench& workbench_;
    QLabel *verdict_ = nullptr, *notLoaded_ = nullptr;
    QPushButton* peak_ = nullptr;
    QCheckBox *tableBox_ = nullptr, *zoomBox_ = nullptr;
    MemoryChart* chart_;
    ValueTableView* table_;
    bool restyled_ = true;
    RefreshGate gate_;
};

} // namespace deltascope::ui
