// SPDX-License-Identifier: GPL-3.0-or-later
// What a file of the user is, told by its content; its name and extension do not matter.
#pragma once

#include "base/result.h"

#include <filesystem>

namespace deltascope::ui {

enum class FileKind { model, device, engine, scenario };

/// A folder is a model when it holds a config.json. The error says what would be recognised.
Result<FileKind> fileKindOf(const std::filesystem::path& path);

} // namespace deltascope::ui
