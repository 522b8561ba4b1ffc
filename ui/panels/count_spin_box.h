// SPDX-License-Identifier: GPL-3.0-or-later
// Exact entry of a whole number: thousands separators, "64k" for 65,536, arrow keys along a slider's stops.
#pragma once

#include "panels/slider_scale.h"

#include <QSpinBox>

namespace deltascope::ui {

class CountSpinBox : public QSpinBox {
    Q_OBJECT
public:
    explicit CountSpinBox(QWidget* parent = nullptr);
    void setScale(const SliderScale& scale) { scale_ = scale; }
    void stepBy(int steps) override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    [[nodiscard]] QValidator::State validate(QString& text, int& position) const override;
    [[nodiscard]] int valueFromText(const QString& text) const override;
    void fixup(QString&) const override {} // an unfinished number goes back to the last one
    void wheelEvent(QWheelEvent* event) override;

private:
    SliderScale scale_;
};

} // namespace deltascope::ui
