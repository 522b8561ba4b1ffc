// SPDX-License-Identifier: GPL-3.0-or-later
// Fusion with thin scroll bars: panels and tables are dense.
#pragma once

#include <QProxyStyle>

namespace deltascope::ui {

class Style : public QProxyStyle {
    Q_OBJECT
public:
    Style();

    int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                         const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const override;
    using QProxyStyle::polish;
    void polish(QWidget* widget) override;
};

} // namespace deltascope::ui
