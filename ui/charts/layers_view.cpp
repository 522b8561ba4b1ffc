// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/layers_view.h"

namespace deltascope::ui {

LayersView::LayersView(Workbench& workbench, QWidget* parent) : QWidget(parent), workbench_(workbench) {
    setObjectName("layersView");
}

} // namespace deltascope::ui
