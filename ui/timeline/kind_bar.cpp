// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/kind_bar.h"

#include "base/format.h"
#include "timeline/picture_cache.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr double topMargin = 7.0;
constexpr double ghostHeight = 7.0;

QString nameOfKind(OperatorKind kind) {
    const auto name = nameOf(kind);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString seconds(double time) { return QString::fromStdString(formatSeconds(Seconds(time))); }

double total(const std::vector<KindTime>& kinds) {
    double sum = 0.0;
    for (const KindTime& kind : kinds) sum += kind.time;
    return sum;
}

} // namespace

KindBar::KindBar(TimelineModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Time by kind"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
    connect(&model, &TimelineModel::dataChanged, this, &KindBar::refresh);
    connect(&model, &TimelineModel::onlyChanged, this, qOverload<>(&QWidget::update));
    refresh();
}

double KindBar::barHeight() const { return std::ceil(1.4 * lineHeight(*this)); }

QSize KindBar::sizeHint() const {
    return {800, static_cast<int>(topMargin + barHeight() + (model_.baseline() ? ghostHeight + 5.0 : 0.0) + 8.0)};
}

void KindBar::refresh() {
    const bool compared = !there_.empty();
    arrange();
    if (compared == there_.empty()) updateGeometry();
    update();
}

void KindBar::arrange() {
    here_.clear();
    there_.clear();
    if (model_.shown() == nullptr) return;
    const std::vector<KindTime> kinds = kindsByClass(model_.shown()->byKind);
    std::vector<KindTime> ghosts;
    if (const auto baseline = model_.workbench().baseline()) {
        std::vector<KindTime> left = kindsByClass(baseline->byKind);
        for (const KindTime& kind : kinds) {
            const auto same =
                std::find_if(left.begin(), left.end(), [&](const KindTime& other) { return other.kind == kind.kind; });
            if (same == left.end()) continue;
            ghosts.push_back(*same);
            left.erase(same);
        }
        ghosts.insert(ghosts.end(), left.begin(), left.end());
    }
    const double whole = std::max(total(kinds), total(ghosts));
    const PlotFrame frame = plotFrame(*this);
    const auto place = [&](const std::vector<KindTime>& from, std::vector<Segment>& to) {
        double sum = 0.0;
        for (const KindTime& kind : from) {
            const double left = whole > 0.0 ? sum / whole * frame.width : 0.0;
            sum += kind.time;
            to.push_back({kind, frame.left + left, (whole > 0.0 ? sum / whole * frame.width : 0.0) - left});
        }
    };
    place(kinds, here_);
    place(ghosts, there_);
}

void KindBar::paintRow(QPainter& painter, const std::vector<Segment>& row, double y, double height,
                       const ClassPalette& colors) const {
    const double ratio = devicePixelRatioF();
    const auto snapped = [ratio](double x) { return std::round(x * ratio) / ratio; };
    for (std::size_t i = 0; i < row.size(); ++i) {
        const bool lastOfClass = i + 1 == row.size() || classOf(row[i + 1].kind.kind) != classOf(row[i].kind.kind);
        const double left = snapped(row[i].x);
        const double right = snapped(row[i].x + row[i].width);
        const QColor color = colors[static_cast<std::size_t>(classOf(row[i].kind.kind))];
        painter.fillRect(QRectF(left, y, right - left, height), color);
        if (right - left < 3.0) continue;
        // Classes stand apart over the whole height, kinds of a class by a notch.
        const double gap = lastOfClass ? height : std::round(0.25 * height);
        painter.fillRect(QRectF(right - 1.0 / ratio, y + height - gap, 1.0 / ratio, gap), theme().panel);
    }
}

void KindBar::paintNames(QPainter& painter, const ClassPalette& colors) const {
    const QFontMetricsF metrics(painter.font());
    for (std::size_t first = 0; first < here_.size();) {
        const OperatorClass cls = classOf(here_[first].kind.kind);
        std::size_t last = first;
        double time = 0.0;
        for (; last < here_.size() && classOf(here_[last].kind.kind) == cls; ++last) time += here_[last].kind.time;
        const QRectF rect(here_[first].x, topMargin, here_[last - 1].x + here_[last - 1].width - here_[first].x,
                          barHeight());
        const auto name = nameOf(cls);
        const QString text = seconds(time);
        painter.setPen(Theme::textOn(colors[static_cast<std::size_t>(cls)]));
        for (const QString& label :
             {QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())) + QLatin1Char(' ') + text, text})
            if (metrics.horizontalAdvance(label) + 6.0 <= rect.width()) {
                painter.drawText(rect, Qt::AlignCenter | Qt::TextSingleLine, label);
                break;
            }
        first = last;
    }
}

void KindBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.panel);
    painter.fillRect(QRectF(0.0, 0.0, width(), 1.0 / devicePixelRatioF()), t.border);
    paintGutterLabel(painter, *this, tr("by kind"), topMargin + 0.5 * barHeight(), true, t.text);
    if (!there_.empty()) {
        painter.setFont(smallFont(*this));
        painter.setPen(t.mutedText);
        painter.drawText(QRectF(0.0, topMargin + barHeight() - 4.0, plotFrame(*this).left - 6.0, ghostHeight + 14.0),
                         Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("A"));
    }
    if (model_.stale()) painter.setOpacity(staleOpacity);
    const ClassPalette colors = operatorColors(t, model_.only());
    paintRow(painter, here_, topMargin, barHeight(), colors);
    ClassPalette pale;
    std::transform(colors.begin(), colors.end(), pale.begin(),
                   [&](const QColor& color) { return mix(t.panel, color, 0.42); });
    paintRow(painter, there_, topMargin + barHeight() + 3.0, ghostHeight, pale);
    painter.setFont(smallFont(*this));
    paintNames(painter, colors);
}

void KindBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

const KindBar::Segment* KindBar::segmentAt(QPointF position) const {
    const auto& row = position.y() > topMargin + barHeight() + 1.0 ? there_ : here_;
    const auto found = std::find_if(row.begin(), row.end(), [&](const Segment& segment) {
        return position.x() >= segment.x && position.x() < segment.x + segment.width;
    });
    return found == row.end() ? nullptr : &*found;
}

QString KindBar::toolTipOf(const Segment& segment) const {
    const OperatorKind kind = segment.kind.kind;
    const auto find = [kind](const std::vector<Segment>& row) {
        const auto found =
            std::find_if(row.begin(), row.end(), [kind](const Segment& other) { return other.kind.kind == kind; });
        return found == row.end() ? KindTime{kind, 0, 0.0} : found->kind;
    };
    const KindTime here = find(here_);
    QString text = tr("%1: %2 in %3 calls, %4 of the step")
                       .arg(nameOfKind(kind), seconds(here.time))
                       .arg(here.calls)
                       .arg(QString::fromStdString(
                           formatShare(model_.data().duration > 0.0 ? here.time / model_.data().duration : 0.0)));
    if (!there_.empty()) {
        const KindTime there = find(there_);
        text += QLatin1Char('\n') +
                tr("in A: %1 in %2 calls, Δ %3")
                    .arg(seconds(there.time))
                    .arg(there.calls)
                    .arg(QString::fromStdString(formatSecondsDifference(Seconds(here.time - there.time))));
    }
    return text;
}

bool KindBar::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const Segment* segment = segmentAt(help->pos()))
        QToolTip::showText(help->globalPos(), toolTipOf(*segment), this);
    else
        QToolTip::hideText();
    return true;
}

void KindBar::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const Segment* segment = segmentAt(event->position());
    if (segment == nullptr) {
        model_.setOnly(std::nullopt);
        return;
    }
    const OperatorClass cls = classOf(segment->kind.kind);
    model_.setOnly(model_.only() == cls ? std::nullopt : std::optional(cls));
}

} // namespace deltascope::ui
