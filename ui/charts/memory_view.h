// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of one rank: whether it fits and what would help, as stacks, as growth, and as the frontier of what fits.
#pragma once

#include "charts/memory_outlook.h"
#include "charts/memory_stack.h"
#include "explore/fits.h"
#include "tables/refresh_gate.h"
#include "tables/value_table.h"
#include "workbench/workbench.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace deltascope::ui {

class ColorLegend;
class FrontierChart;
class GrowthChart;
class MemoryChart;
class RemedyBar;
class SegmentedControl;

class MemoryView : public QWidget {
    Q_OBJECT
public:
    explicit MemoryView(Workbench& workbench, QWidget* parent = nullptr);

    enum Page { stacks, growth, frontier };
    void showPage(Page page);
    [[nodiscard]] Page page() const;
    void setTableShown(bool shown);
    void setZoomed(bool zoomed);

    [[nodiscard]] MemoryChart& chart() { return *chart_; }
    [[nodiscard]] FrontierChart& frontierChart() { return *frontier_; }
    [[nodiscard]] GrowthChart& growthChart(bool byContext) { return byContext ? *byContext_ : *byRequests_; }
    [[nodiscard]] RemedyBar& remedyBar() { return *remedies_; }
    [[nodiscard]] ValueTableView& table() { return *table_; }
    /// "Fits: 45.2 GiB free of 57.6 GiB (78.5 %)", and what takes the most.
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] QPushButton& peakButton() { return *peak_; }
    [[nodiscard]] QString tooltipOf(int stack, int piece) const;
    [[nodiscard]] QString tooltipOfFrontier(int point);
    [[nodiscard]] QString tooltipOfGrowth(bool byContext, int point);

    /// Brings the page up to date now, also while it is hidden.
    void refreshNow() { gate_.ensure(true); }

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildVerdict();
    QWidget* buildBar();
    QWidget* buildGrowth();
    void connectCharts();
    void refresh();
    void refreshStacks();
    void refreshGrowth();
    void refreshFrontier();
    void refreshWords();
    void refreshTable();
    void selectPeak();
    void choosePoint(int point);
    /// "all full attention" or "hybrid"; empty without another attention.
    [[nodiscard]] QString otherName() const;

    Workbench& workbench_;
    MemoryOutlook outlook_;
    SegmentedControl* pages_ = nullptr;
    QStackedWidget* stack_;
    QLabel *verdict_ = nullptr, *notLoaded_ = nullptr;
    QPushButton* peak_ = nullptr;
    QCheckBox *tableBox_ = nullptr, *zoomBox_ = nullptr;
    RemedyBar* remedies_;
    MemoryChart* chart_;
    GrowthChart *byContext_, *byRequests_;
    ColorLegend *stacksLegend_, *growthLegend_;
    FrontierChart* frontier_;
    ValueTableView* table_;
    bool restyled_ = true;
    RefreshGate gate_;
};

} // namespace deltascope::ui
