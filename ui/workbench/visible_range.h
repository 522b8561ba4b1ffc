// SPDX-License-Identifier: GPL-3.0-or-later
// The stretch of time on screen, shared by ruler, overview, timeline and memory curve; with back and forward.
#pragma once

#include <QObject>

#include <vector>

namespace deltascope::ui {

/// Pixel of a time when [from, to] covers `width` pixels. An empty range or width maps everything to 0.
[[nodiscard]] double pixelOfTime(double time, double from, double to, double width);
/// Time at a pixel; the inverse of pixelOfTime, `from` for an empty width.
[[nodiscard]] double timeOfPixel(double pixel, double from, double to, double width);

class VisibleRange : public QObject {
    Q_OBJECT
public:
    explicit VisibleRange(QObject* parent = nullptr) : QObject(parent) {}

    [[nodiscard]] double from() const { return from_; } ///< seconds
    [[nodiscard]] double to() const { return to_; }
    [[nodiscard]] double fullTo() const { return full_; } ///< the whole is [0, fullTo]
    [[nodiscard]] bool showsAll() const { return from_ <= 0.0 && to_ >= full_; }
    [[nodiscard]] double pixel(double time, double width) const { return pixelOfTime(time, from_, to_, width); }
    [[nodiscard]] double time(double pixel, double width) const { return timeOfPixel(pixel, from_, to_, width); }

    /// The length of what can be shown. A range that showed the whole goes on showing the whole.
    void setFull(double seconds);
    /// Clamped to the whole and to a smallest width; remembered for back() unless `transient`. A run of transient
    /// changes is one step back, to where it began.
    void setRange(double from, double to, bool transient = false);
    void zoom(double factor, double around); ///< factor < 1 zooms in; `around` stays where it is on screen
    void pan(double seconds);
    void fitAll();
    /// The next transient change, zoom or pan begins a step of its own.
    void endGesture() { gesture_ = Gesture::none; }
    [[nodiscard]] bool canGoBack() const { return !past_.empty(); }
    [[nodiscard]] bool canGoForward() const { return !future_.empty(); }
    void back();
    void forward();

signals:
    void changed();

private:
    struct Span {
        double from, to;
        bool operator==(const Span&) const = default;
    };
    /// Changes of one kind in a row are one step in the history.
    enum class Gesture { none, drag, zoomIn, zoomOut, pan };

    [[nodiscard]] Span clamped(Span span) const;
    void show(Span span, Gesture gesture);
    void travel(std::vector<Span>& from, std::vector<Span>& to);

    double from_ = 0.0;
    double to_ = 1.0;
    double full_ = 1.0;
    Gesture gesture_ = Gesture::none;
    std::vector<Span> past_;
    std::vector<Span> future_;
};

} // namespace deltascope::ui
