// SPDX-License-Identifier: GPL-3.0-or-later
// A QCustomPlot that draws straight to the widget: no buffers to clear and blend, values brought up to date only when
// it is painted, colours from the theme, the whole dimmed when its values are stale.
#pragma once

#include <qcustomplot.h>

#include <functional>

namespace deltascope::ui {

class ChartPlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit ChartPlot(QWidget* parent = nullptr);

    /// Called before every paint.
    void setPrepare(std::function<void()> prepare) { prepare_ = std::move(prepare); }
    void setDimmed(bool dimmed);
    [[nodiscard]] bool dimmed() const { return dimmed_; }
    /// Pens, brushes and fonts of all axes from the theme.
    void restyleAxes();

    /// Shown beside the pointer; empty hides it.
    void showHover(const QPoint& at, const QString& richText);

signals:
    void left();                          ///< the pointer left the chart
    void keyMoved(int steps, bool toEnd); ///< left and right; Home and End with `toEnd`

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    std::function<void()> prepare_;
    bool dimmed_ = false;
};

/// Draws something of its own into a chart, on the layer it is created on.
class ChartPainter : public QCPLayerable {
    Q_OBJECT
public:
    ChartPainter(QCustomPlot* plot, const QString& layer, std::function<void(QCPPainter&)> paint)
        : QCPLayerable(plot, layer), paint_(std::move(paint)) {}

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(false); }
    void draw(QCPPainter* painter) override { paint_(*painter); }

private:
    std::function<void(QCPPainter&)> paint_;
};

/// Smallest of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 times a power of ten that is not below `value`: an axis that
/// stays while values move a little.
[[nodiscard]] double niceCeiling(double value);

/// Sits beside a value: moved so that labels do not overlap, kept in [low, high], nearest to where they belong.
/// `centres` ascend; those that do not fit are dropped from the end.
void spreadLabels(std::vector<double>& centres, double size, double low, double high);

} // namespace deltascope::ui
