// SPDX-License-Identifier: GPL-3.0-or-later
// The state all views share: the scenario on screen and its simulation, the pinned baseline, the selection; with undo.
#pragma once

#include "catalog/catalog.h"
#include "explore/compare.h"
#include "scenario/scenario.h"
#include "simulation/simulation.h"

#include <QObject>
#include <QUndoStack>

#include <memory>
#include <optional>

namespace deltascope::ui {

class Workbench : public QObject {
    Q_OBJECT
public:
    /// `initial` must simulate; otherwise the first built-in scenario that does is taken.
    explicit Workbench(Catalog catalog, const Scenario& initial = {}, QObject* parent = nullptr);

    [[nodiscard]] const Catalog& catalog() const { return catalog_; }

    /// What the controls show, also when it was refused.
    [[nodiscard]] const Scenario& scenario() const { return scenario_; }
    /// The last good result; never null.
    [[nodiscard]] std::shared_ptr<const Simulation> simulation() const { return simulation_; }
    /// Why scenario() has no result of its own; simulation() is then the last good one and drawn dimmed.
    [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }
    /// Duration of the last call of simulate().
    [[nodiscard]] Seconds simulationCost() const { return simulationCost_; }

    /// Simulates at once and emits scenarioChanged. Edits with the same non-empty `mergeKey` in a row are one undo
    /// step.
    void edit(const Scenario& next, const QString& text, const QString& mergeKey = {});
    [[nodiscard]] QUndoStack& undoStack() { return undo_; }

    /// Null when nothing is pinned.
    [[nodiscard]] std::shared_ptr<const Simulation> baseline() const { return baseline_; }
    /// Comparison of baseline() (A) with simulation() (B); empty without a baseline.
    [[nodiscard]] const Comparison& comparison() const { return comparison_; }
    void pinBaseline();
    void clearBaseline();
    /// Simulates `scenario` as the baseline; the refusal when it cannot be.
    Result<void> setBaseline(const Scenario& scenario);
    void swapWithBaseline();

    /// The selected operator in simulation(), if it still exists there.
    [[nodiscard]] std::optional<OperatorRef> selection() const { return selection_; }
    void select(std::optional<OperatorRef> ref);

    /// Adds a model, device or engine of the user, recognised by content, and switches to it.
    Result<void> openFile(const QString& path);

signals:
    void scenarioChanged(); ///< scenario(), simulation() or refusal() changed
    void baselineChanged(); ///< baseline() or comparison() changed
    void selectionChanged();
    void catalogChanged();

private:
    friend class ScenarioEdit;
    void apply(const Scenario& next);
    void refreshComparison();

    Catalog catalog_;
    Scenario scenario_;
    std::shared_ptr<const Simulation> simulation_;
    std::optional<Error> refusal_;
    Seconds simulationCost_;
    std::shared_ptr<const Simulation> baseline_;
    Comparison comparison_;
    std::optional<OperatorRef> selection_;
    std::optional<OperatorId> selectedId_; ///< survives scenarios in which the operator does not exist
    QUndoStack undo_;
};

} // namespace deltascope::ui
