// SPDX-License-Identifier: GPL-3.0-or-later
// A control of the scenario panel with its label, its unit, and room for the reason why its value is refused.
#pragma once

#include "panels/count_spin_box.h"
#include "panels/value_slider.h"

#include <QLabel>
#include <QWidget>

class QHBoxLayout;
class QVBoxLayout;

namespace deltascope::ui {

/// Label and editor in a row; beneath it what is said of the value, and the refusal.
class Field : public QWidget {
    Q_OBJECT
public:
    Field(const QString& label, const QString& toolTip, QWidget* parent = nullptr);
    /// Right of the label; takes its accessible name and tooltip from the field when it has none.
    void setEditor(QWidget* editor, int stretch);
    void addBeneath(QWidget* widget);
    void addToRow(QWidget* widget);    ///< between label and editor
    void setNote(const QString& text); ///< small, beneath the editor; empty hides it
    void setProblem(const QString& text);
    [[nodiscard]] QString problem() const;
    [[nodiscard]] QLabel* problemLabel() const { return problem_; }
    [[nodiscard]] QLabel* label() const { return label_; }

protected:
    void changeEvent(QEvent* event) override;
    void describe(QWidget* editor);
    [[nodiscard]] QHBoxLayout* row() const { return row_; }

private:
    QLabel* label_;
    QLabel* note_;
    QLabel* problem_;
    QHBoxLayout* row_;
    QVBoxLayout* column_;
};

/// A whole number: exact entry, and a slider beneath.
class NumberField : public Field {
    Q_OBJECT
public:
    NumberField(const QString& label, const QString& unit, const QString& toolTip, QWidget* parent = nullptr);
    void setScale(const SliderScale& scale, std::vector<ValueSlider::Tick> ticks);
    void setAmount(std::int64_t amount);
    [[nodiscard]] std::int64_t amount() const { return slider_->amount(); }
    void setRefused(const QString& problem);
    [[nodiscard]] ValueSlider* slider() const { return slider_; }
    [[nodiscard]] CountSpinBox* spinBox() const { return spin_; }

signals:
    /// By the user. Edits of one drag, or of one stay of the keyboard, have the same `gesture`.
    void edited(std::int64_t amount, int gesture);

private:
    ValueSlider* slider_;
    CountSpinBox* spin_;
    int gesture_ = 0;
};

} // namespace deltascope::ui
