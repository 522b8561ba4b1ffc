// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of one rank as a stack: weights by group, caches, states, activations, what is free up to the limit.
#pragma once

#include "workbench/workbench.h"

#include <QWidget>

namespace deltascope::ui {

class MemoryView : public QWidget {
    Q_OBJECT
public:
    explicit MemoryView(Workbench& workbench, QWidget* parent = nullptr);
    void refreshNow() {}

private:
    [[maybe_unused]] Workbench& workbench_;
};

} // namespace deltascope::ui
