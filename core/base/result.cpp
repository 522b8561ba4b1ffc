// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/result.h"

namespace deltascope {

std::string_view nameOf(ErrorCode code) {
    switch (code) {
    case ErrorCode::notFound: return "not-found";
    case ErrorCode::unreadable: return "unreadable";
    case ErrorCode::syntax: return "syntax";
    case ErrorCode::missingKey: return "missing-key";
    case ErrorCode::wrongType: return "wrong-type";
    case ErrorCode::wrongUnit: return "wrong-unit";
    case ErrorCode::outOfRange: return "out-of-range";
    case ErrorCode::contradictory: return "contradictory";
    case ErrorCode::unknownKey: return "unknown-key";
    case ErrorCode::duplicate: return "duplicate";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::indivisible: return "indivisible";
    case ErrorCode::noRate: return "no-rate";
    case ErrorCode::tooLarge: return "too-large";
    case ErrorCode::usage: return "usage";
    case ErrorCode::cancelled: return "cancelled";
    }
    return "unknown";
}

std::string Error::text() const {
    std::string line;
    if (!where.empty()) line += where + ": ";
    line += subject;
    if (!value.empty()) line += (subject.empty() ? "" : " ") + value;
    if (!why.empty()) line += (line.empty() ? "" : ": ") + why;
    if (!accepted.empty()) line += "; accepted: " + accepted;
    return line;
}

} // namespace deltascope
