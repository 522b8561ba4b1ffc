// SPDX-License-Identifier: GPL-3.0-or-later
// A value or an error. An error names the thing, its value, why it is refused and what would be accepted.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace deltascope {

enum class ErrorCode {
    notFound,      ///< no such file, model, device, operator
    unreadable,    ///< the system would not let it be read or written
    syntax,        ///< not JSON, not YAML
    missingKey,    ///< a required key is absent
    wrongType,     ///< text where a number belongs
    wrongUnit,     ///< a figure whose unit is not the one the key names
    outOfRange,    ///< negative, not finite, absurd
    contradictory, ///< two keys that cannot both hold
    unknownKey,    ///< a key that nothing reads, in a file where that is an error
    duplicate,     ///< the same name twice
    unsupported,   ///< understood, but not simulated
    indivisible,   ///< heads or experts that a parallel size does not divide
    noRate,        ///< the device has no rate for the number format
    tooLarge,      ///< over a stated limit
    usage,         ///< a wrong command line
    cancelled
};

[[nodiscard]] std::string_view nameOf(ErrorCode code);

struct Error {
    ErrorCode code = ErrorCode::unsupported;
    std::string subject;  ///< field, key or thing: "tp", "text_config.layer_types"
    std::string value;    ///< what it was, as text; may be empty
    std::string why;      ///< "16 linear-attention key heads of Qwen3.5-27B do not divide by 32"
    std::string accepted; ///< "1, 2, 4 or 8"; may be empty
    std::string where;    ///< file, or file:line:column; may be empty

    /// One line: where, subject, value, why, what would be accepted.
    [[nodiscard]] std::string text() const;
};

/// Either a value or an Error. Check with `if (result)` before `*result`.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] T& value() & {
        assert(ok());
        return *std::get_if<0>(&state_);
    }
    [[nodiscard]] const T& value() const& {
        assert(ok());
        return *std::get_if<0>(&state_);
    }
    [[nodiscard]] T&& value() && {
        assert(ok());
        return std::move(*std::get_if<0>(&state_));
    }
    [[nodiscard]] T& operator*() & { return value(); }
    [[nodiscard]] const T& operator*() const& { return value(); }
    [[nodiscard]] T* operator->() { return &value(); }
    [[nodiscard]] const T* operator->() const { return &value(); }
    [[nodiscard]] const Error& error() const {
        assert(!ok());
        return *std::get_if<1>(&state_);
    }

private:
    std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}

    [[nodiscard]] bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    [[nodiscard]] const Error& error() const {
        assert(!ok());
        return *error_;
    }

private:
    std::optional<Error> error_;
};

} // namespace deltascope
