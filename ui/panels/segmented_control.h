// SPDX-License-Identifier: GPL-3.0-or-later
// Two or three choices side by side, of which one holds. Arrow keys move between them.
#pragma once

#include <QWidget>

class QButtonGroup;

namespace deltascope::ui {

class SegmentedControl : public QWidget {
    Q_OBJECT
public:
    explicit SegmentedControl(const QStringList& labels, QWidget* parent = nullptr);
    void setCurrent(int index); ///< emits nothing
    [[nodiscard]] int current() const;
    void setSegmentToolTip(int index, const QString& text);

signals:
    void chosen(int index); ///< by the user

private:
    QButtonGroup* group_;
};

} // namespace deltascope::ui
