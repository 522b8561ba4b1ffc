// SPDX-License-Identifier: GPL-3.0-or-later
// What the selected stretch (or else what is on screen) adds up to, in words, and how it differs from the baseline.
#pragma once

#include "timeline/timeline_model.h"

#include <QWidget>

class QLabel;

namespace deltascope::ui {

/// "4 layers · 187 operators · 27.9 ms · linear 50 %, ..."
[[nodiscard]] QString summaryText(const RangeSummary& summary);
/// "against A +0.9 ms: linear −1.0 ms, ..."; the largest differences first.
[[nodiscard]] QString differenceText(const RangeDifference& difference);

class SelectionSummary : public QWidget {
    Q_OBJECT
public:
    explicit SelectionSummary(TimelineModel& model, QWidget* parent = nullptr);

    [[nodiscard]] QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void arrange();

    TimelineModel& model_;
    QLabel* name_;
    QLabel* summary_;
    QLabel* difference_;
};

} // namespace deltascope::ui
