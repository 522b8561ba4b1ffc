// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace deltascope::ui {

TimelineModel::TimelineModel(Workbench& workbench, VisibleRange& range, QObject* parent)
    : QObject(parent), workbench_(workbench), range_(range) {
    connect(&workbench, &Workbench::scenarioChanged, this, &TimelineModel::refresh);
    connect(&workbench, &Workbench::baselineChanged, this, &TimelineModel::refreshBaseline);
    refreshBaseline();
    refresh();
}

void TimelineModel::showData(TimelineData data) {
    data_ = std::move(data);
    shown_ = nullptr;
    hover_ = {};
    pairWithBaseline();
    range_.setFull(std::max(data_.duration, baseline_ ? baseline_->duration : 0.0));
    emit dataChanged();
}

void TimelineModel::refresh() {
    // A refused scenario leaves the last result, and with it the lanes, as they are.
    if (const auto simulation = workbench_.simulation(); simulation != shown_) {
        shown_ = simulation;
        data_ = timelineOf(*simulation);
        hover_ = {};
    }
    refreshBaseline();
    range_.setFull(std::max(data_.duration, baseline_ ? baseline_->duration : 0.0));
    if (selectedRange_ && selectedRange_->from >= range_.fullTo()) selectRange(std::nullopt);
    emit dataChanged();
}

void TimelineModel::refreshBaseline() {
    const auto baseline = workbench_.baseline();
    const bool changed = baseline != shownBaseline_;
    if (changed) {
        shownBaseline_ = baseline;
        baseline_.reset();
        if (baseline != nullptr) baseline_ = timelineOf(*baseline);
    }
    pairWithBaseline();
    if (!changed) return;
    range_.setFull(std::max(data_.duration, baseline_ ? baseline_->duration : 0.0));
    emit dataChanged();
}

void TimelineModel::pairWithBaseline() {
    if (paired_ == shown_ && pairedBaseline_ == shownBaseline_) return;
    paired_ = shown_;
    pairedBaseline_ = shownBaseline_;
    ghosts_.clear();
    baselineTimes_.clear();
    if (!baseline_ || shown_ == nullptr) return;
    ghosts_.assign(data_.operators.size(), -1);
    baselineTimes_.assign(data_.operators.size(), -1.0);
    for (const OperatorPair& pair : workbench_.comparison().operators) {
        if (!pair.a || !pair.b) continue;
        const auto index = data_.indexOf(packRef(*pair.b));
        const auto ghost = baseline_->indexOf(packRef(*pair.a));
        if (!index || !ghost) continue;
        ghosts_[*index] = static_cast<std::int32_t>(*ghost);
        baselineTimes_[*index] = pair.timeA.value();
    }
}

std::optional<double> TimelineModel::baselineTime(std::size_t operatorIndex) const {
    if (operatorIndex >= ghosts_.size() || ghosts_[operatorIndex] < 0) return std::nullopt;
    return baseline_->operators.spans()[static_cast<std::size_t>(ghosts_[operatorIndex])].duration;
}

std::optional<std::size_t> TimelineModel::selectedOperator() const {
    const auto selection = workbench_.selection();
    if (!selection || shown_ == nullptr) return std::nullopt;
    return data_.indexOf(packRef(*selection));
}

std::optional<std::size_t> TimelineModel::selectedGhost() const {
    const auto selected = selectedOperator();
    if (!selected || *selected >= ghosts_.size() || ghosts_[*selected] < 0) return std::nullopt;
    return static_cast<std::size_t>(ghosts_[*selected]);
}

std::optional<std::size_t> TimelineModel::ownOf(std::size_t ghostIndex) const {
    const auto found = std::find(ghosts_.begin(), ghosts_.end(), static_cast<std::int32_t>(ghostIndex));
    if (found == ghosts_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - ghosts_.begin());
}

void TimelineModel::selectRange(std::optional<TimeSpan> range) {
    if (range) {
        if (range->to < range->from) std::swap(range->from, range->to);
        range->from = std::clamp(range->from, 0.0, range_.fullTo());
        range->to = std::clamp(range->to, 0.0, range_.fullTo());
        if (!(range->to > range->from)) range.reset();
    }
    if (range == selectedRange_) return;
    selectedRange_ = range;
    emit selectedRangeChanged();
}

void TimelineModel::setHover(const Hover& hover) {
    if (hover == hover_) return;
    hover_ = hover;
    emit hoverChanged();
}

void TimelineModel::setOnly(std::optional<OperatorClass> cls) {
    if (cls == only_) return;
    only_ = cls;
    emit onlyChanged();
}

void TimelineModel::toggleMark(double time, double tolerance) {
    const auto near =
        std::find_if(marks_.begin(), marks_.end(), [&](double mark) { return std::abs(mark - time) <= tolerance; });
    if (near != marks_.end())
        marks_.erase(near);
    else
        marks_.insert(std::upper_bound(marks_.begin(), marks_.end(), time), time);
    emit marksChanged();
}

void TimelineModel::reveal(const TimelineSpan& span) {
    const double width = range_.to() - range_.from();
    if (span.start >= range_.from() && span.end() <= range_.to()) return;
    const double wanted = std::max(width, span.duration * 1.25);
    const double centre = span.start + 0.5 * span.duration;
    range_.setRange(centre - 0.5 * wanted, centre + 0.5 * wanted);
}

void TimelineModel::selectNeighbour(bool forwards) {
    const auto& spans = data_.operators.spans();
    if (spans.empty() || shown_ == nullptr) return;
    const std::size_t count = spans.size();
    const auto select = [&](std::size_t index) {
        workbench_.select(unpackRef(spans[index].id));
        reveal(spans[index]);
    };
    const auto selected = selectedOperator();
    if (!selected) {
        const std::size_t first = std::min(data_.operators.firstEndingAfter(range_.from()), count - 1);
        const std::size_t last = data_.operators.firstStartingFrom(range_.to());
        select(forwards || last == 0 ? first : last - 1);
        return;
    }
    const OperatorKind kind = spans[*selected].kind;
    for (std::size_t step = 1; step <= count; ++step) {
        const std::size_t index = (*selected + (forwards ? step : count - step)) % count;
        if (spans[index].kind == kind) {
            select(index);
            return;
        }
    }
}

} // namespace deltascope::ui
