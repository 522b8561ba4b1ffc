// SPDX-License-Identifier: GPL-3.0-or-later
// Models, devices and engines that are named by a file or folder of the user's instead of a name in the catalog.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "scenario/scenario.h"

#include <string>
#include <string_view>

namespace deltascope {

/// Replaces model, device and engine that are no name in the catalog but a file or folder by what the catalog reads
/// from it.
Result<void> addNamedFiles(Catalog& catalog, Scenario& scenario);

/// An error of opening the file that a field names, said of the field. A folder or a device in its place is a wrong
/// choice (usage); what should be readable and is not stays unreadable. Other errors stay as they are.
[[nodiscard]] Error saidOfField(Error error, std::string_view field, const std::string& path);

/// Whether a model, device or engine is named by a path: it has a slash, or ends as their files do.
[[nodiscard]] bool looksLikePath(std::string_view name);

} // namespace deltascope
