// SPDX-License-Identifier: GPL-3.0-or-later
#include "cost/time.h"

#include <algorithm>

namespace deltascope {
namespace {

constexpr std::size_t indexOf(DType dtype) { return static_cast<std::size_t>(dtype); }

/// Matrix rate that stands in where a device file gives no vector rate at all: 1/16 of it (the ratio of the Ascend
/// cubes to their vector units, near that of GPU tensor cores to their FP32 pipes).
constexpr double vectorShareOfMatrix = 1.0 / 16.0;

double halfPrecisionMatrix(const DeviceProfile& device) {
    for (DType dtype : {DType::fp16, DType::bf16, DType::fp8, DType::int8, DType::fp4, DType::fp32})
        if (const auto& rate = device.matrixRate[indexOf(dtype)]) return rate->value();
    return 0.0;
}

} // namespace

DeviceRates ratesOf(const DeviceProfile& device) {
    DeviceRates rates;
    rates.device = &device;
    const double compute = device.computeEfficiency.value_or(1.0);
    const auto& fp32Vector = device.vectorRate[indexOf(DType::fp32)];
    const double vectorFallback =
        (fp32Vector ? fp32Vector->value() : halfPrecisionMatrix(device) * vectorShareOfMatrix) * compute;
    const Substitute substitute = fp32Vector ? Substitute::fp32Vector : Substitute::sixteenthOfMatrix;
    for (std::size_t i = 0; i < rateDTypeCount; ++i) {
        if (device.matrixRate[i]) rates.matrix[i] = device.matrixRate[i]->value() * compute;
        if (device.vectorRate[i]) {
            rates.vector[i] = device.vectorRate[i]->value() * compute;
        } else {
            rates.vector[i] = vectorFallback;
            rates.vectorSubstitute[i] = substitute;
        }
    }
    if (!device.matrixRate[indexOf(DType::fp32)]) {
        rates.matrix[indexOf(DType::fp32)] = rates.vector[indexOf(DType::fp32)];
        rates.matrixFp32Substitute = substitute;
    }
    rates.memory = device.memoryBandwidth.value() * device.memoryEfficiency.value_or(1.0);
    rates.matrixLaunch = device.matrixLaunch.value_or(Seconds(0));
    rates.vectorLaunch = device.vectorLaunch.value_or(Seconds(0));
    rates.communicationLaunch = device.communicationLaunch.value_or(Seconds(0));
    return rates;
}

OperatorCost timeOf(OperatorKind kind, const Work& work, const DeviceRates& rates) {
    OperatorCost cost;
    cost.work = work;
    double matrix = 0.0, vector = 0.0, matrixFlops = 0.0;
    for (std::size_t i = 0; i < rateDTypeCount; ++i) {
        if (work.matrix[i] > 0.0) matrix += work.matrix[i] / rates.matrix[i];
        if (work.vector[i] > 0.0) vector += work.vector[i] / rates.vector[i];
        matrixFlops += work.matrix[i];
    }
    cost.matrix = Seconds(matrix);
    cost.vector = Seconds(vector);
    cost.memory = Seconds(work.moved().value() / rates.memory);
    const Seconds local = std::max(cost.matrix + cost.vector, cost.memory);
    const bool collective = isCommunication(kind);
    if (work.ranks > 1) {
        const OperatorKind how = collective ? kind : OperatorKind::all_reduce;
        cost.communication = collectiveTime(how, work.ranks, work.communicated, *rates.device);
    }
    const double launches = 1.0 + work.extraLaunches;
    const Seconds localLaunch = (matrixFlops > 0.0 ? rates.matrixLaunch : rates.vectorLaunch) * launches;
    if (local == Seconds(0) && cost.communication == Seconds(0)) return cost; // a view: no kernel
    if (collective) {
        cost.launch = rates.communicationLaunch * launches;
        cost.total = std::max(local, cost.communication) + cost.launch;
    } else {
        // A fused linear + all-reduce takes as long as the longer of the two, each with its own launch.
        const Seconds ownTime = local + localLaunch;
        const Seconds linkTime = work.ranks > 1 ? cost.communication + rates.communicationLaunch : Seconds(0);
        cost.launch = ownTime >= linkTime ? localLaunch : rates.communicationLaunch;
        cost.total = std::max(ownTime, linkTime);
    }
    // The largest part; memory first where parts are equal.
    cost.bound = Bound::memory;
    Seconds largest = cost.memory;
    for (auto [part, bound] : {std::pair{cost.communication, Bound::communication},
                               std::pair{cost.matrix, Bound::matrix}, std::pair{cost.vector, Bound::vector}}) {
        if (part > largest) {
            largest = part;
            cost.bound = bound;
        }
    }
    if (cost.launch > std::max(local, cost.communication)) cost.bound = Bound::launch;
    return cost;
}

std::string describe(Substitute substitute) {
    return substitute == Substitute::fp32Vector ? "its FP32 vector rate stands in"
                                                : "a sixteenth of its FP16 matrix rate stands in";
}

std::vector<std::string> substitutionNotes(const DeviceRates& rates, const Work& used) {
    std::vector<std::string> notes;
    const DeviceProfile& d = *rates.device;
    for (std::size_t i = 0; i < rateDTypeCount; ++i)
        if (used.vector[i] > 0.0 && rates.vectorSubstitute[i] != Substitute::none)
            notes.push_back(d.name + " has no " + std::string(dtypeNames[i]) +
                            " vector rate: " + describe(rates.vectorSubstitute[i]));
    if (used.matrix[indexOf(DType::fp32)] > 0.0 && rates.matrixFp32Substitute != Substitute::none)
        notes.push_back(d.name + " has no fp32 matrix rate: " + describe(rates.matrixFp32Substitute));
    if (!d.computeEfficiency)
        notes.push_back(d.name + " gives no compute efficiency: 1 stands in, so compute times are floors");
    if (!d.memoryEfficiency)
        notes.push_back(d.name + " gives no memory efficiency: 1 stands in, so memory times are floors");
    if (!d.matrixLaunch) notes.push_back(d.name + " gives no launch cost of matrix kernels: 0 stands in");
    if (!d.vectorLaunch) notes.push_back(d.name + " gives no launch cost of vector kernels: 0 stands in");
    if (used.ranks > 1 && !d.communicationLaunch)
        notes.push_back(d.name + " gives no launch cost of collectives: 0 stands in");
    return notes;
}

} // namespace deltascope
