// SPDX-License-Identifier: GPL-3.0-or-later
// What fits on a device, as text for people and as JSON for programs.
#pragma once

#include "explore/fits_report.h"

#include <string>

namespace deltascope {

/// Schema "deltascope.fits/1", sizes in bytes of one rank.
[[nodiscard]] std::string toJson(const FitsReport& report);
/// Verdict, parts, remedies and frontier; plain text, at most 100 columns.
[[nodiscard]] std::string toReport(const FitsReport& report);

} // namespace deltascope
