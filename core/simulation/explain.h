// SPDX-License-Identifier: GPL-3.0-or-later
// How one operator's time comes about: the formula, the values put into it, the result. The command line, the details
// panel and reports show the same text.
#pragma once

#include "simulation/simulation.h"

#include <string>
#include <vector>

namespace deltascope {

struct ExplanationLine {
    std::string label;       ///< "matrix fp16", "memory", "launch"
    std::string formula;     ///< "2*M*K*N"
    std::string substituted; ///< "2*3510*5120*8240"
    std::string result;      ///< "296.2 GFLOP"
};

struct Explanation {
    std::string title;                   ///< kind
    std::string path;                    ///< "text / layer 1 / linear_attn.in_proj"
    std::string what;                    ///< one or two sentences on what the operator computes
    std::vector<std::string> shapes;     ///< "x [3510, 5120] int8"
    std::vector<ExplanationLine> values; ///< variables: label, meaning, value
    std::vector<ExplanationLine> work;   ///< FLOPs and bytes
    std::vector<ExplanationLine> time;   ///< each part, then the total
    std::string bound;
    std::string provenance;
};

[[nodiscard]] Explanation explain(const Simulation& simulation, OperatorRef ref);
[[nodiscard]] std::string toText(const Explanation& explanation);

} // namespace deltascope
