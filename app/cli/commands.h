// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommands of deltascope-cli. Each adds its options and gives what to run once they are parsed.
#pragma once

#include "catalog/catalog.h"

#include <CLI/CLI.hpp>

#include <array>
#include <functional>
#include <string_view>

namespace deltascope::cli {

using Run = std::function<int()>; ///< gives the exit status

Run addSimulate(CLI::App& command);
Run addList(CLI::App& command);
Run addExplain(CLI::App& command);
Run addFits(CLI::App& command);

struct Command {
    std::string_view name;
    std::string_view summary;
    Run (*add)(CLI::App& command);
};

inline constexpr std::array commands{
    Command{"simulate", "simulate one step and print its time and memory", addSimulate},
    Command{"fits", "say what fits on the device, what would help, and how far it can grow", addFits},
    Command{"list", "list the models, devices or engines there are", addList},
    Command{"explain", "show the formula behind one operator's time, with its numbers", addExplain},
};

/// Everything built in and of the user's own.
[[nodiscard]] Catalog loadCatalog();

} // namespace deltascope::cli
