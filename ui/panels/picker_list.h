// SPDX-License-Identifier: GPL-3.0-or-later
// The list a Picker opens: a search field over grouped entries.
#pragma once

#include "panels/picker.h"

#include <QFrame>

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace deltascope::ui {

class PickerList : public QFrame {
    Q_OBJECT
public:
    PickerList(const std::vector<PickerEntry>& entries, const QString& current,
               const std::function<QString(const QString&)>& preview, bool searchable, QWidget* parent);
    void takeFocus();
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void picked(const QString& key);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void filter(const QString& words);
    void accept(int row);
    void move(int rows);

    QLineEdit* search_;
    QListView* view_;
    QStandardItemModel* model_;
    bool searchable_;
};

} // namespace deltascope::ui
