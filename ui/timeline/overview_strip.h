// SPDX-License-Identifier: GPL-3.0-or-later
// The whole step in one row, with the visible range as a window that can be moved and stretched.
#pragma once

#include "timeline/plot_frame.h"
#include "timeline/timeline_model.h"

#include <QWidget>

namespace deltascope::ui {

class OverviewStrip : public QWidget {
    Q_OBJECT
public:
    explicit OverviewStrip(TimelineModel& model, QWidget* parent = nullptr);

    /// The window on the strip, in the widget's coordinates.
    [[nodiscard]] QRectF windowRect() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    enum class Grip { none, move, left, right };

    [[nodiscard]] PlotView wholeView() const;
    [[nodiscard]] double timeOnStrip(double x) const;
    [[nodiscard]] Grip gripAt(double x) const;

    TimelineModel& model_;
    Grip grip_ = Grip::none;
    double grabbed_ = 0.0; ///< time from the pointer to the start of the window
};

} // namespace deltascope::ui
