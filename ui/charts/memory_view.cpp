// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/memory_view.h"

namespace deltascope::ui {

MemoryView::MemoryView(Workbench& workbench, QWidget* parent) : QWidget(parent), workbench_(workbench) {
    setObjectName("memoryView");
}

} // namespace deltascope::ui
