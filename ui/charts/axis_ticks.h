// SPDX-License-Identifier: GPL-3.0-or-later
// Logarithmic axes of contexts and of requests, with round numbers at their ticks.
#pragma once

#include "charts/chart_plot.h"

namespace deltascope::ui {

/// 1k to 1.01M tokens.
void showContexts(QCPAxis* axis);
/// 1 to 4,096 requests.
void showRequests(QCPAxis* axis);

} // namespace deltascope::ui
