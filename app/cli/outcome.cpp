// SPDX-License-Identifier: GPL-3.0-or-later
#include "outcome.h"

#include "base/file.h"
#include "base/spelling.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

namespace deltascope::cli {

int refuse(const Error& error) {
    constexpr std::size_t longestLine = 4000;
    std::fprintf(stderr, "%s\n", printable(error.text(), longestLine).c_str());
    return error.code == ErrorCode::unreadable ? failure : wrongUsage;
}

int deliver(std::string_view text, const std::optional<std::string>& file) {
    if (file) {
        const Result<void> written = writeFileWhole(*file, text);
        if (written) return success;
        Error error = written.error();
        error.code = ErrorCode::unreadable;
        return refuse(error);
    }
    const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (whole) return success;
    if (errno == EPIPE) return failure; // the reader has seen enough
    return refuse(
        {ErrorCode::unreadable, "cannot write", "standard output", std::generic_category().message(errno), {}, {}});
}

Output::Output(CLI::App& command)
    : option_(command.add_option("--output", "write into this file instead of standard output")
                  ->type_name("FILE")
                  ->take_last()) {}

int Output::deliver(std::string_view text) const {
    return cli::deliver(text, option_->count() > 0 ? std::optional(option_->results().back()) : std::nullopt);
}

Result<std::size_t> choiceOf(std::string_view field, std::string_view value,
                             std::span<const std::string_view> accepted) {
    const auto found = std::find(accepted.begin(), accepted.end(), value);
    if (found != accepted.end()) return static_cast<std::size_t>(found - accepted.begin());
    const std::vector<std::string> words(accepted.begin(), accepted.end());
    return Error{ErrorCode::usage, std::string(field), value.empty() ? "''" : std::string(value),
                 "is not known",   orList(words),      {}};
}

} // namespace deltascope::cli
