// SPDX-License-Identifier: GPL-3.0-or-later
// What the widgets of the timeline share beside the visible range: lanes of the step and of the baseline, the stretch
// that is selected, what the pointer is on, the class that is singled out, and marks.
#pragma once

#include "timeline/geometry.h"
#include "timeline/summary.h"
#include "workbench/visible_range.h"
#include "workbench/workbench.h"

#include <QObject>

#include <optional>
#include <vector>

namespace deltascope::ui {

class TimelineModel : public QObject {
    Q_OBJECT
public:
    TimelineModel(Workbench& workbench, VisibleRange& range, QObject* parent = nullptr);

    [[nodiscard]] Workbench& workbench() const { return workbench_; }
    [[nodiscard]] VisibleRange& range() const { return range_; }
    [[nodiscard]] const TimelineData& data() const { return data_; }
    /// What data() was made of; null when it is not a simulation's.
    [[nodiscard]] const Simulation* shown() const { return shown_.get(); }
    /// Null without a baseline.
    [[nodiscard]] const TimelineData* baseline() const { return baseline_ ? &*baseline_ : nullptr; }
    /// In place of the workbench's step, until that changes.
    void showData(TimelineData data);
    /// The picture is of an earlier scenario than the controls show.
    [[nodiscard]] bool stale() const { return workbench_.refusal().has_value(); }

    /// Time of an operator of data() in the baseline.
    [[nodiscard]] std::optional<double> baselineTime(std::size_t operatorIndex) const;
    [[nodiscard]] const BaselineTimes& baselineTimes() const { return baselineTimes_; }
    /// Indices of the workbench's selection in data() and of its counterpart in baseline().
    [[nodiscard]] std::optional<std::size_t> selectedOperator() const;
    [[nodiscard]] std::optional<std::size_t> selectedGhost() const;

    /// Index in data() of the counterpart of an operator of baseline().
    [[nodiscard]] std::optional<std::size_t> ownOf(std::size_t ghostIndex) const;

    [[nodiscard]] const std::optional<TimeSpan>& selectedRange() const { return selectedRange_; }
    void selectRange(std::optional<TimeSpan> range);

    /// What the pointer is on: a box of a row, and the time under it.
    struct Hover {
        std::optional<double> time;
        StripKind kind = StripKind::compute;
        std::optional<std::size_t> span; ///< index in the lane of `kind`
        std::uint32_t count = 0;         ///< spans merged in that box
        bool operator==(const Hover&) const = default;
    };
    [[nodiscard]] const Hover& hover() const { return hover_; }
    void setHover(const Hover& hover);

    [[nodiscard]] std::optional<OperatorClass> only() const { return only_; }
    void setOnly(std::optional<OperatorClass> cls);

    [[nodiscard]] const std::vector<double>& marks() const { return marks_; }
    /// Sets a mark, or takes away the one within `tolerance` seconds.
    void toggleMark(double time, double tolerance);

    /// Selects the next (or, backwards, the previous) operator of the selection's kind, round the end, and brings it
    /// into view. Without a selection: the first (last) operator on screen.
    void selectNeighbour(bool forwards);
    /// Shifts the visible range so that `span` is in it; widens it when it is too narrow.
    void reveal(const TimelineSpan& span);

signals:
    void dataChanged(); ///< data(), baseline() or stale()
    void hoverChanged();
    void selectedRangeChanged();
    void onlyChanged();
    void marksChanged();

private:
    void refresh();
    void refreshBaseline();
    void pairWithBaseline();

    Workbench& workbench_;
    VisibleRange& range_;
    TimelineData data_;
    std::optional<TimelineData> baseline_;
    std::shared_ptr<const Simulation> shown_; ///< what data_ was made of
    std::shared_ptr<const Simulation> shownBaseline_;
    std::shared_ptr<const Simulation> paired_, pairedBaseline_; ///< what ghosts_ was made of
    BaselineTimes baselineTimes_;
    std::vector<std::int32_t> ghosts_; ///< index in baseline_ of each operator of data_, or -1
    std::optional<TimeSpan> selectedRange_;
    Hover hover_;
    std::optional<OperatorClass> only_;
    std::vector<double> marks_;
};

} // namespace deltascope::ui
