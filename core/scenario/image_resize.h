// SPDX-License-Identifier: GPL-3.0-or-later
// How a vision processor resizes an image before it is cut into patches.
#pragma once

#include "base/result.h"
#include "catalog/model_config.h"
#include "scenario/scenario.h"

#include <cstdint>

namespace deltascope {

struct ResizedImage {
    std::int64_t height = 0; ///< pixels after the resize
    std::int64_t width = 0;
    std::int64_t gridHeight = 0; ///< patches
    std::int64_t gridWidth = 0;
    std::int64_t tokens = 0; ///< after the spatial merge
    [[nodiscard]] std::int64_t patches() const { return gridHeight * gridWidth; }
};

/// Source: `smart_resize` of the Qwen-VL processors: both sides to multiples of patch * merge (ties to even), then
/// scaled down or up until the area is between the limits. Fails for sides out of range and an aspect ratio over 200.
Result<ResizedImage> resizeImage(const VisionConfig& vision, const ImageLimits& limits, const ImageChoice& image);

} // namespace deltascope
