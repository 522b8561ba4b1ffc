// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/field.h"

#include "panels/look.h"
#include "theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace deltascope::ui {
namespace {

void paintAsWarning(QLabel* label) {
    QPalette palette = label->palette();
    if (palette.color(QPalette::WindowText) == theme().warning) return;
    palette.setColor(QPalette::WindowText, theme().warning);
    label->setPalette(palette);
}

} // namespace

Field::Field(const QString& label, const QString& toolTip, QWidget* parent)
    : QWidget(parent), label_(new QLabel(label, this)), note_(makeNote(this)), problem_(new QLabel(this)),
      row_(new QHBoxLayout), column_(new QVBoxLayout(this)) {
    setToolTip(toolTip);
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(1);
    column_->addLayout(row_);
    row_->setContentsMargins(0, 0, 0, 0);
    row_->setSpacing(8);
    row_->addWidget(label_);
    note_->setWordWrap(true); // a long one must not widen the panel
    note_->hide();
    column_->addWidget(note_);
    problem_->setWordWrap(true);
    problem_->setTextFormat(Qt::PlainText);
    problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    problem_->setFont(scaledFont(0.9, QFont::DemiBold));
    paintAsWarning(problem_);
    problem_->hide();
    column_->addWidget(problem_);
}

void Field::describe(QWidget* editor) {
    if (editor->accessibleName().isEmpty()) editor->setAccessibleName(label_->text());
    if (editor->toolTip().isEmpty()) editor->setToolTip(toolTip());
    if (editor->accessibleDescription().isEmpty()) editor->setAccessibleDescription(editor->toolTip());
}

void Field::setEditor(QWidget* editor, int stretch) {
    describe(editor);
    label_->setBuddy(editor);
    row_->addWidget(editor, stretch);
}

void Field::addBeneath(QWidget* widget) {
    describe(widget);
    column_->insertWidget(column_->count() - 2, widget);
}

void Field::addToRow(QWidget* widget) { row_->insertWidget(1, widget); }

void Field::setNote(const QString& text) {
    note_->setText(text);
    note_->setVisible(!text.isEmpty());
}

void Field::setProblem(const QString& text) {
    if (problem() == text) return;
    problem_->setText(text);
    problem_->setVisible(!text.isEmpty());
}

QString Field::problem() const { return problem_->text(); }

void Field::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && problem_ != nullptr) paintAsWarning(problem_);
}

NumberField::NumberField(const QString& label, const QString& unit, const QString& toolTip, QWidget* parent)
    : Field(label, toolTip, parent), slider_(new ValueSlider(this)), spin_(new CountSpinBox(this)) {
    const QString name = unit.isEmpty() ? label : tr("%1 in %2").arg(label, unit);
    slider_->setAccessibleName(tr("%1, slider").arg(name));
    spin_->setAccessibleName(name);
    row()->addStretch(1);
    setEditor(spin_, 0);
    addBeneath(slider_);
    connect(slider_, &ValueSlider::gestureBegan, this, [this] { ++gesture_; });
    connect(slider_, &ValueSlider::amountMoved, this, [this](std::int64_t amount) { emit edited(amount, gesture_); });
    connect(spin_, &QSpinBox::valueChanged, this, [this](int amount) { emit edited(amount, ++gesture_); });
}

void NumberField::setScale(const SliderScale& scale, std::vector<ValueSlider::Tick> ticks) {
    slider_->setScale(scale, std::move(ticks));
    spin_->setScale(scale);
}

void NumberField::setAmount(std::int64_t amount) {
    slider_->setAmount(amount);
    const QSignalBlocker quiet(spin_);
    spin_->setValue(static_cast<int>(std::clamp<std::int64_t>(amount, 0, std::numeric_limits<int>::max())));
}

void NumberField::setRefused(const QString& problem) {
    setProblem(problem);
    slider_->setRefused(!problem.isEmpty());
}

} // namespace deltascope::ui
