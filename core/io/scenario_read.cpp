// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/scenario_file.h"

#include "base/document.h"
#include "base/spelling.h"
#include "io/named_files.h"
#include "scenario/fields.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

namespace deltascope {
namespace {

using Kind = DocumentValue::Kind;

/// The part of a dotted key before its last dot, and after it.
std::pair<std::string_view, std::string_view> split(std::string_view key) {
    const std::size_t dot = key.rfind('.');
    if (dot == std::string_view::npos) return {{}, key};
    return {key.substr(0, dot), key.substr(dot + 1)};
}

/// Reads one document into a scenario; the first error is kept.
class Reader {
public:
    explicit Reader(std::string where) : where_(std::move(where)) {}

    Result<Scenario> read(const DocumentValue& top) {
        if (top.kind != Kind::map) {
            const bool empty = top.kind == Kind::null;
            return Error{ErrorCode::wrongType,
                         "scenario",
                         empty ? "" : top.shown(),
                         empty ? "the file is empty" : "is not a map of keys",
                         "keys such as model, device, phase and query_length",
                         lineOf(where_, top.line)};
        }
        // The list of requests first: the fields it replaces are refused beside it.
        if (const DocumentValue* list = top.find("requests")) requests(*list);
        group(top, {});
        if (error_) return *error_;
        return std::move(scenario_);
    }

private:
    void fail(Error error, std::int32_t line) {
        if (error_) return;
        error.where = lineOf(where_, line);
        error_ = std::move(error);
    }

    void fail(ErrorCode code, std::string subject, const DocumentValue& value, std::string why, std::string accepted) {
        fail({code, std::move(subject), value.shown(), std::move(why), std::move(accepted), {}}, value.line);
    }

    void unknown(const DocumentMember& member, const std::string& path, const std::vector<std::string>& known) {
        std::string accepted;
        if (const ScenarioField* elsewhere = findScenarioField(member.key)) {
            const auto [parent, key] = split(elsewhere->key);
            accepted = std::string(key) + (parent.empty() ? " outside " + path : " inside " + std::string(parent));
        } else if (const auto meant = nearest(member.key, known)) {
            accepted = "\"" + *meant + "\"?";
        } else {
            accepted = orList(known);
        }
        fail({ErrorCode::unknownKey,
              path.empty() ? member.key : path + "." + member.key,
              {},
              "unknown key",
              std::move(accepted),
              {}},
             member.line);
    }

    /// The keys of one map; `path` is its own, empty for the whole file.
    void group(const DocumentValue& map, const std::string& path) {
        std::vector<std::string> known;
        if (path.empty()) known.emplace_back("requests");
        for (const ScenarioField& field : scenarioFields()) {
            const auto [parent, key] = split(field.key);
            if (parent == path) known.emplace_back(key);
            if (path.empty() && !parent.empty() && known.back() != parent) known.emplace_back(parent);
        }
        for (const DocumentMember& member : map.members) {
            const std::string key = path.empty() ? member.key : path + "." + member.key;
            if (path.empty() && key == "requests") continue;
            const auto fields = scenarioFields();
            const auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.key == key; });
            const bool isGroup =
                std::any_of(fields.begin(), fields.end(), [&](const auto& f) { return split(f.key).first == key; });
            if (field != fields.end())
                value(*field, member.value);
            else if (path.empty() && isGroup)
                subgroup(member.value, key);
            else
                unknown(member, path, known);
        }
    }

    void subgroup(const DocumentValue& map, const std::string& path) {
        if (map.kind == Kind::null) return;
        if (map.kind == Kind::map) return group(map, path);
        std::vector<std::string> keys;
        for (const ScenarioField& field : scenarioFields())
            if (const auto [parent, key] = split(field.key); parent == path) keys.emplace_back(key);
        fail(ErrorCode::wrongType, path, map, "is not a map", "a map with " + orList(keys));
    }

    void value(const ScenarioField& field, const DocumentValue& value) {
        const std::string key(field.key);
        if (value.kind == Kind::null) return;
        if (field.kind == ScenarioField::Kind::list && value.kind == Kind::list) {
            for (const DocumentValue& item : value.items) scalar(field, item);
        } else if (field.kind == ScenarioField::Kind::image && value.kind == Kind::map) {
            scenario_.image = image(value, key);
        } else {
            scalar(field, value);
        }
    }

    void scalar(const ScenarioField& field, const DocumentValue& value) {
        const bool number = field.kind == ScenarioField::Kind::whole || field.kind == ScenarioField::Kind::real;
        const bool nested = value.kind == Kind::list || value.kind == Kind::map || value.kind == Kind::null;
        std::string text = nested ? value.shown() : value.text;
        if (number && value.whole) text = std::to_string(*value.whole);
        if (nested || (number && value.kind != Kind::number)) text = "\"" + text + "\""; // no number, whatever it says
        Result<void> set = field.set(field, scenario_, text);
        if (nested && set)
            set = Error{ErrorCode::wrongType, {}, {}, "is not a single value", std::string(field.accepted), {}};
        if (set) return;
        Error error = set.error();
        error.subject = std::string(field.key);
        error.value = value.shown();
        fail(std::move(error), value.line);
    }

    std::optional<std::int64_t> whole(const DocumentValue& map, const std::string& path, std::string_view key,
                                      Range range, bool required) {
        const DocumentValue* value = map.find(key);
        const std::string subject = path + "." + std::string(key);
        if (!value || value->kind == Kind::null) {
            Error error = notWhole(subject, {}, range);
            error.code = ErrorCode::missingKey;
            error.value.clear();
            error.why = "is missing";
            if (required) fail(std::move(error), map.line);
            return std::nullopt;
        }
        const bool inside = value->whole && *value->whole >= range.lowest && *value->whole <= range.highest;
        if (inside) return value->whole;
        Error error =
            notWhole(subject, value->whole ? std::to_string(*value->whole) : "\"" + value->text + "\"", range);
        error.value = value->shown();
        fail(std::move(error), value->line);
        return std::nullopt;
    }

    void refuseOthers(const DocumentValue& map, const std::string& path, const std::vector<std::string>& known) {
        for (const DocumentMember& member : map.members)
            if (std::find(known.begin(), known.end(), member.key) == known.end()) unknown(member, path, known);
    }

    std::optional<ImageChoice> image(const DocumentValue& map, const std::string& path) {
        refuseOthers(map, path, {"count", "height", "width", "min_pixels", "max_pixels"});
        const Range pixels{1, std::int64_t{1} << 40};
        ImageChoice chosen;
        chosen.count = whole(map, path, "count", imageCount, false).value_or(1);
        chosen.height = whole(map, path, "height", imageSide, true).value_or(0);
        chosen.width = whole(map, path, "width", imageSide, true).value_or(0);
        chosen.minPixels = whole(map, path, "min_pixels", pixels, false);
        chosen.maxPixels = whole(map, path, "max_pixels", pixels, false);
        return chosen;
    }

    void requests(const DocumentValue& list) {
        if (list.kind == Kind::null) return;
        if (list.kind != Kind::list || list.items.empty())
            return fail(ErrorCode::wrongType, "requests", list, "is not a list of requests",
                        "a list of maps with query_length, context_length, count, image and phase");
        for (std::size_t i = 0; i < list.items.size() && !error_; ++i)
            request(list.items[i], "requests[" + std::to_string(i) + "]");
    }

    void request(const DocumentValue& map, const std::string& path) {
        const std::vector<std::string> known{"count", "query_length", "context_length", "phase", "image"};
        if (map.kind != Kind::map)
            return fail(ErrorCode::wrongType, path, map, "is not a map", "a map with " + orList(known));
        refuseOthers(map, path, known);
        RequestGroup group;
        group.count = whole(map, path, "count", limits::queries, false).value_or(1);
        group.queryLength = whole(map, path, "query_length", limits::queryLength, true).value_or(1);
        group.contextLength = whole(map, path, "context_length", limits::contextLength, false).value_or(0);
        if (const DocumentValue* phase = map.find("phase"); phase && phase->kind != Kind::null) {
            if (phase->text == nameOf(Phase::prefill))
                group.phase = Phase::prefill;
            else if (phase->text == nameOf(Phase::decode))
                group.phase = Phase::decode;
            else
                fail(ErrorCode::wrongType, path + ".phase", *phase, "is not known", "prefill or decode");
        }
        if (const DocumentValue* chosen = map.find("image"); chosen && chosen->kind != Kind::null) {
            if (chosen->kind == Kind::map)
                group.image = image(*chosen, path + ".image");
            else if (!(group.image = imageFromText(chosen->text)))
                fail(ErrorCode::wrongType, path + ".image", *chosen, "is not a number of images and their size",
                     "N@HxW, or a map with count, height and width");
        }
        scenario_.requests.push_back(group);
    }

    std::string where_;
    Scenario scenario_;
    std::optional<Error> error_;
};

} // namespace

Result<Scenario> parseScenario(std::string_view text, const std::string& where) {
    Result<DocumentValue> document = parseYaml(text, where);
    if (!document) return document.error();
    return Reader(where).read(*document);
}

Result<Scenario> readScenario(const std::filesystem::path& path) {
    Result<DocumentValue> document = readYamlFile(path);
    if (!document) return document.error();
    Result<Scenario> scenario = Reader(path.string()).read(*document);
    if (!scenario) return scenario;
    std::error_code ignored;
    const std::filesystem::path folder = std::filesystem::absolute(path, ignored).parent_path();
    for (std::string* name : {&scenario->model, &scenario->device, &scenario->engine})
        if (looksLikePath(*name)) *name = (folder / *name).lexically_normal().string();
    return scenario;
}

} // namespace deltascope
