// SPDX-License-Identifier: GPL-3.0-or-later
// One headline figure: title, value, detail, and the baseline's value with the difference.
#pragma once

#include "panels/look.h"

class QVBoxLayout;

namespace deltascope::ui {

class FigureCard : public Card {
    Q_OBJECT
public:
    struct Content {
        QString title;
        QString value;
        QString detail;
        QString secondDetail;
        QString ghost;       ///< baseline's value; empty without one
        QString difference;  ///< with its sign
        bool better = false; ///< faster or smaller: blue; otherwise orange
        bool same = false;   ///< no difference: quiet
        QString toolTip;
    };

    enum class GhostPlace { lastLine, besideDetail };

    explicit FigureCard(const QString& name, GhostPlace place, QWidget* parent = nullptr);
    void setContent(const Content& content);
    void addBeneathValue(QWidget* widget);

    [[nodiscard]] QString valueText() const;
    [[nodiscard]] QString ghostText() const;
    [[nodiscard]] QString differenceText() const;
    [[nodiscard]] QString detailText() const;
    [[nodiscard]] QColor differenceColor() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void paintDifference();

    QVBoxLayout* column_;
    QLabel* title_;
    QLabel* difference_;
    QLabel* value_;
    ElidedLabel* ghost_;
    ElidedLabel* detail_;
    ElidedLabel* secondDetail_;
    bool better_ = false;
    bool same_ = true;
};

} // namespace deltascope::ui
