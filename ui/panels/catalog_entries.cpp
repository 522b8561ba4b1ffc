// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/catalog_entries.h"

#include "base/format.h"
#include "panels/text.h"
#include "simulation/simulation.h"

#include <QCoreApplication>

#include <algorithm>

namespace deltascope::ui {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("CatalogEntries", text); }

QString originMark(Origin origin) {
    return origin == Origin::builtIn ? QString() : origin == Origin::user ? tr("yours") : tr("opened");
}

/// Groups in the order in which they first occur, entries in theirs.
void gather(std::vector<PickerEntry>& entries) {
    QStringList order;
    for (const PickerEntry& entry : entries)
        if (!order.contains(entry.group)) order << entry.group;
    std::stable_sort(entries.begin(), entries.end(), [&](const PickerEntry& a, const PickerEntry& b) {
        return order.indexOf(a.group) < order.indexOf(b.group);
    });
}

bool isSupported(const Catalog& catalog, const ModelConfig& model) {
    Scenario plain;
    plain.model = model.name;
    if (catalog.findDevice(plain.device) == nullptr && !catalog.devices().empty())
        plain.device = catalog.devices().front()->name;
    if (catalog.findEngine(plain.engine) == nullptr && !catalog.engines().empty())
        plain.engine = catalog.engines().front()->name;
    const Result<Simulation> result = simulate(catalog, plain);
    return result || result.error().code != ErrorCode::unsupported;
}

} // namespace

std::vector<PickerEntry> modelEntries(const Catalog& catalog) {
    std::vector<PickerEntry> entries;
    for (const auto& model : catalog.models()) {
        const QString name = toQString(model->name);
        const QString mark = isSupported(catalog, *model) ? originMark(model->origin) : tr("not yet supported");
        entries.push_back({name, name, factsOf(*model), toQString(model->family), toQString(model->modelType), mark});
    }
    gather(entries);
    return entries;
}

std::vector<PickerEntry> deviceEntries(const Catalog& catalog) {
    std::vector<PickerEntry> entries;
    for (const auto& device : catalog.devices()) {
        QStringList words;
        for (const std::string& alias : device->aliases) words << toQString(alias);
        entries.push_back({toQString(device->name), deviceLabel(device->name), factsOf(*device),
                           toQString(device->vendor), words.join(QLatin1Char(' ')), originMark(device->origin)});
    }
    gather(entries);
    return entries;
}

std::vector<PickerEntry> engineEntries(const Catalog& catalog) {
    std::vector<PickerEntry> entries;
    for (const auto& engine : catalog.engines()) {
        const QString name = toQString(engine->name);
        entries.push_back({name, name, factsOf(*engine), {}, toQString(engine->summary), originMark(engine->origin)});
    }
    return entries;
}

std::vector<PickerEntry> schemeEntries() {
    std::vector<PickerEntry> entries;
    for (const SchemeFacts& scheme : schemes) {
        QString facts = tr("%1-bit weights, %2 activations")
                            .arg(bytesPerElement(scheme.weight) * 8.0)
                            .arg(toQString(nameOf(scheme.activation)).toUpper());
        if (scheme.quantizesActivation) facts += scheme.perTokenScale ? tr(", scale per token") : tr(", fixed scale");
        entries.push_back({toQString(scheme.name), toQString(scheme.label), facts, {}, {}, {}});
    }
    return entries;
}

std::vector<PickerEntry> kvCacheEntries() {
    std::vector<PickerEntry> entries;
    for (const std::string_view name : kvDTypeNames)
        entries.push_back({toQString(name), toQString(name).toUpper(), {}, {}, {}, {}});
    return entries;
}

std::vector<PickerEntry> hostEntries() {
    const auto entry = [](HostMode mode, const QString& label, const QString& facts) {
        return PickerEntry{toQString(nameOf(mode)), label, facts, {}, {}, {}};
    };
    return {
        entry(HostMode::eager, tr("Eager"), tr("every kernel is launched by itself")),
        entry(HostMode::fullDecodeOnly, tr("Decode graphs"), tr("decode is one graph; prefill and drafts are eager")),
        entry(HostMode::fullAndPiecewise, tr("All graphs"), tr("every step is launched as graphs"))};
}

QString previewOf(const Catalog& catalog, const Scenario& scenario) {
    const Result<Simulation> result = simulate(catalog, scenario);
    if (result) {
        const bool fits = result->memory.free() >= Bytes(0.0);
        return toQString(formatSeconds(result->totals.time)) + (fits ? QString() : tr(", does not fit"));
    }
    const QString why = toQString(result.error().why);
    return why.size() <= 44 ? why : why.left(42) + QStringLiteral("…");
}

} // namespace deltascope::ui
