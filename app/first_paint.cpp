// SPDX-License-Identifier: GPL-3.0-or-later
#include "first_paint.h"

#include <QCoreApplication>
#include <QEvent>
#include <QTimer>
#include <QWidget>

#include <chrono>
#include <cstdio>

namespace deltascope::ui {
namespace {

class FirstPaint : public QObject {
public:
    using QObject::QObject;
    bool eventFilter(QObject* object, QEvent* event) override {
        if (event->type() == QEvent::Paint && !seen_) {
            seen_ = true;
            // The window and its children are painted in one go, before control returns to the event loop.
            QTimer::singleShot(0, this, [] {
                const auto now = std::chrono::steady_clock::now().time_since_epoch();
                std::printf("painted %lld\n",
                            static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
                std::fflush(stdout);
                QCoreApplication::quit();
            });
        }
        return QObject::eventFilter(object, event);
    }

private:
    bool seen_ = false;
};

} // namespace

void reportFirstPaint(QWidget& window) { window.installEventFilter(new FirstPaint(&window)); }

} // namespace deltascope::ui
