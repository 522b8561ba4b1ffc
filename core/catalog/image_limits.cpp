// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalog/image_limits.h"

#include "base/checked_map.h"
#include "base/format.h"

#include <system_error>

namespace deltascope {
namespace {

ImageLimits defaults(const std::string& why) {
    ImageLimits limits;
    limits.note = "Image limits are the defaults, " + formatCount(static_cast<double>(limits.minPixels)) + " to " +
                  formatCount(static_cast<double>(limits.maxPixels)) + " pixels: " + why;
    return limits;
}

} // namespace

ImageLimits readImageLimits(const std::filesystem::path& modelFolder) {
    const std::filesystem::path folder = modelFolder.empty() ? "." : modelFolder;
    const std::filesystem::path file = folder / "preprocessor_config.json";
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) return defaults(folder.string() + " is no folder");
    if (!std::filesystem::exists(file, error)) return defaults(folder.string() + " holds no preprocessor_config.json");
    const auto document = readJsonFile(file);
    if (!document) return defaults(document.error().text());

    constexpr WholeRange pixels{1, std::int64_t{1} << 40};
    Checker checker(file.string());
    CheckedMap top(checker, *document);
    std::optional<std::int64_t> min;
    std::optional<std::int64_t> max;
    if (auto size = top.optionalMap("size")) {
        min = size->optionalWhole("shortest_edge", pixels);
        max = size->optionalWhole("longest_edge", pixels);
    }
    if (!min) min = top.optionalWhole("min_pixels", pixels);
    if (!max) max = top.optionalWhole("max_pixels", pixels);
    if (checker.failed()) return defaults(checker.error().text());
    if (!min || !max) return defaults(file.string() + " names no limits (size.shortest_edge and size.longest_edge)");
    if (*min > *max) return defaults(file.string() + ": the least number of pixels is above the greatest");
    return {*min, *max, {}};
}

} // namespace deltascope
