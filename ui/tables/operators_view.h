// SPDX-License-Identifier: GPL-3.0-or-later
// The operators of the step as a table: sorted, filtered, grouped, beside those of the baseline.
#pragma once

#include "tables/operators_model.h"
#include "tables/operators_tree.h"
#include "tables/refresh_gate.h"
#include "workbench/workbench.h"

#include <QWidget>

class QAction;
class QComboBox;
class QLineEdit;
class QMenu;

namespace deltascope::ui {

class ElidedLabel;

class OperatorsView : public QWidget {
    Q_OBJECT
public:
    explicit OperatorsView(Workbench& workbench, QWidget* parent = nullptr);

    [[nodiscard]] OperatorsModel& model() { return model_; }
    [[nodiscard]] OperatorsTree& tree() { return *tree_; }
    /// Puts the keyboard into the filter box (Ctrl+F).
    [[nodiscard]] QAction* findAction() { return find_; }
    void setFilter(const QString& text);
    void setGrouping(Grouping grouping);
    [[nodiscard]] QString asText(TableFormat format) const;

    /// Columns, their order and width, sorting and grouping.
    [[nodiscard]] QByteArray saveState() const;
    bool restoreState(const QByteArray& state);

    /// Brings the table up to date now, also while it is hidden.
    void refreshNow() { gate_.ensure(true); }

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildBar();
    QMenu* buildColumnMenu();
    QMenu* buildCopyMenu();
    void refresh();
    void showSelection(bool scroll);
    void chooseRow(const QModelIndex& index);
    void updateSummary();

    Workbench& workbench_;
    OperatorsModel model_;
    OperatorsTree* tree_;
    QLineEdit* filter_ = nullptr;
    QComboBox* grouping_ = nullptr;
    ElidedLabel* summary_ = nullptr;
    QAction* find_ = nullptr;
    QAction* copy_ = nullptr;
    bool choosing_ = false;
    RefreshGate gate_;
};

} // namespace deltascope::ui
