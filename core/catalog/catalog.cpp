// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalog/catalog.h"

#include "base/spelling.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace deltascope {
namespace {

namespace fs = std::filesystem;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// 8B before 30B before 235B: digits compare as the number they are.
bool naturallyLess(std::string_view a, std::string_view b) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            std::uint64_t x = 0;
            std::uint64_t y = 0;
            const char* endA = std::from_chars(a.data() + i, a.data() + a.size(), x).ptr;
            const char* endB = std::from_chars(b.data() + j, b.data() + b.size(), y).ptr;
            if (x != y) return x < y;
            i = static_cast<std::size_t>(endA - a.data());
            j = static_cast<std::size_t>(endB - b.data());
        } else if (a[i] != b[j]) {
            return a[i] < b[j];
        } else {
            ++i;
            ++j;
        }
    }
    return a.size() - i < b.size() - j;
}

template <class T>
bool isAlias(const T&, std::string_view) {
    return false;
}
bool isAlias(const DeviceProfile& device, std::string_view name) {
    return std::any_of(device.aliases.begin(), device.aliases.end(),
                       [&](const std::string& alias) { return equalIgnoringCase(alias, name); });
}

/// A name goes before an alias, wherever it stands.
template <class T>
std::shared_ptr<const T> find(const std::vector<std::shared_ptr<const T>>& list, std::string_view name) {
    for (const auto& entry : list)
        if (equalIgnoringCase(entry->name, name)) return entry;
    for (const auto& entry : list)
        if (isAlias(*entry, name)) return entry;
    return nullptr;
}

/// Adds `entry` in the list's order, in place of one of the same name.
template <class T>
void put(std::vector<std::shared_ptr<const T>>& list, T entry) {
    std::erase_if(list, [&](const auto& other) { return equalIgnoringCase(other->name, entry.name); });
    const auto at = std::find_if(list.begin(), list.end(),
                                 [&](const auto& other) { return naturallyLess(entry.name, other->name); });
    list.insert(at, std::make_shared<const T>(std::move(entry)));
}

template <class T>
bool shareAName(const T& a, const T& b) {
    return equalIgnoringCase(a.name, b.name) || isAlias(a, b.name) || isAlias(b, a.name);
}
bool shareAName(const DeviceProfile& a, const DeviceProfile& b) {
    return equalIgnoringCase(a.name, b.name) || isAlias(a, b.name) || isAlias(b, a.name) ||
           std::any_of(a.aliases.begin(), a.aliases.end(), [&](const std::string& alias) { return isAlias(b, alias); });
}

/// What stands in `folder` by order of name; an unreadable folder is a problem, a missing one is not.
std::vector<fs::path> entriesOf(const fs::path& folder, std::vector<Error>& problems) {
    std::vector<fs::path> entries;
    std::error_code error;
    if (!fs::is_directory(folder, error)) return entries;
    for (fs::directory_iterator it(folder, error); !error && it != fs::directory_iterator(); it.increment(error))
        entries.push_back(it->path());
    if (error)
        problems.push_back(
            {ErrorCode::unreadable, "folder", "", "cannot be listed: " + error.message(), "", folder.string()});
    std::sort(entries.begin(), entries.end());
    return entries;
}

bool isModel(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error) || path.extension() == ".json";
}
bool isYaml(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".yml"; }

/// Reads what of `folder` `wanted` picks. Within one folder a name is given once; the first keeps it.
template <class T>
void readFolder(const fs::path& folder, Origin origin, bool (*wanted)(const fs::path&),
                Result<T> (*read)(const fs::path&, Origin), std::vector<std::shared_ptr<const T>>& list,
                std::vector<Error>& problems) {
    std::vector<T> here;
    for (const fs::path& path : entriesOf(folder, problems)) {
        if (path.filename().string().starts_with('.') || !wanted(path)) continue;
        auto entry = read(path, origin);
        if (!entry) {
            problems.push_back(entry.error());
            continue;
        }
        const auto twin =
            std::find_if(here.begin(), here.end(), [&](const T& other) { return shareAName(*entry, other); });
        if (twin == here.end())
            here.push_back(std::move(*entry));
        else
            problems.push_back({ErrorCode::duplicate, "name", entry->name,
                                "the name or an alias is taken by " + twin->path + ", so this file is left out",
                                "one file for each name", path.string()});
    }
    for (T& entry : here) put(list, std::move(entry));
}

template <class T>
Result<std::string> add(std::vector<std::shared_ptr<const T>>& list, Result<T> entry) {
    if (!entry) return entry.error();
    std::string name = entry->name;
    put(list, std::move(*entry));
    return name;
}

} // namespace

Catalog Catalog::load(const std::vector<CatalogFolder>& folders) {
    Catalog catalog;
    std::error_code error;
    for (const auto& [path, origin] : folders) {
        if (!fs::is_directory(path, error)) {
            catalog.problems_.push_back({ErrorCode::notFound, "catalog folder", "", "there is no such folder",
                                         "a folder with models, devices or engines in it", path.string()});
            continue;
        }
        readFolder(path / "models", origin, isModel, readModelConfig, catalog.models_, catalog.problems_);
        readFolder(path / "devices", origin, isYaml, readDeviceProfile, catalog.devices_, catalog.problems_);
        for (const fs::path& engines : {path / "resources" / "engines", path / "engines"})
            readFolder(engines, origin, isYaml, readEngineProfile, catalog.engines_, catalog.problems_);
    }
    return catalog;
}

std::shared_ptr<const ModelConfig> Catalog::findModel(std::string_view name) const { return find(models_, name); }
std::shared_ptr<const DeviceProfile> Catalog::findDevice(std::string_view name) const { return find(devices_, name); }
std::shared_ptr<const EngineProfile> Catalog::findEngine(std::string_view name) const { return find(engines_, name); }

Result<std::string> Catalog::addModel(const fs::path& path, Origin origin) {
    return add(models_, readModelConfig(path, origin));
}
Result<std::string> Catalog::addDevice(const fs::path& path, Origin origin) {
    return add(devices_, readDeviceProfile(path, origin));
}
Result<std::string> Catalog::addEngine(const fs::path& path, Origin origin) {
    return add(engines_, readEngineProfile(path, origin));
}

} // namespace deltascope
