// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of the trunk as bars split by operator class: one bar per layer, or one per kind of layer.
#pragma once

#include "charts/layer_bars.h"
#include "tables/refresh_gate.h"
#include "tables/value_table.h"
#include "workbench/workbench.h"

#include <QWidget>

class QCheckBox;

namespace deltascope::ui {

class ColorLegend;
class ContextChart;
class ElidedLabel;
class LayersChart;
class SegmentedControl;
struct BarReading;

class LayersView : public QWidget {
    Q_OBJECT
public:
    explicit LayersView(Workbench& workbench, QWidget* parent = nullptr);

    void setGrouped(bool grouped);
    [[nodiscard]] bool isGrouped() const { return choice_.grouped; }
    void setCommunicationShown(bool shown);
    void setTableShown(bool shown);

    [[nodiscard]] LayersChart& chart() { return *chart_; }
    [[nodiscard]] ContextChart& contextChart() { return *context_; }
    [[nodiscard]] ValueTableView& table() { return *table_; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString tooltipOf(int bar) const;

    /// Brings the chart up to date now, also while it is hidden.
    void refreshNow() { gate_.ensure(true); }

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildBar();
    void refresh();
    void refreshCurve();
    void refreshTable();
    void refreshLegend();
    void showSelection();
    void selectBar(int bar);
    void moveBy(int steps, bool toEnd);

    Workbench& workbench_;
    LayerBarChoice choice_;
    SegmentedControl* kinds_ = nullptr;
    QCheckBox *communicationBox_ = nullptr, *tableBox_ = nullptr;
    ElidedLabel* summary_ = nullptr;
    LayersChart* chart_;
    ContextChart* context_;
    ColorLegend* legend_;
    ValueTableView* table_;
    std::optional<std::pair<Scenario, bool>> curveOf_; ///< what the curve on screen was made for
    bool restyled_ = false;
    RefreshGate gate_;
};

} // namespace deltascope::ui
