// SPDX-License-Identifier: GPL-3.0-or-later
#include "workbench/visible_range.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace deltascope::ui {
namespace {

/// Below this share of the whole a double can no longer tell neighbouring pixels apart.
constexpr double smallestShare = 1e-9;
constexpr std::size_t rememberedSpans = 100;

} // namespace

double pixelOfTime(double time, double from, double to, double width) {
    if (!(to > from) || !(width > 0.0)) return 0.0;
    return (time - from) / (to - from) * width;
}

double timeOfPixel(double pixel, double from, double to, double width) {
    if (!(to > from) || !(width > 0.0)) return from;
    return from + pixel / width * (to - from);
}

VisibleRange::Span VisibleRange::clamped(Span span) const {
    if (span.to < span.from) std::swap(span.from, span.to);
    const double wanted = span.to - span.from;
    const double width = std::clamp(wanted, full_ * smallestShare, full_);
    const double from = width == wanted ? span.from : 0.5 * (span.from + span.to - width);
    const double start = std::clamp(from, 0.0, full_ - width);
    const double end = start == span.from && width == wanted ? span.to : start + width;
    return {start, std::min(end, full_)};
}

void VisibleRange::show(Span span, Gesture gesture) {
    const Span next = clamped(span);
    if (next == Span{from_, to_}) return;
    if (gesture == Gesture::none || gesture != gesture_) {
        past_.push_back({from_, to_});
        if (past_.size() > rememberedSpans) past_.erase(past_.begin());
        future_.clear();
    }
    gesture_ = gesture;
    from_ = next.from;
    to_ = next.to;
    emit changed();
}

void VisibleRange::setFull(double seconds) {
    if (!std::isfinite(seconds) || seconds <= 0.0 || seconds == full_) return;
    const bool whole = showsAll();
    full_ = seconds;
    const Span next = whole ? Span{0.0, full_} : clamped({from_, to_});
    from_ = next.from;
    to_ = next.to;
    emit changed();
}

void VisibleRange::setRange(double from, double to, bool transient) {
    if (!std::isfinite(from) || !std::isfinite(to)) return;
    show({from, to}, transient ? Gesture::drag : Gesture::none);
}

void VisibleRange::zoom(double factor, double around) {
    if (!std::isfinite(factor) || factor <= 0.0 || !std::isfinite(around)) return;
    const double centre = std::clamp(around, from_, to_);
    // Kept from shrinking here and not in clamped(), which would move the point under the cursor.
    const double share = std::clamp((to_ - from_) * factor, full_ * smallestShare, full_) / (to_ - from_);
    show({centre - (centre - from_) * share, centre + (to_ - centre) * share},
         factor < 1.0 ? Gesture::zoomIn : Gesture::zoomOut);
}

void VisibleRange::pan(double seconds) {
    if (!std::isfinite(seconds)) return;
    const double shift = std::clamp(seconds, -from_, full_ - to_);
    if (shift != 0.0) show({from_ + shift, to_ + shift}, Gesture::pan);
}

void VisibleRange::fitAll() { show({0.0, full_}, Gesture::none); }

void VisibleRange::travel(std::vector<Span>& from, std::vector<Span>& to) {
    gesture_ = Gesture::none;
    while (!from.empty()) {
        const Span next = clamped(from.back());
        from.pop_back();
        if (next == Span{from_, to_}) continue; // what it showed has changed its length since
        to.push_back({from_, to_});
        from_ = next.from;
        to_ = next.to;
        emit changed();
        return;
    }
}

void VisibleRange::back() { travel(past_, future_); }

void VisibleRange::forward() { travel(future_, past_); }

} // namespace deltascope::ui
