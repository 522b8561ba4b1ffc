// SPDX-License-Identifier: GPL-3.0-or-later
// The operator classes that occur, each a button that singles the class out; and what the hatchings mean.
#pragma once

#include "timeline/timeline_model.h"

#include <QToolButton>
#include <QWidget>

#include <array>
#include <vector>

namespace deltascope::ui {

class Legend : public QWidget {
    Q_OBJECT
public:
    explicit Legend(TimelineModel& model, QWidget* parent = nullptr);

    [[nodiscard]] QToolButton* button(OperatorClass cls) const { return buttons_[static_cast<std::size_t>(cls)]; }
    [[nodiscard]] const std::vector<Bound>& bounds() const { return bounds_; }

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override { return {800, heightForWidth(800)}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, heightForWidth(560)}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Sample {
        Bound bound;
        QRect place;
    };

    void refresh();
    void recolor();
    /// Rectangles of the visible buttons, then of the samples, from left to right and in as many rows as it takes.
    [[nodiscard]] std::vector<QRect> places(int width) const;
    void arrange();

    TimelineModel& model_;
    std::array<QToolButton*, operatorClassCount> buttons_{};
    std::vector<Bound> bounds_;
    std::vector<Sample> samples_;
};

} // namespace deltascope::ui
