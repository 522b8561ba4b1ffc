// SPDX-License-Identifier: GPL-3.0-or-later
// Times of the visible range, the pointer's time, and marks with the distance between neighbours.
#pragma once

#include "timeline/plot_frame.h"
#include "timeline/timeline_model.h"

#include <QWidget>

namespace deltascope::ui {

class Ruler : public QWidget {
    Q_OBJECT
public:
    explicit Ruler(TimelineModel& model, QWidget* parent = nullptr);

    [[nodiscard]] std::vector<TimeTick> ticks() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void paintFlag(QPainter& painter, double time, const QString& text, const QColor& ground) const;

    TimelineModel& model_;
};

} // namespace deltascope::ui
