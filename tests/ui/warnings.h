// SPDX-License-Identifier: GPL-3.0-or-later
// Any warning that Qt prints fails the test: call from init().
#pragma once

#include <QRegularExpression>
#include <QTest>

namespace deltascope::ui {

inline void failOnWarnings() {
    // What the offscreen platform says of every window with a smallest size is no fault of the window's.
    static const QRegularExpression real(
        QStringLiteral("^(?!This plugin does not support propagateSizeHints\\(\\)).*"));
    QTest::failOnWarning(real);
}

} // namespace deltascope::ui
