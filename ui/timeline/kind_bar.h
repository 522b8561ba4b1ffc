// SPDX-License-Identifier: GPL-3.0-or-later
// Time of the step by operator kind, kinds of a class side by side, and the baseline's beneath on the same scale.
#pragma once

#include "timeline/painter.h"
#include "timeline/plot_frame.h"
#include "timeline/timeline_model.h"

#include <QWidget>

namespace deltascope::ui {

class KindBar : public QWidget {
    Q_OBJECT
public:
    explicit KindBar(TimelineModel& model, QWidget* parent = nullptr);

    struct Segment {
        KindTime kind;
        double x = 0.0; ///< in the widget's coordinates
        double width = 0.0;
    };
    [[nodiscard]] const std::vector<Segment>& segments() const { return here_; }
    /// In the order of segments(), then what only the baseline has.
    [[nodiscard]] const std::vector<Segment>& ghosts() const { return there_; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, sizeHint().height()}; }

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void refresh();
    void arrange();
    [[nodiscard]] double barHeight() const;
    [[nodiscard]] const Segment* segmentAt(QPointF position) const;
    void paintRow(QPainter& painter, const std::vector<Segment>& row, double y, double height,
                  const ClassPalette& colors) const;
    /// Class and time over each class's kinds, where there is room.
    void paintNames(QPainter& painter, const ClassPalette& colors) const;
    [[nodiscard]] QString toolTipOf(const Segment& segment) const;

    TimelineModel& model_;
    std::vector<Segment> here_;
    std::vector<Segment> there_;
};

} // namespace deltascope::ui
