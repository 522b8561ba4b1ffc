// SPDX-License-Identifier: GPL-3.0-or-later
// The stretch of time on screen, shared by ruler, overview, timeline and memory curve; with back and forward.
#pragma once

#include <QObject>

#include <vector>

namespace deltascope::ui {

class VisibleRange : public QObject {
    Q_OBJECT
public:
    explicit VisibleRange(QObject* parent = nullptr) : QObject(parent) {}

    [[nodiscard]] double from() const { return from_; } ///< seconds
    [[nodiscard]] double to() const { return to_; }
    [[nodiscard]] double fullTo() const { return full_; } ///< the whole is [0, fullTo]

    /// The length of what can be shown. A range that showed the whole goes on showing the whole.
    void setFull(double seconds);
    /// Clamped to the whole and to a smallest width; remembered for back() unless `transient`.
    void setRange(double from, double to, bool transient = false);
    void zoom(double factor, double around); ///< factor < 1 zooms in; `around` stays where it is on screen
    void pan(double seconds);
    void fitAll();
    [[nodiscard]] bool canGoBack() const { return !past_.empty(); }
    [[nodiscard]] bool canGoForward() const { return !future_.empty(); }
    void back();
    void forward();

signals:
    void changed();

private:
    struct Span {
        double from, to;
    };
    double from_ = 0.0;
    double to_ = 1.0;
    double full_ = 1.0;
    std::vector<Span> past_;
    std::vector<Span> future_;
};

} // namespace deltascope::ui
