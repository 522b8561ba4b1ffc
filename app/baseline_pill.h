// SPDX-License-Identifier: GPL-3.0-or-later
// Which baseline is pinned, and how the scenario on screen differs from it. A click opens what can be done with it.
#pragma once

#include "workbench/workbench.h"

#include <QToolButton>

namespace deltascope::ui {

class BaselinePill : public QToolButton {
    Q_OBJECT
public:
    explicit BaselinePill(Workbench& workbench, QWidget* parent = nullptr);
    [[nodiscard]] QString fullText() const { return full_; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void refresh();
    Workbench& workbench_;
    QString full_;
};

} // namespace deltascope::ui
