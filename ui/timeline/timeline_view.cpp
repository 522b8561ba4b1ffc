// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_view.h"

#include "theme/theme.h"
#include "timeline/hover_card.h"
#include "timeline/kind_bar.h"
#include "timeline/legend.h"
#include "timeline/memory_curve.h"
#include "timeline/overview_strip.h"
#include "timeline/ruler.h"
#include "timeline/selection_summary.h"
#include "timeline/timeline_widget.h"

#include <QAction>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace deltascope::ui {
namespace {

constexpr double zoomStep = 0.7;
constexpr double panStep = 0.15;

} // namespace

TimelineView::TimelineView(Workbench& workbench, QWidget* parent)
    : TimelineView(workbench, *new VisibleRange(&workbench), parent) {}

TimelineView::TimelineView(Workbench& workbench, VisibleRange& range, QWidget* parent)
    : QWidget(parent), range_(range), model_(workbench, range) {
    setAccessibleName(tr("Timeline"));
    build();
    addActions();
    setFocusProxy(timeline_);
    connect(&model_, &TimelineModel::hoverChanged, this, &TimelineView::showCard);
    connect(&model_, &TimelineModel::dataChanged, this, &TimelineView::showCard);
    connect(timeline_, &TimelineWidget::operatorActivated, this, &TimelineView::selectOperator);
    connect(memory_, &MemoryCurve::operatorActivated, this, &TimelineView::selectOperator);
}

void TimelineView::build() {
    overview_ = new OverviewStrip(model_, this);
    ruler_ = new Ruler(model_, this);
    timeline_ = new TimelineWidget(model_, this);
    memory_ = new MemoryCurve(model_, this);
    legend_ = new Legend(model_, this);
    summary_ = new SelectionSummary(model_, this);
    kinds_ = new KindBar(model_, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(overview_);
    layout->addWidget(ruler_);
    layout->addWidget(timeline_, 3);
    layout->addWidget(memory_, 2);
    layout->addWidget(legend_);
    layout->addWidget(summary_);
    layout->addWidget(kinds_);
    card_ = new HoverCard(this);
}

void TimelineView::addActions() {
    const auto add = [this](const char* name, const QString& text, const QList<QKeySequence>& keys,
                            void (TimelineView::*slot)()) {
        auto* action = new QAction(text, this);
        action->setObjectName(QStringLiteral("timeline.") + QLatin1String(name));
        action->setShortcuts(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, slot);
        addAction(action);
        return action;
    };
    groups_ = {
        {add("zoomIn", tr("Zoom in"), {Qt::Key_W, QKeySequence::ZoomIn}, &TimelineView::zoomIn),
         add("zoomOut", tr("Zoom out"), {Qt::Key_S, QKeySequence::ZoomOut}, &TimelineView::zoomOut),
         add("panLeft", tr("Move left"), {Qt::Key_A, Qt::Key_Left}, &TimelineView::panLeft),
         add("panRight", tr("Move right"), {Qt::Key_D, Qt::Key_Right}, &TimelineView::panRight)},
        {add("fitAll", tr("Fit the whole step"), {Qt::Key_Home}, &TimelineView::fitAll),
         add("fitSelection", tr("Fit the selection"), {Qt::Key_F}, &TimelineView::fitSelection),
         add("back", tr("Zoom back"), {QKeySequence(Qt::ALT | Qt::Key_Left)}, &TimelineView::zoomBack),
         add("forward", tr("Zoom forward"), {QKeySequence(Qt::ALT | Qt::Key_Right)}, &TimelineView::zoomForward)},
        {add("next", tr("Next of the same kind"), {Qt::Key_BracketRight}, &TimelineView::selectNext),
         add("previous", tr("Previous of the same kind"), {Qt::Key_BracketLeft}, &TimelineView::selectPrevious),
         add("mark", tr("Mark this time"), {Qt::Key_M}, &TimelineView::toggleMark),
         add("clearRange", tr("Clear the selected range"), {Qt::Key_Escape}, &TimelineView::clearRange)}};
}

double TimelineView::focusTime() const {
    if (const auto& time = model_.hover().time) return *time;
    return 0.5 * (range_.from() + range_.to());
}

void TimelineView::zoomIn() { range_.zoom(zoomStep, focusTime()); }
void TimelineView::zoomOut() { range_.zoom(1.0 / zoomStep, focusTime()); }
void TimelineView::panLeft() { range_.pan(-panStep * (range_.to() - range_.from())); }
void TimelineView::panRight() { range_.pan(panStep * (range_.to() - range_.from())); }
void TimelineView::fitAll() { range_.fitAll(); }
void TimelineView::zoomBack() { range_.back(); }
void TimelineView::zoomForward() { range_.forward(); }
void TimelineView::selectNext() { model_.selectNeighbour(true); }
void TimelineView::selectPrevious() { model_.selectNeighbour(false); }
void TimelineView::clearRange() { model_.selectRange(std::nullopt); }

void TimelineView::fitSelection() {
    if (const auto& selected = model_.selectedRange()) {
        range_.setRange(selected->from, selected->to);
    } else if (const auto index = model_.selectedOperator()) {
        const TimelineSpan& span = model_.data().operators.spans()[*index];
        const double margin = 0.5 * span.duration; // so that its neighbours show where it is
        range_.setRange(span.start - margin, span.end() + margin);
    }
}

void TimelineView::toggleMark() {
    constexpr double pixels = 4.0;
    model_.toggleMark(focusTime(), pixels * (range_.to() - range_.from()) / plotFrame(*timeline_).width);
}

void TimelineView::selectOperator(std::size_t index) {
    if (model_.shown() == nullptr) return;
    model_.workbench().select(unpackRef(model_.data().operators.spans()[index].id));
}

void TimelineView::showCard() {
    const TimelineModel::Hover& hover = model_.hover();
    const TimelineStrip* strip = timeline_->geometryOnScreen().strip(hover.kind);
    if (!hover.time || strip == nullptr) {
        card_->show({}, {});
        return;
    }
    // Under the row and not under the pointer: the card stands still while the pointer moves up and down.
    const PlotFrame frame = plotFrame(*timeline_);
    const QPointF anchor(frame.left + range_.pixel(*hover.time, frame.width), strip->y + strip->height);
    card_->show(factsUnderPointer(model_), timeline_->mapTo(this, anchor.toPoint()));
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    // The keys of the W, A, S and D positions on layouts that have other letters there. Scan codes of X11 and Wayland;
    // on layouts with Latin letters the actions' shortcuts come first.
    switch (event->nativeScanCode()) {
    case 25: zoomIn(); return;
    case 39: zoomOut(); return;
    case 38: panLeft(); return;
    case 40: panRight(); return;
    default: QWidget::keyPressEvent(event);
    }
}

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
}

} // namespace deltascope::ui
