// SPDX-License-Identifier: GPL-3.0-or-later
#include "workbench/workbench.h"

#include "io/named_files.h"
#include "io/scenario_file.h"
#include "workbench/file_kind.h"
#include "workbench/presets.h"

#include <QUndoCommand>

#include <chrono>
#include <utility>

namespace deltascope::ui {

/// From one scenario to the next; with the baselines when the edit changes both.
class ScenarioEdit : public QUndoCommand {
public:
    using Baselines = std::pair<Workbench::Simulated, Workbench::Simulated>;

    ScenarioEdit(Workbench& workbench, Scenario before, Scenario after, const QString& text, QString mergeKey,
                 std::optional<Baselines> baselines = {})
        : QUndoCommand(text), workbench_(workbench), before_(std::move(before)), after_(std::move(after)),
          mergeKey_(std::move(mergeKey)), baselines_(std::move(baselines)) {}

    void undo() override {
        if (baselines_)
            workbench_.apply(before_, baselines_->first);
        else
            workbench_.apply(before_);
    }
    void redo() override {
        if (baselines_)
            workbench_.apply(after_, baselines_->second);
        else
            workbench_.apply(after_);
    }

    [[nodiscard]] int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* next) override {
        const auto* edit = static_cast<const ScenarioEdit*>(next);
        if (mergeKey_.isEmpty() || edit->mergeKey_ != mergeKey_ || baselines_ || edit->baselines_) return false;
        after_ = edit->after_;
        setText(edit->text());
        setObsolete(before_ == after_);
        return true;
    }

private:
    Workbench& workbench_;
    Scenario before_;
    Scenario after_;
    QString mergeKey_;
    std::optional<Baselines> baselines_;
};

namespace {

/// The first pair of a model and a device that simulates, when the scenario that was asked for does not.
std::optional<Scenario> anyThatSimulates(const Catalog& catalog) {
    for (const auto& engine : catalog.engines())
        for (const auto& model : catalog.models())
            for (const auto& device : catalog.devices()) {
                Scenario scenario;
                scenario.engine = engine->name;
                scenario.model = model->name;
                scenario.device = device->name;
                if (simulate(catalog, scenario)) return scenario;
            }
    return std::nullopt;
}

/// Stands in where nothing can be simulated, so that views find a model, a device and an engine to name.
Simulation emptySimulation() {
    Simulation none;
    none.scenario.model = std::make_shared<const ModelConfig>();
    none.scenario.device = std::make_shared<const DeviceProfile>();
    none.scenario.engine = std::make_shared<const EngineProfile>();
    return none;
}

} // namespace

Workbench::Workbench(Catalog catalog, const Scenario& initial, QObject* parent)
    : QObject(parent), catalog_(std::move(catalog)), scenario_(initial) {
    recompute();
    if (current_.result == nullptr)
        if (const auto other = anyThatSimulates(catalog_)) {
            scenario_ = *other;
            recompute();
        }
    if (current_.result == nullptr) current_.result = std::make_shared<const Simulation>(emptySimulation());
}

void Workbench::recompute() {
    const auto begin = std::chrono::steady_clock::now();
    Result<Simulation> result = simulate(catalog_, scenario_);
    simulationCost_ = Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (result) {
        current_ = {scenario_, std::make_shared<const Simulation>(std::move(*result))};
        refusal_.reset();
    } else {
        refusal_ = result.error();
    }
}

void Workbench::refreshComparison() {
    comparison_ = baseline_.result != nullptr ? compare(*baseline_.result, *current_.result) : Comparison{};
}

bool Workbench::resolveSelection() {
    const std::optional<OperatorRef> found = selectedId_ ? current_.result->find(*selectedId_) : std::nullopt;
    return std::exchange(selection_, found) != found;
}

void Workbench::announce(bool baselineToo) {
    const bool selectionMoved = resolveSelection();
    emit scenarioChanged();
    if (baselineToo) emit baselineChanged();
    if (selectionMoved) emit selectionChanged();
}

void Workbench::apply(const Scenario& next) {
    scenario_ = next;
    recompute();
    refreshComparison();
    announce(baseline_.result != nullptr);
}

void Workbench::apply(const Scenario& next, const Simulated& baseline) {
    scenario_ = next;
    baseline_ = baseline;
    recompute();
    refreshComparison();
    announce(true);
}

void Workbench::edit(const Scenario& next, const QString& text, const QString& mergeKey) {
    if (next == scenario_) return;
    undo_.push(new ScenarioEdit(*this, scenario_, next, text, mergeKey));
}

void Workbench::push(const Scenario& next, const Simulated& baseline, const QString& text) {
    undo_.push(new ScenarioEdit(*this, scenario_, next, text, {}, std::pair(baseline_, baseline)));
}

void Workbench::pinBaseline() {
    baseline_ = current_;
    refreshComparison();
    emit baselineChanged();
}

void Workbench::clearBaseline() {
    if (baseline_.result == nullptr) return;
    baseline_ = {};
    refreshComparison();
    emit baselineChanged();
}

Result<void> Workbench::setBaseline(const Scenario& scenario) {
    Result<Simulation> result = simulate(catalog_, scenario);
    if (!result) return result.error();
    baseline_ = {scenario, std::make_shared<const Simulation>(std::move(*result))};
    refreshComparison();
    emit baselineChanged();
    return {};
}

Result<Scenario> Workbench::readScenarioFile(const QString& path) {
    Result<Scenario> scenario = readScenario(path.toStdString());
    if (!scenario) return scenario;
    // A file it names may turn out unreadable after another was added: the catalog changes as a whole or not at all.
    Catalog catalog = catalog_;
    if (const auto added = addNamedFiles(catalog, *scenario); !added) return added.error();
    catalog_ = std::move(catalog);
    emit catalogChanged();
    return scenario;
}

Result<void> Workbench::setBaselineFile(const QString& path) {
    const Result<Scenario> scenario = readScenarioFile(path);
    if (!scenario) return scenario.error();
    return setBaseline(*scenario);
}

void Workbench::swapWithBaseline() {
    if (baseline_.result == nullptr) return;
    // A refused scenario has no result to compare with: the last good one takes its place.
    push(baseline_.given, current_, tr("Swap with baseline"));
}

Result<void> Workbench::showPair(const Scenario& a, const Scenario& b, const QString& text) {
    Result<Simulation> result = simulate(catalog_, a);
    if (!result) return result.error();
    push(b, {a, std::make_shared<const Simulation>(std::move(*result))}, text);
    return {};
}

void Workbench::select(std::optional<OperatorRef> ref) {
    selectedId_ = ref ? std::optional(current_.result->id(*ref)) : std::nullopt;
    if (std::exchange(selection_, ref) != ref) emit selectionChanged();
}

Result<void> Workbench::openFile(const QString& path) {
    const std::filesystem::path file(path.toStdString());
    const Result<FileKind> kind = fileKindOf(file);
    if (!kind) return kind.error();
    if (*kind == FileKind::scenario) {
        const Result<Scenario> scenario = readScenarioFile(path);
        if (!scenario) return scenario.error();
        edit(*scenario, tr("Open %1").arg(QString::fromStdString(file.filename().string())));
        return {};
    }
    Result<std::string> name = *kind == FileKind::model    ? catalog_.addModel(file)
                               : *kind == FileKind::device ? catalog_.addDevice(file)
                                                           : catalog_.addEngine(file);
    if (!name) return name.error();
    emit catalogChanged();
    Scenario next = scenario_;
    std::string& chosen = *kind == FileKind::model ? next.model : *kind == FileKind::device ? next.device : next.engine;
    chosen = *name;
    if (next == scenario_)
        apply(scenario_); // the name means another file now
    else
        edit(next, tr("Open %1").arg(QString::fromStdString(*name)));
    return {};
}

} // namespace deltascope::ui
