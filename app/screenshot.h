// SPDX-License-Identifier: GPL-3.0-or-later
// A widget as a PNG file, whole or not at all.
#pragma once

#include "base/result.h"

#include <QString>

class QWidget;

namespace deltascope::ui {

Result<void> saveScreenshot(QWidget& widget, const QString& path);

} // namespace deltascope::ui
