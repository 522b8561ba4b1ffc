// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of the trunk as bars split by operator class: one bar per layer, or one per kind of layer.
#pragma once

#include "workbench/workbench.h"

#include <QWidget>

namespace deltascope::ui {

class LayersView : public QWidget {
    Q_OBJECT
public:
    explicit LayersView(Workbench& workbench, QWidget* parent = nullptr);

private:
    [[maybe_unused]] Workbench& workbench_;
};

} // namespace deltascope::ui
