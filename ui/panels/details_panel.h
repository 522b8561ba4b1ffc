// SPDX-License-Identifier: GPL-3.0-or-later
// The selected operator explained: what it is, how its time comes about, with the numbers. Without a selection, the
// step as a whole.
#pragma once

#include "panels/fact_sheet.h"
#include "panels/look.h"
#include "panels/share_bar.h"
#include "tables/refresh_gate.h"
#include "workbench/workbench.h"

#include <QScrollArea>

class QToolButton;

namespace deltascope::ui {

class DetailsPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit DetailsPanel(Workbench& workbench, QWidget* parent = nullptr);

    /// Brings the panel up to date now, also while it is hidden.
    void refreshNow() { gate_.ensure(true); }
    [[nodiscard]] QString titleText() const;
    /// All that is shown, as plain text.
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] FactSheet* facts() const { return facts_; }
    [[nodiscard]] ShareBar* bytesBar() const { return bytes_; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void showOperator(OperatorRef ref);
    void showStep();
    void showBytes(const Work& work);
    void copy() const;

    Workbench& workbench_;
    QLabel* title_;
    QLabel* path_;
    QToolButton* copy_;
    QWidget* chips_;
    Chip* bound_;
    Chip* provenance_;
    FactSheet* facts_;
    QLabel* bytesCaption_;
    ShareBar* bytes_ = nullptr;
    FactSheet* operands_;
    RefreshGate gate_;
};

} // namespace deltascope::ui
