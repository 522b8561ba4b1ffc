// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the step: painted once into a cache; hover, selection and marks lie over it.
#pragma once

#include "timeline/picture_cache.h"
#include "timeline/plot_frame.h"
#include "timeline/timeline_model.h"

#include <QWidget>

#include <optional>

namespace deltascope::ui {

class TimelineWidget : public QWidget {
    Q_OBJECT
public:
    explicit TimelineWidget(TimelineModel& model, QWidget* parent = nullptr);

    /// As painted, in plot coordinates: add plotFrame(*this).left for those of the widget.
    [[nodiscard]] const TimelineGeometry& geometryOnScreen();
    /// What is at a point of the widget.
    [[nodiscard]] TimelineModel::Hover hitTest(QPointF position);
    /// Where a span is on screen, in the widget's coordinates; empty when it is out of sight.
    [[nodiscard]] QRectF rectOf(StripKind kind, std::size_t span);

    /// Forgets geometry and picture: the next paint makes them anew.
    void refresh();

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// A click on an operator of the step (and not on the baseline's).
    void operatorActivated(std::size_t index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    enum class Drag { none, pressed, select, zoom, pan };

    void fitHeight();
    void paintPicture(QPainter& painter);
    void paintOverlay(QPainter& painter);
    void paintOutline(QPainter& painter, const QRectF& rect, const QColor& color, double width) const;
    void updateHover();
    void click(QPointF position);
    [[nodiscard]] QRegion hoverRegion();

    TimelineModel& model_;
    std::optional<TimelineGeometry> geometry_;
    PictureCache picture_;
    QRegion paintedHover_;
    Drag drag_ = Drag::none;
    QPointF pressed_;
    double panFrom_ = 0.0; ///< time under the pointer when panning began
    std::optional<TimeSpan> zoomBand_;
};

} // namespace deltascope::ui
