// SPDX-License-Identifier: GPL-3.0-or-later
// What the pickers of the scenario panel list: the catalog, grouped, with key facts and marks.
#pragma once

#include "catalog/catalog.h"
#include "panels/picker.h"
#include "scenario/scenario.h"

namespace deltascope::ui {

/// By family; models that the simulator refuses as unsupported are marked.
[[nodiscard]] std::vector<PickerEntry> modelEntries(const Catalog& catalog);
[[nodiscard]] std::vector<PickerEntry> deviceEntries(const Catalog& catalog); ///< by vendor
[[nodiscard]] std::vector<PickerEntry> engineEntries(const Catalog& catalog);
[[nodiscard]] std::vector<PickerEntry> schemeEntries();
[[nodiscard]] std::vector<PickerEntry> kvCacheEntries();
[[nodiscard]] std::vector<PickerEntry> hostEntries();

/// "6.12 ms", or why it is refused, in the width of a list.
[[nodiscard]] QString previewOf(const Catalog& catalog, const Scenario& scenario);

} // namespace deltascope::ui
