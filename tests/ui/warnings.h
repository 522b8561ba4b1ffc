// SPDX-License-Identifier: GPL-3.0-or-later
// Any warning that Qt prints fails the test: call from init().
#pragma once

#include <QRegularExpression>
#include <QTest>

namespace deltascope::ui {

inline void failOnWarnings() {
    // What the offscreen platform says of windows with a smallest size and of popups is no fault of theirs.
    static const QRegularExpression real(
        QStringLiteral("^(?!This plugin does not support (propagateSizeHints|raise|grabbing)).*"));
    QTest::failOnWarning(real);
}

} // namespace deltascope::ui
