// SPDX-License-Identifier: GPL-3.0-or-later
// The card beside the pointer: every fact about what it is on.
#pragma once

#include "timeline/timeline_model.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace deltascope::ui {

struct CardFacts {
    struct Row {
        QString name;
        QString value;
        bool strong = false;
    };
    QString title;
    QString subtitle;
    std::vector<Row> rows;
    QString note; ///< provenance, or that several operators share the pixel

    [[nodiscard]] bool isEmpty() const { return title.isEmpty(); }
    [[nodiscard]] QString text() const; ///< for assistive technology and tests
};

/// Facts about model.hover(); empty when it is on nothing.
[[nodiscard]] CardFacts factsUnderPointer(const TimelineModel& model);

class HoverCard : public QWidget {
    Q_OBJECT
public:
    explicit HoverCard(QWidget* parent);

    /// Shows `facts` below and to the right of `anchor` (in the parent's coordinates), inside the parent.
    void show(const CardFacts& facts, QPoint anchor);
    [[nodiscard]] const CardFacts& facts() const { return facts_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QSize measure() const;

    CardFacts facts_;
};

} // namespace deltascope::ui
