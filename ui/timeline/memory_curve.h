// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of the step on the timeline's axis: activations alive to scale over a band for what is resident, with the peak
// named. The baseline's activations are an outline.
#pragma once

#include "timeline/picture_cache.h"
#include "timeline/plot_frame.h"
#include "timeline/timeline_model.h"

#include <QWidget>

namespace deltascope::ui {

class MemoryCurve : public QWidget {
    Q_OBJECT
public:
    explicit MemoryCurve(TimelineModel& model, QWidget* parent = nullptr);

    /// Where curve and band are, in the widget's coordinates.
    struct Areas {
        QRectF curve, resident;
        double top = 0.0; ///< bytes at the upper edge of `curve`
    };
    [[nodiscard]] Areas areas() const;
    /// "peak 9.81 GiB in chunk_gated_delta_rule, layer 1"; empty when nothing is known.
    [[nodiscard]] QString peakText() const;
    [[nodiscard]] QString residentText() const;
    /// Centre of the mark at the peak; null when it is out of sight.
    [[nodiscard]] std::optional<QPointF> peakPoint() const;

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void operatorActivated(std::size_t index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void refresh();
    void updateCursor();
    [[nodiscard]] QRect cursorRect() const;
    void paintPicture(QPainter& painter) const;
    void paintOverlay(QPainter& painter) const;
    void paintAxis(QPainter& painter, const Areas& areas) const;
    void paintCurves(QPainter& painter, const Areas& areas) const;
    void paintPeak(QPainter& painter, const Areas& areas) const;
    [[nodiscard]] TimelineModel::Hover hitTest(double x) const;

    TimelineModel& model_;
    PictureCache picture_;
    QRect paintedCursor_;
};

} // namespace deltascope::ui
