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
    [[nodiscard]] std::shared_ptr<const Simulation> simulation() const { return current_.result; }
    /// Why scenario() has no result of its own; simulation() is then the last good one and drawn dimmed.
    [[nodiscard]] const std::optional<Error>& refusal() const { return refusal_; }
    /// Duration of the last call of simulate().
    [[nodiscard]] Seconds simulationCost() const { return simulationCost_; }

    /// Simulates at once and emits scenarioChanged. Edits with the same non-empty `mergeKey` in a row are one undo
    /// step; a scenario equal to the present one is none.
    void edit(const Scenario& next, const QString& text, const QString& mergeKey = {});
    [[nodiscard]] QUndoStack& undoStack() { return undo_; }

    /// Null when nothing is pinned.
    [[nodiscard]] std::shared_ptr<const Simulation> baseline() const { return baseline_.result; }
    /// The scenario of baseline() as it was given, without defaults filled in.
    [[nodiscard]] const Scenario& baselineScenario() const { return baseline_.given; }
    /// Comparison of baseline() (A) with simulation() (B); empty without a baseline.
    [[nodiscard]] const Comparison& comparison() const { return comparison_; }
    void pinBaseline();
    void clearBaseline();
    /// Simulates `scenario` as the baseline; the refusal when it cannot be.
    Result<void> setBaseline(const Scenario& scenario);
    Result<void> setBaselineFile(const QString& path);
    /// What was on screen becomes the baseline and the other way round; one undo step.
    void swapWithBaseline();
    /// `a` as the baseline and `b` on screen; one undo step. The refusal of `a`, when there is one, changes nothing.
    Result<void> showPair(const Scenario& a, const Scenario& b, const QString& text);

    /// The selected operator in simulation(), if it still exists there.
    [[nodiscard]] std::optional<OperatorRef> selection() const { return selection_; }
    void select(std::optional<OperatorRef> ref);

    /// Opens a model, device, engine or scenario, recognised by content, and switches to it. On an error nothing has
    /// changed.
    Result<void> openFile(const QString& path);

signals:
    void scenarioChanged(); ///< scenario(), simulation() or refusal() changed
    void baselineChanged(); ///< baseline() or comparison() changed
    void selectionChanged();
    void catalogChanged();

private:
    friend class ScenarioEdit;
    struct Simulated {
        Scenario given; ///< without defaults filled in, so that it can be edited further
        std::shared_ptr<const Simulation> result;
    };
    void apply(const Scenario& next);
    void apply(const Scenario& next, const Simulated& baseline);
    void push(const Scenario& next, const Simulated& baseline, const QString& text);
    Result<Scenario> readScenarioFile(const QString& path);
    void recompute();
    void refreshComparison();
    void announce(bool baselineToo);
    [[nodiscard]] bool resolveSelection();

    Catalog catalog_;
    Scenario scenario_;
    Simulated current_; ///< the last good one
    std::optional<Error> refusal_;
    Seconds simulationCost_;
    Simulated baseline_;
    Comparison comparison_;
    std::optional<OperatorRef> selection_;
    std::optional<OperatorId> selectedId_; ///< survives scenarios in which the operator does not exist
    QUndoStack undo_;
};

} // namespace deltascope::ui
