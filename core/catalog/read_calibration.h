// SPDX-License-Identifier: GPL-3.0-or-later
// The `calibration` section of a device file.
#pragma once

#include "base/checked_map.h"
#include "catalog/calibration.h"

namespace deltascope {

/// Problems go to the map's checker. devices/README.md says what is accepted.
[[nodiscard]] Calibration readCalibration(CheckedMap& map);

} // namespace deltascope
