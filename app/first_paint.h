// SPDX-License-Identifier: GPL-3.0-or-later
// For measuring the start of the program: when its window was first on screen.
#pragma once

class QWidget;

namespace deltascope::ui {

/// Once `window` and all in it have been painted: prints `painted NANOSECONDS` of the system's monotonic clock to
/// standard output and ends the program.
void reportFirstPaint(QWidget& window);

} // namespace deltascope::ui
