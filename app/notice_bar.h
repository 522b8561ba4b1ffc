// SPDX-License-Identifier: GPL-3.0-or-later
// A line under the toolbar that says what went wrong, until it is dismissed.
#pragma once

#include "base/result.h"

#include <QFrame>

class QLabel;

namespace deltascope::ui {

class NoticeBar : public QFrame {
    Q_OBJECT
public:
    explicit NoticeBar(QWidget* parent = nullptr);
    void showError(const Error& error);
    void showText(const QString& text);
    [[nodiscard]] QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QLabel* label_;
};

} // namespace deltascope::ui
