// SPDX-License-Identifier: GPL-3.0-or-later
// How a command ends: its text delivered whole, or one line on stderr and an exit status that says whose fault it was.
#pragma once

#include "base/result.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace deltascope::cli {

enum ExitStatus : int {
    success = 0,
    failure = 1,   ///< reading or writing failed
    wrongUsage = 2 ///< a wrong command line or scenario
};

/// One line on stderr: the field, its value, why, what would be accepted.
int refuse(const Error& error);

/// To standard output, or into `file`, whole or not at all.
int deliver(std::string_view text, const std::optional<std::string>& file = {});

/// The option --output, and where a command's text goes by it.
class Output {
public:
    explicit Output(CLI::App& command);
    int deliver(std::string_view text) const;

private:
    CLI::Option* option_;
};

/// Position of `value` among the words an option takes, or the refusal.
Result<std::size_t> choiceOf(std::string_view field, std::string_view value,
                             std::span<const std::string_view> accepted);

} // namespace deltascope::cli
