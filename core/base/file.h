// SPDX-License-Identifier: GPL-3.0-or-later
// Reading and writing whole files. A written file appears whole or not at all.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace deltascope {

/// The bytes of a regular file. Fails with notFound, unreadable (a folder, a device, no permission) or tooLarge.
Result<std::string> readFileWhole(const std::filesystem::path& path, std::uintmax_t limit = 64u << 20);

/// Writes a temporary file beside `path`, flushes it to the disk and renames it over `path`. On failure nothing is left
/// behind and an old file stays as it was. A symbolic link is followed; pipes and devices are written in place.
Result<void> writeFileWhole(const std::filesystem::path& path, std::string_view text);

} // namespace deltascope
