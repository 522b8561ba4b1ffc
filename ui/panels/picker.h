// SPDX-License-Identifier: GPL-3.0-or-later
// A combo box whose list can be searched: grouped entries with their key facts, and a mark on those that would be
// refused.
#pragma once

#include <QComboBox>

#include <functional>
#include <vector>

namespace deltascope::ui {

struct PickerEntry {
    QString key;   ///< what is chosen
    QString label; ///< what is shown
    QString facts; ///< small, beneath
    QString group; ///< heading; entries of a group stand together
    QString words; ///< found by these too
    QString mark;  ///< "not yet supported", "yours"; empty for none
};

class Picker : public QComboBox {
    Q_OBJECT
public:
    explicit Picker(QWidget* parent = nullptr);
    void setEntries(std::vector<PickerEntry> entries);
    [[nodiscard]] const std::vector<PickerEntry>& entries() const { return entries_; }
    /// Shows `key`, also when no entry has it. Emits nothing.
    void setCurrentKey(const QString& key);
    [[nodiscard]] const QString& currentKey() const { return key_; }
    /// What is said at the right of an entry when the list opens: its effect, or why it is refused.
    void setPreview(std::function<QString(const QString& key)> preview) { preview_ = std::move(preview); }
    void setSearchable(bool searchable) { searchable_ = searchable; }

    void showPopup() override;
    void hidePopup() override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    /// The list that is open now, for tests; null when none is.
    [[nodiscard]] QWidget* popup() const { return popup_; }

signals:
    void picked(const QString& key); ///< by the user

protected:
    void wheelEvent(QWheelEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void choose(const QString& key);

    std::vector<PickerEntry> entries_;
    QString key_;
    std::function<QString(const QString&)> preview_;
    bool searchable_ = true;
    QWidget* popup_ = nullptr;
};

} // namespace deltascope::ui
