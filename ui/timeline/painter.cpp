// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/painter.h"

#include "base/format.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <limits>

namespace deltascope::ui {
namespace {

constexpr double hatchedFrom = 9.0;   ///< pixels of width
constexpr double separatedFrom = 4.0; ///< pixels of width from which neighbours keep a hairline apart
constexpr double labelledFrom = 26.0; ///< pixels of width
constexpr double labelPadding = 3.0;
constexpr qsizetype leastLetters = 6; ///< of a label that is cut short, with its ellipsis

/// Height by which linear layers are lower than full ones.
double layerInset(double height) { return std::max(2.0, std::round(height * 0.22)); }

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
    const QString elided = metrics.elidedText(label.brief.isEmpty() ? label.full : label.brief, Qt::ElideRight, width);
    return elided.size() >= leastLetters ? elided : QString();
}

/// Numbers stand on the layers only when every layer on screen has room for its own.
bool roomForNumbers(const TimelineStrip& layers, const TimelineLane& lane, const std::vector<TimelineLabel>& labels,
                    const QFontMetricsF& metrics) {
    double widest = 0.0;
    double narrowest = std::numeric_limits<double>::max();
    for (std::size_t i = 1; i + 1 < layers.boxes.size(); ++i) { // the outer ones may be cut off
        const TimelineBox& box = layers.boxes[i];
        const TimelineLabel& label = labels[lane.spans()[box.span].label];
        if (label.brief.isEmpty()) continue;
        if (box.count > 1) return false;
        narrowest = std::min(narrowest, box.width);
        widest = std::max(widest, metrics.horizontalAdvance(label.brief));
    }
    return widest + 2.0 <= narrowest;
}

void paintLabels(QPainter& painter, const TimelineStrip& strip, const TimelineLane& lane,
                 const std::vector<TimelineLabel>& labels, const ClassPalette& inks, const QFont& font,
                 double pixelRatio) {
    const QFontMetricsF metrics(font);
    const double line = metrics.height();
    const bool operators = strip.kind == StripKind::compute || strip.kind == StripKind::link;
    const bool layers = strip.kind == StripKind::layer;
    const bool twoLines = operators && strip.height >= 2.0 * line + 4.0;
    const double least = layers && roomForNumbers(strip, lane, labels, metrics) ? 6.0 : labelledFrom;
    painter.setFont(font);
    for (const TimelineBox& box : strip.boxes) {
        if (box.width < least || (box.count > 1 && !operators)) continue;
        const TimelineSpan& span = lane.spans()[box.span];
        const double room = box.width - (layers ? 2.0 : 2.0 * labelPadding);
        const QString name = fitting(labels[span.label], room, metrics);
        if (name.isEmpty()) continue;
        const QRectF rect = painted(strip, box, pixelRatio);
        painter.setPen(inks[static_cast<std::size_t>(span.cls)]);
        const QString time = twoLines ? QString::fromStdString(formatSeconds(Seconds(span.duration))) : QString();
        if (!twoLines || metrics.horizontalAdvance(time) > room) {
            painter.drawText(rect, Qt::AlignCenter | Qt::TextSingleLine, name);
            continue;
        }
        const double middle = rect.center().y();
        painter.drawText(QRectF(rect.left(), middle - line, rect.width(), line), Qt::AlignCenter | Qt::TextSingleLine,
                         name);
        painter.drawText(QRectF(rect.left(), middle, rect.width(), line), Qt::AlignCenter | Qt::TextSingleLine, time);
    }
}

/// A faint band behind the operators of each full-attention layer, so that the pattern reads down to the last row.
void paintFullBands(QPainter& painter, const TimelineGeometry& geometry, const TimelinePicture& picture) {
    const TimelineStrip* layers = geometry.strip(StripKind::layer);
    const TimelineStrip* link = geometry.strip(StripKind::link);
    if (layers == nullptr || link == nullptr) return;
    QColor tint = picture.theme.layerColor(LayerType::fullAttention);
    tint.setAlpha(30);
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
    const double inset = layerInset(height);
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

namespace {

void paintStructure(QPainter& painter, const TimelineStrip& strip, const TimelineLane& lane,
                    const TimelinePicture& picture, double ratio) {
    const Theme& theme = picture.theme;
    ClassPalette grounds;
    ClassPalette inks;
    inks.fill(theme.text);
    if (strip.kind == StripKind::layer) {
        paintLayers(painter, strip.boxes, lane, strip.y, strip.height, theme, ratio);
        grounds = operatorColors(theme);
        grounds[static_cast<std::size_t>(OperatorClass::other)] = theme.border;
        std::transform(grounds.begin(), grounds.end(), inks.begin(), &Theme::textOn);
        TimelineStrip low = strip;
        low.y += layerInset(strip.height);
        low.height -= layerInset(strip.height);
        QFont bold = picture.font;
        bold.setBold(true);
        paintLabels(painter, low, lane, picture.data.labels, inks, bold, ratio);
        return;
    }
    grounds.fill(theme.grid);
    if (strip.kind == StripKind::module) grounds = tinted(operatorColors(theme), theme.panel, theme.dark ? 0.30 : 0.20);
    fillBoxes(painter, strip, lane, grounds, ratio);
    paintLabels(painter, strip, lane, picture.data.labels, inks, picture.font, ratio);
}

/// What the device waits for, hatched as all that launching bounds.
void paintWaits(QPainter& painter, const TimelineStrip& strip, const TimelineLane& lane, const TimelinePicture& picture,
                double ratio) {
    ClassPalette grounds;
    grounds.fill(mix(picture.theme.panel, picture.theme.slower, picture.theme.dark ? 0.55 : 0.35));
    ClassPalette inks;
    inks.fill(Theme::textOn(grounds.front()));
    fillBoxes(painter, strip, lane, grounds, ratio);
    paintHatching(painter, strip, lane, grounds, ratio);
    paintLabels(painter, strip, lane, picture.data.labels, inks, picture.font, ratio);
}

} // namespace

void paintTimeline(QPainter& painter, const TimelineGeometry& geometry, const TimelinePicture& picture) {
    const Theme& theme = picture.theme;
    const double ratio = geometry.view.pixelRatio;
    const ClassPalette operators = operatorColors(theme, picture.only);
    ClassPalette inks;
    std::transform(operators.begin(), operators.end(), inks.begin(), &Theme::textOn);
    paintGrid(painter, timeTicks(geometry.view, tickSpacing(QFontMetricsF(picture.font).height())), 0.0,
              geometry.height, theme, ratio);
    paintFullBands(painter, geometry, picture);
    for (const TimelineStrip& strip : geometry.strips) {
        const TimelineLane& lane = laneOf(strip.kind, picture.data, picture.baseline);
        switch (strip.kind) {
        case StripKind::part:
        case StripKind::layer:
        case StripKind::module: paintStructure(painter, strip, lane, picture, ratio); break;
        case StripKind::compute:
        case StripKind::link:
            fillBoxes(painter, strip, lane, operators, ratio);
            paintHatching(painter, strip, lane, operators, ratio);
            paintLabels(painter, strip, lane, picture.data.labels, inks, picture.font, ratio);
            break;
        case StripKind::host: paintWaits(painter, strip, lane, picture, ratio); break;
        case StripKind::ghost: fillBoxes(painter, strip, lane, tinted(operators, theme.panel, 0.42), ratio); break;
        }
    }
}

} // namespace deltascope::ui
