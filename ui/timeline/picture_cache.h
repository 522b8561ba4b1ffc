// SPDX-License-Identifier: GPL-3.0-or-later
// What a widget shows under its overlays, painted once and copied to the screen until it is forgotten.
#pragma once

#include "theme/theme.h"

#include <QPainter>
#include <QPixmap>
#include <QWidget>

namespace deltascope::ui {

class PictureCache {
public:
    void forget() { current_ = false; }

    /// Copies the part of the picture in `region` to `painter`, which is the widget's; calls `paint(QPainter&)` for a
    /// picture on the panel's colour when there is none of the widget's size and scale.
    template <class Paint>
    void show(QPainter& painter, const QWidget& widget, const QRegion& region, double opacity, Paint paint) {
        const double ratio = widget.devicePixelRatioF();
        const QSize size = (QSizeF(widget.size()) * ratio).toSize();
        if (!current_ || picture_.size() != size || picture_.devicePixelRatio() != ratio) {
            if (picture_.size() != size) picture_ = QPixmap(size);
            picture_.setDevicePixelRatio(ratio);
            picture_.fill(theme().panel);
            QPainter inside(&picture_);
            inside.setFont(widget.font());
            paint(inside);
            current_ = true;
        }
        if (opacity < 1.0) painter.fillRect(region.boundingRect(), theme().panel);
        painter.setOpacity(opacity);
        for (const QRect& rect : region)
            painter.drawPixmap(QRectF(rect), picture_, QRectF(rect.topLeft() * ratio, QSizeF(rect.size()) * ratio));
        painter.setOpacity(1.0);
    }

private:
    QPixmap picture_;
    bool current_ = false;
};

/// Of a picture that belongs to an earlier scenario than the controls show.
inline constexpr double staleOpacity = 0.4;

} // namespace deltascope::ui
