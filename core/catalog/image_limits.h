// SPDX-License-Identifier: GPL-3.0-or-later
// The limits of the image resize, from the preprocessor_config.json beside a model's config.json.
#pragma once

#include "catalog/model_config.h"

#include <filesystem>

namespace deltascope {

/// `size.shortest_edge` and `size.longest_edge` (which are pixel counts), or `min_pixels` and `max_pixels`. Whatever is
/// wrong with the folder or the file, the defaults come back with a note that says what it was.
[[nodiscard]] ImageLimits readImageLimits(const std::filesystem::path& modelFolder);

} // namespace deltascope
