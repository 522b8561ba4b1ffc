// SPDX-License-Identifier: GPL-3.0-or-later
// The selected operator explained: what it is, how its time comes about, with the numbers. Without a selection, the
// step as a whole.
#pragma once

#include "panels/look.h"
#include "panels/share_bar.h"
#include "tables/refresh_gate.h"
#include "workbench/workbench.h"

#include <QScrollArea>

class QToolButton;
class QVBoxLayout;

namespace deltascope::ui {

class DetailsPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit DetailsPanel(Workbench& workbench, QWidget* parent = nullptr);

    [[nodiscard]] QString titleText() const { return title_->text(); }
    /// Brings the panel up to date now, also while it is hidden.
    void refreshNow() { gate_.ensure(true); }
    /// All that is shown, as plain text.
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] ShareBar* bytesBar() const { return bytes_; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    /// A caption over selectable text; hidden while it has nothing to say.
    struct Section {
        QLabel* caption;
        QLabel* body;
        void set(const QString& html) const;
    };
    Section addSection(const QString& caption);
    void refresh();
    void showOperator(OperatorRef ref);
    void showStep();
    void showBytes(const Work& work);
    void copy() const;

    Workbench& workbench_;
    QVBoxLayout* column_;
    QLabel* title_;
    QLabel* path_;
    QToolButton* copy_;
    Chip* provenance_;
    Chip* bound_;
    Chip* cls_;
    std::vector<Section> sections_;
    Section facts_, compared_, how_, work_, values_, shapes_, what_, kinds_, metadata_, notes_;
    QLabel* bytesCaption_;
    ShareBar* bytes_ = nullptr;
    RefreshGate gate_;
};

} // namespace deltascope::ui
