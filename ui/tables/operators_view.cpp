// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/operators_view.h"

namespace deltascope::ui {

OperatorsView::OperatorsView(Workbench& workbench, QWidget* parent) : QWidget(parent), workbench_(workbench) {
    setObjectName("operatorsView");
}

} // namespace deltascope::ui
