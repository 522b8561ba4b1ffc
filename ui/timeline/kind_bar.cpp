// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/kind_bar.h"

#include "base/format.h"
#include "timeline/painter.h"

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
    arrange();
    updateGeometry();
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

void KindBar::paintSegments(QPainter& painter) const {
    const Theme& t = theme();
    const double ratio = devicePixelRatioF();
    const ClassPalette colors = operatorColors(t, model_.only());
    const auto snapped = [ratio](double x) { return std::round(x * ratio) / ratio; };
    QFont font = smallFont(*this);
    font.setBold(true);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    for (const Segment& segment : here_) {
        const QColor color = colors[static_cast<std::size_t>(classOf(segment.kind.kind))];
        const double left = snapped(segment.x);
        const double width = snapped(segment.x + segment.width) - left;
        const QRectF rect(left, topMargin, width >= 3.0 ? width - 1.0 / ratio : width, barHeight());
        painter.fillRect(rect, color);
        painter.setPen(Theme::textOn(color));
        const QString time = seconds(segment.kind.time);
        for (const QString& text : {nameOfKind(segment.kind.kind) + QLatin1Char(' ') + time, time})
            if (metrics.horizontalAdvance(text) + 8.0 <= rect.width()) {
                painter.drawText(rect, Qt::AlignCenter | Qt::TextSingleLine, text);
                break;
            }
    }
    const double y = topMargin + barHeight() + 3.0;
    for (const Segment& segment : there_) {
        const double left = snapped(segment.x);
        const double width = snapped(segment.x + segment.width) - left;
        painter.fillRect(QRectF(left, y, width >= 3.0 ? width - 1.0 / ratio : width, ghostHeight),
                         mix(t.panel, colors[static_cast<std::size_t>(classOf(segment.kind.kind))], 0.42));
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
    if (model_.stale()) painter.setOpacity(0.4);
    paintSegments(painter);
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
