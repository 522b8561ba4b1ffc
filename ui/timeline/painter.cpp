// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/painter.h"

#include "base/format.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr double hatchedFrom = 9.0;   ///< pixels of width
constexpr double separatedFrom = 4.0; ///< pixels of width from which neighbours keep a hairline apart
constexpr double labelledFrom = 26.0; ///< pixels of width
constexpr double labelPadding = 4.0;

/// Rectangle of a box as it is painted: a hairline narrower where neighbours are to be told apart.
QRectF painted(const TimelineStrip& strip, const TimelineBox& box, double pixelRatio) {
    QRectF rect = strip.rect(box);
    if (box.width * pixelRatio >= separatedFrom) rect.setWidth(box.width - 1.0 / pixelRatio);
    return rect;
}

/// Boxes of one colour that touch are one rectangle: dense lanes are columns of a few colours.
void fillBoxes(QPainter& painter, const TimelineStrip& strip, const TimelineLane& lane, const ClassPalette& colors,
               double pixelRatio) {
    QRectF run;
    std::size_t runClass = operatorClassCount;
    const auto flush = [&] {
        if (runClass < operatorClassCount) painter.fillRect(run, colors[runClass]);
        runClass = operatorClassCount;
    };
    for (const TimelineBox& box : strip.boxes) {
        const auto cls = static_cast<std::size_t>(lane.spans()[box.span].cls);
        const QRectF rect = painted(strip, box, pixelRatio);
        if (cls == runClass && rect.left() <= run.right() + 0.01 / pixelRatio) {
            run.setRight(rect.right());
            continue;
        }
        flush();
        run = rect;
        runClass = cls;
    }
    flush();
}

void paintHatching(QPainter& painter, const TimelineStrip& strip, const TimelineLane& lane, const ClassPalette& colors,
                   double pixelRatio) {
    std::vector<QLineF> light, dark;
    for (const TimelineBox& box : strip.boxes) {
        if (box.width < hatchedFrom || box.count > 1) continue;
        const TimelineSpan& span = lane.spans()[box.span];
        const bool onDark = Theme::textOn(colors[static_cast<std::size_t>(span.cls)]) == QColor(Qt::white);
        appendHatch(onDark ? light : dark, painted(strip, box, pixelRatio), span.bound);
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(QColor(255, 255, 255, 62), 1.0));
    painter.drawLines(light.data(), static_cast<int>(light.size()));
    painter.setPen(QPen(QColor(0, 0, 0, 48), 1.0));
    painter.drawLines(dark.data(), static_cast<int>(dark.size()));
    painter.restore();
}

/// The longest form of a label that fits; empty when even a few letters do not.
QString fitting(const TimelineLabel& label, double width, const QFontMetricsF& metrics) {
    if (metrics.horizontalAdvance(label.full) <= width) return label.full;
    if (!label.brief.isEmpty() && metrics.horizontalAdvance(label.brief) <= width) return label.brief;
    if (width < labelledFrom) return {};
    return metrics.elidedText(label.brief.isEmpty() ? label.full : label.brief, Qt::ElideRight, width);
}

void paintLabels(QPainter& painter, const TimelineStrip& strip, const TimelinePicture& picture,
                 const TimelineLane& lane, const std::vector<TimelineLabel>& labels, const ClassPalette& colors,
                 const QFont& font, double pixelRatio) {
    const QFontMetricsF metrics(font);
    QFont timeFont = font;
    timeFont.setBold(false);
    const QFontMetricsF timeMetrics(timeFont);
    const bool operators = strip.kind == StripKind::compute || strip.kind == StripKind::link;
    const bool twoLines = operators && strip.height >= metrics.height() + timeMetrics.height() + 4.0;
    painter.setFont(font);
    for (const TimelineBox& box : strip.boxes) {
        if (box.width < (strip.kind == StripKind::layer ? 8.0 : labelledFrom)) continue;
        const TimelineSpan& span = lane.spans()[box.span];
        if (box.count > 1 && !operators) continue;
        const double room = box.width - (strip.kind == StripKind::layer ? 3.0 : 2.0 * labelPadding);
        const QString name = fitting(labels[span.label], room, metrics);
        if (name.isEmpty()) continue;
        QRectF rect = painted(strip, box, pixelRatio);
        const QColor ground = colors[static_cast<std::size_t>(span.cls)];
        painter.setPen(strip.kind == StripKind::part || strip.kind == StripKind::module ? picture.theme.text
                                                                                        : Theme::textOn(ground));
        const QString time = twoLines ? QString::fromStdString(formatSeconds(Seconds(span.duration))) : QString();
        if (!twoLines || timeMetrics.horizontalAdvance(time) > room) {
            painter.drawText(rect, Qt::AlignCenter | Qt::TextSingleLine, name);
            continue;
        }
        const double top = rect.center().y() - 0.5 * (metrics.height() + timeMetrics.height());
        rect.setTop(top);
        painter.drawText(rect, Qt::AlignHCenter | Qt::AlignTop | Qt::TextSingleLine, name);
        rect.setTop(top + metrics.height());
        painter.setFont(timeFont);
        painter.drawText(rect, Qt::AlignHCenter | Qt::AlignTop | Qt::TextSingleLine, time);
        painter.setFont(font);
    }
}

/// A faint band behind the operators of each full-attention layer, so that the pattern reads down to the last row.
void paintFullBands(QPainter& painter, const TimelineGeometry& geometry, const TimelinePicture& picture) {
    const TimelineStrip* layers = geometry.strip(StripKind::layer);
    const TimelineStrip* link = geometry.strip(StripKind::link);
    if (layers == nullptr || link == nullptr) return;
    QColor tint = picture.theme.layerColor(LayerType::fullAttention);
    tint.setAlpha(picture.theme.dark ? 46 : 30);
    const auto& spans = picture.data.row(TimelineRow::layer).spans();
    const double top = layers->y + layers->height;
    for (const TimelineBox& box : layers->boxes)
        if (box.width >= 2.0 && spans[box.span].cls == OperatorClass::fullAttention)
            painter.fillRect(QRectF(box.x, top, box.width, link->y + link->height - top), tint);
}

ClassPalette tinted(const ClassPalette& colors, const QColor& ground, double share) {
    ClassPalette result;
    std::transform(colors.begin(), colors.end(), result.begin(),
                   [&](const QColor& color) { return mix(ground, color, share); });
    return result;
}

} // namespace

QColor mix(const QColor& a, const QColor& b, double shareOfB) {
    const auto channel = [shareOfB](int x, int y) {
        return static_cast<int>(std::lround(x + (y - x) * std::clamp(shareOfB, 0.0, 1.0)));
    };
    return {channel(a.red(), b.red()), channel(a.green(), b.green()), channel(a.blue(), b.blue())};
}

ClassPalette operatorColors(const Theme& theme, std::optional<OperatorClass> only) {
    ClassPalette colors;
    for (std::size_t i = 0; i < operatorClassCount; ++i) {
        const auto cls = static_cast<OperatorClass>(i);
        colors[i] = theme.classColor(cls);
        if (only && *only != cls) colors[i] = mix(theme.panel, colors[i], 0.16);
    }
    return colors;
}

void appendHatch(std::vector<QLineF>& lines, const QRectF& rect, Bound bound) {
    constexpr double step = 6.0;
    const double w = rect.width();
    const double h = rect.height();
    const auto diagonal = [&](bool rising) {
        // The line that meets the lower (rising) or upper edge at `foot`, cut off at the sides.
        for (double foot = step - h; foot < w; foot += step) {
            const double from = std::max(0.0, -foot);
            const double to = std::min(h, w - foot);
            if (to <= from) continue;
            const auto at = [&](double t) {
                return QPointF(rect.left() + foot + t, rising ? rect.bottom() - t : rect.top() + t);
            };
            lines.emplace_back(at(from), at(to));
        }
    };
    switch (bound) {
    case Bound::memory: diagonal(true); break;
    case Bound::vector: diagonal(false); break;
    case Bound::launch:
        for (double x = 0.5 * step; x < w; x += step)
            lines.emplace_back(rect.left() + x, rect.top(), rect.left() + x, rect.bottom());
        break;
    case Bound::matrix:
    case Bound::communication:
    case Bound::none: break;
    }
}

void paintGrid(QPainter& painter, const std::vector<TimeTick>& ticks, double top, double bottom, const Theme& theme,
               double pixelRatio) {
    for (const TimeTick& tick : ticks) {
        const double x = std::round(tick.x * pixelRatio) / pixelRatio;
        painter.fillRect(QRectF(x, top, 1.0 / pixelRatio, bottom - top), theme.grid);
    }
}

void paintLayers(QPainter& painter, const std::vector<TimelineBox>& boxes, const TimelineLane& lane, double y,
                 double height, const Theme& theme, double pixelRatio) {
    TimelineStrip strip{StripKind::layer, y, height, {}};
    const double inset = std::max(2.0, std::round(height * 0.22));
    std::vector<QLineF> stripes;
    for (const TimelineBox& box : boxes) {
        QRectF rect = painted(strip, box, pixelRatio);
        const OperatorClass cls = lane.spans()[box.span].cls;
        if (cls == OperatorClass::fullAttention) {
            painter.fillRect(rect, theme.classColor(cls));
            if (box.width >= 4.0) appendHatch(stripes, rect, Bound::vector);
            continue;
        }
        rect.setTop(y + inset);
        painter.fillRect(rect, cls == OperatorClass::linearAttention ? theme.classColor(cls) : theme.border);
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(QColor(255, 255, 255, 90), 1.2));
    painter.drawLines(stripes.data(), static_cast<int>(stripes.size()));
    painter.restore();
}

void paintTimeline(QPainter& painter, const TimelineGeometry& geometry, const TimelinePicture& picture) {
    const Theme& theme = picture.theme;
    const double ratio = geometry.view.pixelRatio;
    const ClassPalette plain = operatorColors(theme);
    const ClassPalette operators = operatorColors(theme, picture.only);
    paintGrid(painter, timeTicks(geometry.view, tickSpacing(QFontMetricsF(picture.font).height())), 0.0,
              geometry.height, theme, ratio);
    paintFullBands(painter, geometry, picture);

    QFont bold = picture.font;
    bold.setBold(true);
    for (const TimelineStrip& strip : geometry.strips) {
        const TimelineLane& lane = laneOf(strip.kind, picture.data, picture.baseline);
        switch (strip.kind) {
        case StripKind::part: {
            ClassPalette grounds;
            grounds.fill(theme.grid);
            fillBoxes(painter, strip, lane, grounds, ratio);
            paintLabels(painter, strip, picture, lane, picture.data.labels, grounds, picture.font, ratio);
            break;
        }
        case StripKind::layer: {
            paintLayers(painter, strip.boxes, lane, strip.y, strip.height, theme, ratio);
            ClassPalette grounds = plain;
            grounds[static_cast<std::size_t>(OperatorClass::other)] = theme.border;
            TimelineStrip text = strip;
            const double inset = std::max(2.0, std::round(strip.height * 0.22));
            text.y += inset;
            text.height -= inset;
            paintLabels(painter, text, picture, lane, picture.data.labels, grounds, bold, ratio);
            break;
        }
        case StripKind::module: {
            const ClassPalette grounds = tinted(plain, theme.panel, theme.dark ? 0.30 : 0.20);
            fillBoxes(painter, strip, lane, grounds, ratio);
            paintLabels(painter, strip, picture, lane, picture.data.labels, grounds, picture.font, ratio);
            break;
        }
        case StripKind::compute:
        case StripKind::link:
            fillBoxes(painter, strip, lane, operators, ratio);
            paintHatching(painter, strip, lane, operators, ratio);
            paintLabels(painter, strip, picture, lane, picture.data.labels, operators, bold, ratio);
            break;
        case StripKind::ghost: fillBoxes(painter, strip, lane, tinted(operators, theme.panel, 0.42), ratio); break;
        }
    }
}

} // namespace deltascope::ui
