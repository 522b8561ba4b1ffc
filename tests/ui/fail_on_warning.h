// SPDX-License-Identifier: GPL-3.0-or-later
// A warning that Qt prints fails the test that is running. Include it once in a test program.
#pragma once

#include <QtTest>

namespace deltascope::ui {

inline QStringList& qtWarnings() {
    static QStringList warnings;
    return warnings;
}

inline void failOnWarnings() {
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& message) {
        if (type == QtDebugMsg || type == QtInfoMsg) return;
        // What the offscreen platform says of windows with a smallest size and of popups.
        if (message.startsWith(QLatin1String("This plugin does not support"))) return;
        qtWarnings() << message;
    });
}

/// In cleanup() of a test: QVERIFY2(noWarnings(), ...) by way of the macro.
#define DELTASCOPE_NO_WARNINGS()                                                                                       \
    do {                                                                                                               \
        const QStringList warnings = std::exchange(deltascope::ui::qtWarnings(), {});                                  \
        QVERIFY2(warnings.isEmpty(), qPrintable(warnings.join(QLatin1Char('\n'))));                                    \
    } while (false)

} // namespace deltascope::ui
