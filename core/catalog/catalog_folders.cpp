// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalog/catalog.h"

#include <array>
#include <cstdlib>
#include <system_error>

namespace deltascope {
namespace {

namespace fs = std::filesystem;

bool holdsCatalog(const fs::path& folder) {
    std::error_code error;
    return fs::is_directory(folder / "models", error) && fs::is_directory(folder / "devices", error);
}

/// The folder of the program. A bare name, as a shell gives it, is looked up through the running process.
fs::path folderOf(const fs::path& executable) {
    std::error_code error;
    fs::path file = fs::canonical(executable, error);
    if (error || !fs::is_regular_file(file, error)) file = fs::canonical("/proc/self/exe", error);
    return file.parent_path();
}

} // namespace

fs::path userCatalogFolder() {
    const char* data = std::getenv("XDG_DATA_HOME");
    if (data && fs::path(data).is_absolute()) return fs::path(data) / "deltascope";
    const char* home = std::getenv("HOME");
    if (home && fs::path(home).is_absolute()) return fs::path(home) / ".local" / "share" / "deltascope";
    return {};
}

std::vector<CatalogFolder> defaultCatalogFolders(const fs::path& executable, const std::vector<fs::path>& extra) {
    std::vector<CatalogFolder> folders;
    const fs::path program = folderOf(executable);
    const std::array places{program, program.parent_path() / "share" / "deltascope", fs::path(DELTASCOPE_SOURCE_DIR)};
    for (const fs::path& place : places) {
        if (!holdsCatalog(place)) continue;
        folders.push_back({place, Origin::builtIn});
        break;
    }
    std::error_code error;
    if (const fs::path user = userCatalogFolder(); fs::is_directory(user, error))
        folders.push_back({user, Origin::user});
    for (const fs::path& folder : extra) folders.push_back({folder, Origin::user});
    return folders;
}

} // namespace deltascope
