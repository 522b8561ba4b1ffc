// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/data.h"

#include <QCoreApplication>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace deltascope::ui {
namespace {

constexpr std::size_t chunkSize = 256;
constexpr double leastWait = 1e-12; ///< seconds; less is the rounding of sums

QString tr(const char* text) { return QCoreApplication::translate("Timeline", text); }

QString text(std::string_view utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

/// First component of a module path: "linear_attn.in_proj" -> "linear_attn".
std::string_view topModule(std::string_view path) { return path.substr(0, path.find('.')); }

/// A span of a row above the operators, while the operators under it arrive.
class OpenSpan {
public:
    OpenSpan(std::vector<TimelineSpan>& row) : row_(row) {}

    void begin(double start, std::uint64_t id, std::uint32_t label) {
        close(start);
        open_ = true;
        span_ = TimelineSpan{.start = start, .id = id, .label = label};
        byClass_.fill(0.0);
        fixedClass_.reset();
    }
    void fixClass(OperatorClass cls) { fixedClass_ = cls; }
    void add(OperatorClass cls, double duration) { byClass_[static_cast<std::size_t>(cls)] += duration; }
    void close(double end) {
        if (!open_) return;
        open_ = false;
        span_.duration = end - span_.start;
        span_.cls = fixedClass_ ? *fixedClass_ : character();
        row_.push_back(span_);
    }

private:
    /// A module with an attention core is of that attention, whatever takes longest in it.
    [[nodiscard]] OperatorClass character() const {
        for (const auto cls : {OperatorClass::linearAttention, OperatorClass::fullAttention, OperatorClass::experts})
            if (byClass_[static_cast<std::size_t>(cls)] > 0.0) return cls;
        const auto longest = std::max_element(byClass_.begin(), byClass_.end());
        return static_cast<OperatorClass>(longest - byClass_.begin());
    }

    std::vector<TimelineSpan>& row_;
    bool open_ = false;
    TimelineSpan span_;
    std::array<double, operatorClassCount> byClass_{};
    std::optional<OperatorClass> fixedClass_;
};

/// Collects operators in order of execution, and the rows above them.
class Builder {
public:
    std::uint32_t label(QString full, QString brief) {
        data_.labels.push_back({std::move(full), std::move(brief)});
        return static_cast<std::uint32_t>(data_.labels.size() - 1);
    }
    void beginSegment() { data_.firstOfSegment.push_back(static_cast<std::uint32_t>(operators_.size())); }
    void beginPart(Part part, double start, std::uint64_t id) {
        parts_.begin(start, id, label(text(nameOf(part)), {}));
        parts_.fixClass(OperatorClass::other);
    }
    void beginLayer(double start, std::uint64_t id, OperatorClass cls, std::uint32_t label) {
        layers_.begin(start, id, label);
        layers_.fixClass(cls);
    }
    void beginModule(double start, std::uint64_t id, std::uint32_t label) { modules_.begin(start, id, label); }
    void endModule(double end) { modules_.close(end); }

    std::uint32_t operatorLabel(OperatorKind kind, std::string_view module) {
        constexpr std::string_view prefix = "linear_attn_";
        const std::string_view name = nameOf(kind);
        const std::string_view leaf = module.substr(module.rfind('.') + 1); // all of it when there is no point
        const QString full = leaf.empty() ? text(name) : text(name) + QStringLiteral(" · ") + text(leaf);
        return label(full, text(name.starts_with(prefix) ? name.substr(prefix.size()) : name));
    }
    void add(const TimelineSpan& span, float live) {
        operators_.push_back(span);
        (isCommunication(span.kind) ? link_ : compute_).push_back(span);
        live_.push_back(live);
        modules_.add(span.cls, span.duration);
    }
    /// Before the operator that was added last.
    void addWait(double duration) {
        const TimelineSpan& next = operators_.back();
        if (waits_.empty()) waitLabel_ = label(tr("waits for the host"), tr("waits"));
        waits_.push_back({.start = next.start - duration,
                          .duration = duration,
                          .id = next.id,
                          .label = waitLabel_,
                          .bound = Bound::launch});
    }
    void reserve(std::size_t count) {
        operators_.reserve(count);
        compute_.reserve(count);
        live_.reserve(count);
    }

    TimelineData finish(double duration) {
        for (auto* row : {&parts_, &layers_, &modules_}) row->close(duration);
        data_.duration = duration;
        data_.row(TimelineRow::part) = TimelineLane(std::move(partRow_));
        data_.row(TimelineRow::layer) = TimelineLane(std::move(layerRow_));
        data_.row(TimelineRow::module) = TimelineLane(std::move(moduleRow_));
        data_.row(TimelineRow::compute) = TimelineLane(std::move(compute_));
        data_.row(TimelineRow::link) = TimelineLane(std::move(link_));
        data_.row(TimelineRow::host) = TimelineLane(std::move(waits_));
        data_.operators = TimelineLane(std::move(operators_));
        data_.live = RangeMax(std::move(live_));
        if (data_.live.size() > 0) data_.peak = data_.live.argmax(0, data_.live.size());
        return std::move(data_);
    }

private:
    TimelineData data_;
    std::vector<TimelineSpan> partRow_, layerRow_, moduleRow_, compute_, link_, operators_;
    std::vector<TimelineSpan> waits_;
    std::uint32_t waitLabel_ = 0;
    std::vector<float> live_;
    OpenSpan parts_{partRow_}, layers_{layerRow_}, modules_{moduleRow_};
};

bool isTrunkLayer(const Segment& segment) { return segment.layer >= 0 && segment.part == Part::text; }

OperatorClass classOfLayer(const Segment& segment) {
    if (!isTrunkLayer(segment)) return OperatorClass::other;
    return segment.layerType == LayerType::linearAttention ? OperatorClass::linearAttention
                                                           : OperatorClass::fullAttention;
}

TimelineLabel labelOfLayer(const Segment& segment, std::string_view blockName) {
    if (segment.layer < 0) return {text(blockName), {}};
    const QString number = QString::number(segment.layer);
    if (!isTrunkLayer(segment)) return {number + QStringLiteral(" · ") + text(blockName), number};
    const bool linear = segment.layerType == LayerType::linearAttention;
    return {number + (linear ? QStringLiteral(" · linear attention") : QStringLiteral(" · full attention")), number};
}

} // namespace

TimelineLane::TimelineLane(std::vector<TimelineSpan> spans) : spans_(std::move(spans)) {
    std::vector<float> durations(spans_.size());
    std::transform(spans_.begin(), spans_.end(), durations.begin(),
                   [](const TimelineSpan& span) { return static_cast<float>(span.duration); });
    durations_ = RangeMax(std::move(durations));
    for (std::size_t chunk = 0; chunk < spans_.size() / chunkSize; ++chunk) {
        std::array<double, operatorClassCount> times{};
        for (std::size_t i = chunk * chunkSize; i < (chunk + 1) * chunkSize; ++i)
            times[static_cast<std::size_t>(spans_[i].cls)] += spans_[i].duration;
        chunkTimes_.push_back(times);
    }
}

std::array<double, operatorClassCount> TimelineLane::timeByClass(std::size_t first, std::size_t last) const {
    std::array<double, operatorClassCount> times{};
    while (first < last) {
        if (first % chunkSize == 0 && first + chunkSize <= last) {
            const auto& chunk = chunkTimes_[first / chunkSize];
            std::transform(times.begin(), times.end(), chunk.begin(), times.begin(), std::plus<>());
            first += chunkSize;
        } else {
            times[static_cast<std::size_t>(spans_[first].cls)] += spans_[first].duration;
            ++first;
        }
    }
    return times;
}

std::size_t TimelineLane::firstEndingAfter(double time) const {
    const auto found = std::partition_point(spans_.begin(), spans_.end(),
                                            [time](const TimelineSpan& span) { return span.end() <= time; });
    return static_cast<std::size_t>(found - spans_.begin());
}

std::size_t TimelineLane::firstStartingFrom(double time, std::size_t from) const {
    // Gallop: callers walk along the lane pixel by pixel, so the answer is mostly near.
    std::size_t step = 8;
    std::size_t low = from;
    while (low + step < spans_.size() && spans_[low + step].start < time) {
        low += step;
        step *= 2;
    }
    const auto begin = spans_.begin() + static_cast<std::ptrdiff_t>(low);
    const auto end = spans_.begin() + static_cast<std::ptrdiff_t>(std::min(low + step + 1, spans_.size()));
    const auto found = std::partition_point(begin, end, [time](const TimelineSpan& span) { return span.start < time; });
    return static_cast<std::size_t>(found - spans_.begin());
}

std::optional<std::size_t> TimelineLane::at(double time) const {
    const std::size_t i = firstEndingAfter(time);
    if (i < spans_.size() && spans_[i].start <= time) return i;
    return std::nullopt;
}

std::optional<std::size_t> TimelineData::indexOf(std::uint64_t id) const {
    const OperatorRef ref = unpackRef(id);
    if (ref.segment >= firstOfSegment.size()) return std::nullopt;
    const std::size_t index = std::size_t{firstOfSegment[ref.segment]} + ref.index;
    if (index >= operators.size() || operators.spans()[index].id != id) return std::nullopt;
    return index;
}

TimelineData timelineOf(const Simulation& simulation) {
    Builder builder;
    builder.reserve(static_cast<std::size_t>(std::max<std::int64_t>(simulation.totals.operators, 0)));
    std::vector<std::pair<std::string_view, std::uint32_t>> moduleLabels;
    const auto moduleLabel = [&](std::string_view name) {
        const auto found = std::find_if(moduleLabels.begin(), moduleLabels.end(),
                                        [name](const auto& entry) { return entry.first == name; });
        if (found != moduleLabels.end()) return found->second;
        moduleLabels.emplace_back(name, builder.label(text(name), {}));
        return moduleLabels.back().second;
    };
    std::vector<std::vector<std::uint32_t>> operatorLabels; // of each block
    for (const Block& block : simulation.step.blocks) {
        auto& labels = operatorLabels.emplace_back();
        for (const Operator& op : block.operators) labels.push_back(builder.operatorLabel(op.kind, op.module));
    }
    const auto& segments = simulation.step.segments;
    for (std::uint32_t s = 0; s < segments.size(); ++s) {
        const Segment& segment = segments[s];
        const Block& block = simulation.step.blocks[segment.block];
        const SimulatedBlock& simulated = simulation.blocks[segment.block];
        const double start = simulation.segmentStart[s].value();
        builder.beginSegment();
        if (s == 0 || segments[s - 1].part != segment.part) builder.beginPart(segment.part, start, packRef({s, 0}));
        const TimelineLabel label = labelOfLayer(segment, block.name);
        builder.beginLayer(start, packRef({s, 0}), classOfLayer(segment), builder.label(label.full, label.brief));
        std::string_view module;
        for (std::uint32_t i = 0; i < block.operators.size(); ++i) {
            const Operator& op = block.operators[i];
            const OperatorCost& cost = simulated.costs[i];
            const double at = simulation.start({s, i}).value();
            if (i == 0 || topModule(op.module) != module) {
                module = topModule(op.module);
                builder.beginModule(at, packRef({s, i}), moduleLabel(module));
            }
            builder.add({.start = at,
                         .duration = cost.total.value(),
                         .id = packRef({s, i}),
                         .label = operatorLabels[segment.block][i],
                         .cls = classOf(op.kind),
                         .bound = cost.bound,
                         .kind = op.kind},
                        static_cast<float>((segment.held + simulated.live[i]).value()));
            if (const Seconds wait = simulation.waitBefore({s, i}); wait.value() > leastWait)
                builder.addWait(wait.value());
        }
        builder.endModule(simulation.segmentEnd(s).value());
    }
    TimelineData data = builder.finish(simulation.totals.time.value());
    const IdealMemory& memory = simulation.memory.ideal;
    data.resident = memory.resident().value();
    if (const auto peak = data.indexOf(packRef({memory.peakSegment, memory.peakOperator}))) data.peak = *peak;
    return data;
}

TimelineData syntheticTimeline(std::size_t operators) {
    struct Pattern {
        OperatorKind kind;
        double microseconds;
        Bound bound;
    };
    constexpr std::array<Pattern, 10> linear{{{OperatorKind::rms_norm, 4.0, Bound::launch},
                                              {OperatorKind::quantize, 3.0, Bound::memory},
                                              {OperatorKind::linear, 80.0, Bound::memory},
                                              {OperatorKind::linear_attn_causal_conv, 9.0, Bound::memory},
                                              {OperatorKind::linear_attn_chunk_gated_delta_rule, 60.0, Bound::vector},
                                              {OperatorKind::all_reduce, 22.0, Bound::communication},
                                              {OperatorKind::add_rms_norm, 5.0, Bound::memory},
                                              {OperatorKind::linear, 140.0, Bound::matrix},
                                              {OperatorKind::swiglu, 12.0, Bound::memory},
                                              {OperatorKind::all_reduce, 22.0, Bound::communication}}};
    Builder builder;
    builder.reserve(operators);
    builder.beginSegment();
    std::array<std::uint32_t, operatorKindCount> labels{};
    for (std::size_t kind = 0; kind < operatorKindCount; ++kind)
        labels[kind] = builder.operatorLabel(static_cast<OperatorKind>(kind), {});
    std::uint32_t random = 1;
    double time = 0.0;
    for (std::size_t i = 0; i < operators; ++i) {
        const std::size_t layer = i / linear.size();
        const bool full = layer % 4 == 3;
        Pattern pattern = linear[i % linear.size()];
        if (full && classOf(pattern.kind) == OperatorClass::linearAttention) pattern.kind = OperatorKind::attention;
        if (i == 0) builder.beginPart(Part::text, 0.0, 0);
        if (i % linear.size() == 0) {
            const QString number = QString::number(layer);
            builder.beginLayer(time, i, full ? OperatorClass::fullAttention : OperatorClass::linearAttention,
                               builder.label(number + (full ? QStringLiteral(" · full attention")
                                                            : QStringLiteral(" · linear attention")),
                                             number));
        }
        if (i % linear.size() == 0)
            builder.beginModule(time, i,
                                builder.label(full ? QStringLiteral("self_attn") : QStringLiteral("linear_attn"), {}));
        if (i % linear.size() == 6) builder.beginModule(time, i, builder.label(QStringLiteral("mlp"), {}));
        random = random * 1664525U + 1013904223U;
        const double duration = pattern.microseconds * 1e-6 * (0.5 + static_cast<double>(random >> 8U) / (1U << 24U));
        const double live = 3e7 + 4e8 * (pattern.kind == OperatorKind::linear_attn_chunk_gated_delta_rule) +
                            1e8 * static_cast<double>(i % linear.size());
        builder.add({.start = time,
                     .duration = duration,
                     .id = i,
                     .label = labels[static_cast<std::size_t>(pattern.kind)],
                     .cls = classOf(pattern.kind),
                     .bound = pattern.bound,
                     .kind = pattern.kind},
                    static_cast<float>(live));
        time += duration;
    }
    TimelineData data = builder.finish(time);
    data.resident = 9.4 * 1024.0 * 1024.0 * 1024.0;
    return data;
}

} // namespace deltascope::ui
