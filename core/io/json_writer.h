// SPDX-License-Identifier: GPL-3.0-or-later
// Writes JSON straight into a string: keys in the order given, numbers shortest that read back the same, the outer
// levels one value a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace deltascope {

class JsonWriter {
public:
    /// Values nested deeper than `brokenLevels` stay on one line.
    explicit JsonWriter(int brokenLevels = 2) : brokenLevels_(brokenLevels) {}

    /// `fill()` writes what is inside.
    template <class Fill>
    void object(Fill fill) {
        open('{');
        fill();
        close('}');
    }
    template <class Fill>
    void array(Fill fill) {
        open('[');
        fill();
        close(']');
    }
    template <class Fill>
    void object(std::string_view key, Fill fill) {
        name(key);
        object(std::move(fill));
    }
    template <class Fill>
    void array(std::string_view key, Fill fill) {
        name(key);
        array(std::move(fill));
    }

    void value(std::string_view text);
    void value(const char* text) { value(std::string_view(text)); }
    void value(bool yes);
    template <class Whole>
    requires std::is_integral_v<Whole>
    void value(Whole number) { whole(static_cast<std::int64_t>(number)); }
    /// JSON has no infinity and no NaN: they become null.
    void value(double number);
    template <class T>
    void value(const std::optional<T>& present) {
        if (present)
            value(*present);
        else
            null();
    }
    void null();

    template <class T>
    void field(std::string_view key, const T& content) {
        name(key);
        value(content);
    }
    /// A list of values that `value` takes.
    template <class Items>
    void list(std::string_view key, const Items& items) {
        array(key, [&] {
            for (const auto& item : items) value(item);
        });
    }

    /// The text so far, with a line end; the writer is empty afterwards.
    [[nodiscard]] std::string take();

private:
    void open(char bracket);
    void close(char bracket);
    void name(std::string_view key);
    void whole(std::int64_t number);
    void separate();
    void breakLine();
    void text(std::string_view content);

    std::string out_;
    int brokenLevels_;
    int level_ = 0;
    bool first_ = true;      ///< nothing written yet in the innermost value
    bool afterName_ = false; ///< the next value belongs to a key
};

} // namespace deltascope
