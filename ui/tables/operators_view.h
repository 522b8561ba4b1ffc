// SPDX-License-Identifier: GPL-3.0-or-later
// The operators of the step as a table: sorted, filtered, grouped, beside those of the baseline.
#pragma once

#include "workbench/workbench.h"

#include <QWidget>

namespace deltascope::ui {

class OperatorsView : public QWidget {
    Q_OBJECT
public:
    explicit OperatorsView(Workbench& workbench, QWidget* parent = nullptr);

private:
    [[maybe_unused]] Workbench& workbench_;
};

} // namespace deltascope::ui
