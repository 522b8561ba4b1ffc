// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/refresh_gate.h"

#include <QEvent>
#include <QWidget>

#include <utility>

namespace deltascope::ui {

RefreshGate::RefreshGate(QWidget& view, std::function<void()> refresh)
    : QObject(&view), view_(view), refresh_(std::move(refresh)) {
    view.installEventFilter(this);
}

void RefreshGate::mark() {
    marked_ = true;
    if (queued_ || !view_.isVisible()) return;
    queued_ = true;
    // Posted events come before the paint that the same change asks for.
    QMetaObject::invokeMethod(
        this,
        [this] {
            queued_ = false;
            ensure();
        },
        Qt::QueuedConnection);
}

void RefreshGate::ensure(bool evenHidden) {
    if (!marked_ || (!evenHidden && !view_.isVisible())) return;
    marked_ = false;
    refresh_();
}

bool RefreshGate::eventFilter(QObject* watched, QEvent* event) {
    // Show comes before the first paint, when the view already counts as visible.
    if (watched == &view_ && event->type() == QEvent::Show) ensure();
    return QObject::eventFilter(watched, event);
}

} // namespace deltascope::ui
