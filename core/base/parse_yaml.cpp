// SPDX-License-Identifier: GPL-3.0-or-later
// YAML by yaml-cpp's events: its own node tree would follow aliases without a limit and forget quotes.
#include "base/document_builder.h"
#include "base/spelling.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>

namespace deltascope {
namespace {

/// Leaves yaml-cpp's parser once the builder holds an error.
struct Stop {};

class Events final : public YAML::EventHandler {
public:
    explicit Events(DocumentBuilder& builder) : builder_(builder) {}

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        refuseAnchor(anchor, mark);
        if (builder_.expectsKey()) refuseKey("an empty key", mark);
        require(builder_.scalar(plainScalar("", line(mark))));
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        require(
            builder_.fail(ErrorCode::unsupported, "*alias", "aliases are not read; write the value out", line(mark)));
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        refuseAnchor(anchor, mark);
        const bool plain = tag == "?" || tag.empty();
        if (!plain && tag != "!") refuseTag(tag, mark);
        if (builder_.expectsKey()) {
            require(builder_.key(value, line(mark)));
        } else {
            require(builder_.scalar(plain ? plainScalar(value, line(mark)) : textScalar(value, line(mark))));
        }
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(DocumentValue::Kind::list, mark, tag, anchor);
    }
    void OnSequenceEnd() override { require(builder_.close()); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(DocumentValue::Kind::map, mark, tag, anchor);
    }
    void OnMapEnd() override { require(builder_.close()); }

private:
    static std::int32_t line(const YAML::Mark& mark) { return mark.line + 1; }
    static void require(bool going) {
        if (!going) throw Stop{};
    }
    void refuseAnchor(YAML::anchor_t anchor, const YAML::Mark& mark) {
        if (anchor != 0)
            require(builder_.fail(ErrorCode::unsupported, "&anchor", "anchors are not read; write the value out",
                                  line(mark)));
    }
    void refuseTag(const std::string& tag, const YAML::Mark& mark) {
        require(builder_.fail(ErrorCode::unsupported, printable(tag), "tags are not read", line(mark)));
    }
    void refuseKey(const std::string& what, const YAML::Mark& mark) {
        require(builder_.fail(ErrorCode::syntax, "", what + " where a name belongs", line(mark)));
    }
    void open(DocumentValue::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        refuseAnchor(anchor, mark);
        if (tag != "?" && tag != "!" && !tag.empty()) refuseTag(tag, mark);
        if (builder_.expectsKey()) refuseKey("a list or map", mark);
        require(builder_.open(kind, line(mark)));
    }

    DocumentBuilder& builder_;
};

} // namespace

Result<DocumentValue> parseYaml(std::string_view text, const std::string& where, const DocumentLimits& limits) {
    if (auto checked = checkText(text, where, limits.bytes); !checked) return checked.error();
    DocumentBuilder builder(where, limits);
    Events events(builder);
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        parser.HandleNextDocument(events);
        if (!builder.failed() && parser)
            builder.fail({ErrorCode::syntax, "file", "", "holds more than one document", "one document", where});
    } catch (const Stop&) {
    } catch (const YAML::Exception& exception) {
        builder.fail({ErrorCode::syntax, "file", "", "is not valid YAML: " + printable(exception.msg, 200), "",
                      lineOf(where, exception.mark.is_null() ? 0 : exception.mark.line + 1)});
    }
    return builder.take();
}

} // namespace deltascope
