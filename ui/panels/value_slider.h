// SPDX-License-Identifier: GPL-3.0-or-later
// A slider over a SliderScale: tick labels under the track, the baseline's value as a ghost, and the stretch that does
// not fit the device's memory.
#pragma once

#include "panels/slider_scale.h"

#include <QSlider>

#include <optional>

namespace deltascope::ui {

class ValueSlider : public QSlider {
    Q_OBJECT
public:
    struct Tick {
        std::int64_t value;
        QString label;
    };

    explicit ValueSlider(QWidget* parent = nullptr);
    void setScale(const SliderScale& scale, std::vector<Tick> ticks);
    [[nodiscard]] const SliderScale& scale() const { return scale_; }

    /// What is shown; it need not be a stop. Emits nothing.
    void setAmount(std::int64_t amount);
    [[nodiscard]] std::int64_t amount() const { return amount_; }
    void setGhost(std::optional<std::int64_t> amount);
    /// First amount that does not fit; the track from there on is marked.
    void setLimit(std::optional<std::int64_t> firstThatFails);
    [[nodiscard]] std::optional<std::int64_t> limit() const { return limit_; }
    void setRefused(bool refused);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void amountMoved(std::int64_t amount); ///< by the user
    void gestureBegan();                   ///< a press of the mouse, or the keyboard's arrival

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] double xOf(double fraction) const;
    void moveTo(double x);
    void paintTrack(QPainter& painter) const;
    void paintTicks(QPainter& painter) const;
    void paintHandle(QPainter& painter) const;

    SliderScale scale_;
    std::vector<Tick> ticks_;
    std::int64_t amount_ = 0;
    std::optional<std::int64_t> ghost_;
    std::optional<std::int64_t> limit_;
    bool refused_ = false;
    bool quiet_ = false;
};

/// "1", "4k", "1M": 1,024 to the k.
[[nodiscard]] QString tickLabel(std::int64_t value);

} // namespace deltascope::ui
