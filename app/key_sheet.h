// SPDX-License-Identifier: GPL-3.0-or-later
// All keys of the window, read from its menus.
#pragma once

#include <QDialog>

class QMenuBar;

namespace deltascope::ui {

class KeySheet : public QDialog {
    Q_OBJECT
public:
    explicit KeySheet(const QMenuBar& menus, QWidget* parent = nullptr);
    /// Keys and what they do, menu by menu.
    [[nodiscard]] static QList<QPair<QString, QList<QPair<QString, QString>>>> keysOf(const QMenuBar& menus);
};

} // namespace deltascope::ui
