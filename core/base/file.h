// SPDX-License-Identifier: GPL-3.0-or-later
// Writing files that appear whole or not at all.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string_view>

namespace deltascope {

/// Writes a temporary file beside `path`, flushes it to the disk and renames it over `path`. On failure nothing is left
/// behind and an old file stays as it was. A symbolic link is followed; pipes and devices are written in place.
Result<void> writeFileWhole(const std::filesystem::path& path, std::string_view text);

} // namespace deltascope
