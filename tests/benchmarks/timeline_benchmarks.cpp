// SPDX-License-Identifier: GPL-3.0-or-later
// A million distinct operators at 1600x800: repainted whole, and hovered.
#include "bench_catalog.h"
#include "harness.h"
#include "timeline/timeline_view.h"
#include "timeline/timeline_widget.h"

#include <QApplication>
#include <QMouseEvent>

#include <memory>

namespace deltascope::bench {
namespace {

using namespace deltascope::ui;

constexpr std::size_t million = 1'000'000;

struct Stage {
    Workbench workbench{catalog()};
    VisibleRange range;
    TimelineModel model{workbench, range};
    TimelineWidget widget{model};

    Stage() {
        model.showData(syntheticTimeline(million));
        widget.setMaximumHeight(QWIDGETSIZE_MAX);
        widget.resize(1600, 800);
        widget.show();
        QApplication::processEvents();
    }
};

/// Geometry, picture and blit of the whole widget, over the whole step.
Benchmark::Outcome repaint() {
    Stage stage;
    return {sample([&] { stage.widget.repaint(); }, {}, [&] { stage.widget.refresh(); }), {}};
}

/// From the pointer's move to its outline, line and card on screen, in the whole tab.
Benchmark::Outcome hover() {
    Workbench workbench{catalog()};
    TimelineView view(workbench);
    view.model().showData(syntheticTimeline(million));
    view.resize(1600, 800);
    view.show();
    QApplication::processEvents();
    TimelineWidget& widget = view.timeline();
    const TimelineStrip compute = *widget.geometryOnScreen().strip(StripKind::compute);
    const double left = plotFrame(widget).left;
    int step = 0;
    const auto move = [&] {
        step = (step + 37) % 1400;
        const QPointF at(left + step, compute.y + 5.0);
        QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(&widget, &event);
        QApplication::processEvents();
    };
    return {sample(move), {}};
}

} // namespace

std::vector<Benchmark> timelineBenchmarks() {
    return {{"timeline-1m-repaint", Unit::milliseconds, 8.0, false, repaint},
            {"timeline-1m-hover", Unit::milliseconds, 1.0, false, hover}};
}

} // namespace deltascope::bench
