// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline tab: overview, ruler, rows, memory curve, legend, summary and by-kind bar over one time axis, and the
// commands that move on it.
#pragma once

#include "timeline/timeline_model.h"

#include <QWidget>

class QAction;

namespace deltascope::ui {

class HoverCard;
class KindBar;
class Legend;
class MemoryCurve;
class OverviewStrip;
class Ruler;
class SelectionSummary;
class TimelineWidget;

class TimelineView : public QWidget {
    Q_OBJECT
public:
    explicit TimelineView(Workbench& workbench, QWidget* parent = nullptr);
    /// On a range that other views share.
    TimelineView(Workbench& workbench, VisibleRange& range, QWidget* parent = nullptr);

    [[nodiscard]] VisibleRange& range() const { return range_; }
    [[nodiscard]] TimelineModel& model() { return model_; }

    /// For menus, in groups: zoom and pan; fit, back and forward; selection and marks. Rebindable by their
    /// objectName. They act while the keyboard focus is in this view.
    [[nodiscard]] const QList<QList<QAction*>>& actionGroups() const { return groups_; }

    [[nodiscard]] OverviewStrip& overview() const { return *overview_; }
    [[nodiscard]] Ruler& ruler() const { return *ruler_; }
    [[nodiscard]] TimelineWidget& timeline() const { return *timeline_; }
    [[nodiscard]] MemoryCurve& memory() const { return *memory_; }
    [[nodiscard]] Legend& legend() const { return *legend_; }
    [[nodiscard]] SelectionSummary& summary() const { return *summary_; }
    [[nodiscard]] KindBar& kinds() const { return *kinds_; }
    [[nodiscard]] HoverCard& card() const { return *card_; }

public slots:
    void zoomIn();
    void zoomOut();
    void panLeft();
    void panRight();
    void fitAll();
    /// The selected range, else the selected operator.
    void fitSelection();
    void zoomBack();
    void zoomForward();
    void selectNext();
    void selectPrevious();
    void toggleMark();
    void clearRange();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void build();
    void addActions();
    void showCard();
    void selectOperator(std::size_t index);
    /// Where zooming with the keyboard is centred: under the pointer, else in the middle.
    [[nodiscard]] double focusTime() const;

    VisibleRange& range_;
    TimelineModel model_;
    QList<QList<QAction*>> groups_;
    OverviewStrip* overview_ = nullptr;
    Ruler* ruler_ = nullptr;
    TimelineWidget* timeline_ = nullptr;
    MemoryCurve* memory_ = nullptr;
    Legend* legend_ = nullptr;
    SelectionSummary* summary_ = nullptr;
    KindBar* kinds_ = nullptr;
    HoverCard* card_ = nullptr;
};

} // namespace deltascope::ui
