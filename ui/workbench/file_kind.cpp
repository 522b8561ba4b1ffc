// SPDX-License-Identifier: GPL-3.0-or-later
#include "workbench/file_kind.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope::ui {
namespace {

// What tells the forms apart stands near the start of every real file; a profile of hundreds of megabytes is not read
// whole only to be refused.
constexpr std::size_t bytesLookedAt = 1U << 20U;

constexpr std::string_view accepted =
    "a model's config.json or its folder, a device YAML, an engine YAML or a scenario YAML";

/// Keys at the outermost level of a block-style YAML text.
std::vector<std::string_view> topLevelKeys(std::string_view text) {
    std::vector<std::string_view> keys;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t colon = line.find(':');
        if (colon == 0 || colon == std::string_view::npos) continue;
        const std::string_view key = line.substr(0, colon);
        const bool word = std::all_of(key.begin(), key.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        });
        if (word) keys.push_back(key);
    }
    return keys;
}

template <std::size_t N>
bool anyOf(const std::vector<std::string_view>& keys, const std::array<std::string_view, N>& wanted) {
    return std::any_of(keys.begin(), keys.end(), [&](std::string_view key) {
        return std::find(wanted.begin(), wanted.end(), key) != wanted.end();
    });
}

} // namespace

Result<FileKind> fileKindOf(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    std::error_code problem;
    if (std::filesystem::is_directory(path, problem)) {
        if (std::filesystem::exists(path / "config.json", problem)) return FileKind::model;
        return Error{ErrorCode::notFound,   "folder",     name, "it holds no config.json",
                     std::string(accepted), path.string()};
    }
    if (!std::filesystem::exists(path, problem))
        return Error{ErrorCode::notFound, "file", name, "there is no such file", std::string(accepted), path.string()};

    std::ifstream file(path, std::ios::binary);
    std::string text(bytesLookedAt, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad() || (!file && !file.eof()))
        return Error{ErrorCode::unreadable, "file", name, "it cannot be read", {}, path.string()};
    text.resize(static_cast<std::size_t>(file.gcount()));

    std::string_view rest = text;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    const std::size_t first = rest.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && rest[first] == '{') {
        if (rest.find("\"model_type\"") != std::string_view::npos ||
            rest.find("\"architectures\"") != std::string_view::npos)
            return FileKind::model;
    } else {
        const std::vector<std::string_view> keys = topLevelKeys(rest);
        using Keys = std::string_view;
        if (anyOf(keys, std::array{Keys("matrix_flops_per_s"), Keys("vector_flops_per_s"), Keys("matrix_flops"),
                                   Keys("interconnect"), Keys("memory")}))
            return FileKind::device;
        if (anyOf(keys, std::array{Keys("one_plus_weight_norm"), Keys("chunk_packing"), Keys("multi_token_decode"),
                                   Keys("causal_discount"), Keys("float_path")}))
            return FileKind::engine;
        if (anyOf(keys, std::array{Keys("model"), Keys("device"), Keys("engine"), Keys("phase"), Keys("queries"),
                                   Keys("requests"), Keys("query_length"), Keys("context_length"), Keys("quantization"),
                                   Keys("parallel")}))
            return FileKind::scenario;
    }
    return Error{ErrorCode::unsupported, "file",       name, "its content is of no form that opens",
                 std::string(accepted),  path.string()};
}

} // namespace deltascope::ui
