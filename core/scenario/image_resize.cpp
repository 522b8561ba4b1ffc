// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/image_resize.h"

#include "base/format.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace deltascope {
namespace {

constexpr std::int64_t longestSide = 65536;
constexpr double largestAspectRatio = 200.0; // the processors refuse more

std::string count(std::int64_t n) { return formatCount(static_cast<double>(n)); }

Error refused(const ImageChoice& image, std::string why, std::string accepted) {
    return {ErrorCode::outOfRange,
            "image",
            std::to_string(image.height) + "x" + std::to_string(image.width),
            std::move(why),
            std::move(accepted),
            {}};
}

} // namespace

Result<ResizedImage> resizeImage(const VisionConfig& vision, const ImageLimits& limits, const ImageChoice& image) {
    if (image.height < 1 || image.width < 1 || image.height > longestSide || image.width > longestSide)
        return refused(image, "a side is out of range", "1 to " + count(longestSide) + " pixels a side");
    const auto h = static_cast<double>(image.height), w = static_cast<double>(image.width);
    if (std::max(h, w) / std::min(h, w) > largestAspectRatio)
        return refused(image, "one side is more than 200 times the other", "an aspect ratio of at most 200");
    const auto least = static_cast<double>(image.minPixels.value_or(limits.minPixels));
    const auto most = static_cast<double>(image.maxPixels.value_or(limits.maxPixels));
    const auto factor = static_cast<double>(vision.patchSize * vision.spatialMerge);
    if (!(least >= 1.0 && most >= factor * factor && least <= most))
        return refused(image, "limits of " + formatCount(least) + " to " + formatCount(most) + " pixels hold no image",
                       "min_pixels of at most max_pixels, which is at least " + formatCount(factor * factor));
    // nearbyint rounds ties to even, as Python's round does
    double height = std::max(factor, std::nearbyint(h / factor) * factor);
    double width = std::max(factor, std::nearbyint(w / factor) * factor);
    if (height * width > most) {
        const double beta = std::sqrt(h * w / most);
        height = std::max(factor, std::floor(h / beta / factor) * factor);
        width = std::max(factor, std::floor(w / beta / factor) * factor);
    } else if (height * width < least) {
        const double beta = std::sqrt(least / (h * w));
        height = std::ceil(h * beta / factor) * factor;
        width = std::ceil(w * beta / factor) * factor;
    }
    ResizedImage resized;
    resized.height = static_cast<std::int64_t>(height);
    resized.width = static_cast<std::int64_t>(width);
    resized.gridHeight = resized.height / vision.patchSize;
    resized.gridWidth = resized.width / vision.patchSize;
    resized.tokens = resized.patches() / (vision.spatialMerge * vision.spatialMerge);
    return resized;
}

} // namespace deltascope
