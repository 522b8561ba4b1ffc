// SPDX-License-Identifier: GPL-3.0-or-later
// All models, devices and engines that can be chosen, read once. Folders given later shadow earlier ones by name.
#pragma once

#include "base/result.h"
#include "catalog/device_profile.h"
#include "catalog/engine_profile.h"
#include "catalog/model_config.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// Reads a Hugging Face config.json (a file, or a folder that holds one). Unknown keys are ignored, as hub files have
/// many.
Result<ModelConfig> readModelConfig(const std::filesystem::path& path, Origin origin = Origin::file);
/// Reads one device YAML. Unknown keys are errors.
Result<DeviceProfile> readDeviceProfile(const std::filesystem::path& path, Origin origin = Origin::file);
/// Reads one engine YAML. Unknown keys are errors.
Result<EngineProfile> readEngineProfile(const std::filesystem::path& path, Origin origin = Origin::file);

/// Model types that readModelConfig understands, for messages.
[[nodiscard]] const std::vector<std::string>& supportedModelTypes();

/// Folders of a catalog: each holds `models/NAME/config.json` (or `models/NAME.json`), `devices/NAME.yaml`,
/// `resources/engines/NAME.yaml` or `engines/NAME.yaml`.
struct CatalogFolder {
    std::filesystem::path path;
    Origin origin = Origin::builtIn;
};

class Catalog {
public:
    /// Reads the folders in order; a later one shadows an earlier one by name. A file that cannot be read does not stop
    /// the others: it is reported by problems().
    static Catalog load(const std::vector<CatalogFolder>& folders);

    [[nodiscard]] const std::vector<std::shared_ptr<const ModelConfig>>& models() const { return models_; }
    [[nodiscard]] const std::vector<std::shared_ptr<const DeviceProfile>>& devices() const { return devices_; }
    [[nodiscard]] const std::vector<std::shared_ptr<const EngineProfile>>& engines() const { return engines_; }
    [[nodiscard]] const std::vector<Error>& problems() const { return problems_; }

    /// By name (or alias of a device), case-insensitive; null when there is none. No file is touched.
    [[nodiscard]] std::shared_ptr<const ModelConfig> findModel(std::string_view name) const;
    [[nodiscard]] std::shared_ptr<const DeviceProfile> findDevice(std::string_view name) const;
    [[nodiscard]] std::shared_ptr<const EngineProfile> findEngine(std::string_view name) const;

    /// Reads a file or folder and adds it (shadowing by name), then gives the name to choose it by.
    Result<std::string> addModel(const std::filesystem::path& path, Origin origin = Origin::file);
    Result<std::string> addDevice(const std::filesystem::path& path, Origin origin = Origin::file);
    Result<std::string> addEngine(const std::filesystem::path& path, Origin origin = Origin::file);

private:
    std::vector<std::shared_ptr<const ModelConfig>> models_;
    std::vector<std::shared_ptr<const DeviceProfile>> devices_;
    std::vector<std::shared_ptr<const EngineProfile>> engines_;
    std::vector<Error> problems_;
};

/// Where the user's own models, devices and engines live: `deltascope` in the XDG data folder. It need not exist.
[[nodiscard]] std::filesystem::path userCatalogFolder();

/// Where the built-in catalog lives: beside the executable, in its install prefix, or in the source tree it was built
/// from; then the user's data folder, if there is one, and `extra`.
[[nodiscard]] std::vector<CatalogFolder> defaultCatalogFolders(const std::filesystem::path& executable,
                                                               const std::vector<std::filesystem::path>& extra = {});

} // namespace deltascope
