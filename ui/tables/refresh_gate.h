// SPDX-License-Identifier: GPL-3.0-or-later
// Refreshes a view once per turn of the event loop, and only while it is on screen: what is hidden is only marked.
#pragma once

#include <QObject>

#include <functional>

class QWidget;

namespace deltascope::ui {

class RefreshGate : public QObject {
    Q_OBJECT
public:
    /// `refresh` runs after mark() and before the next paint of `view`; also when `view` is shown after a mark().
    RefreshGate(QWidget& view, std::function<void()> refresh);

    void mark();
    /// Refreshes now if something was marked. A hidden view stays marked unless `evenHidden`.
    void ensure(bool evenHidden = false);
    [[nodiscard]] bool pending() const { return marked_; }

    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget& view_;
    std::function<void()> refresh_;
    bool marked_ = true;
    bool queued_ = false;
};

} // namespace deltascope::ui
