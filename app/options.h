// SPDX-License-Identifier: GPL-3.0-or-later
// The command line of `deltascope`.
#pragma once

#include "base/result.h"
#include "theme/theme.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace deltascope::ui {

struct Options {
    bool help = false;
    bool version = false;
    QString screenshot; ///< file to write; empty: open the window
    QString tab;
    QSize size{1280, 800};
    bool sizeGiven = false;
    QString scenario;
    QString baseline; ///< "w4a8", "full" or a scenario file
    QString selection;
    std::optional<ThemeChoice> theme;
    int scale = 1;
    QStringList files;
};

/// `arguments` without the program's name and without those that Qt takes. An error is of code usage and one line long.
Result<Options> parseOptions(const QStringList& arguments);

[[nodiscard]] QString usageText();

} // namespace deltascope::ui
