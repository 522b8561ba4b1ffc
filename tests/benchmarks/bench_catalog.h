// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in catalog, read once for all benchmarks.
#pragma once

#include "catalog/catalog.h"

#include <filesystem>
#include <system_error>

namespace deltascope::bench {

[[nodiscard]] inline std::filesystem::path executable() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

[[nodiscard]] inline const Catalog& catalog() {
    static const Catalog instance = Catalog::load(defaultCatalogFolders(executable()));
    return instance;
}

} // namespace deltascope::bench
