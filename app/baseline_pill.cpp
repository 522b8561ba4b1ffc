// SPDX-License-Identifier: GPL-3.0-or-later
#include "baseline_pill.h"

#include "panels/look.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QPainter>

namespace deltascope::ui {

BaselinePill::BaselinePill(Workbench& workbench, QWidget* parent) : QToolButton(parent), workbench_(workbench) {
    setPopupMode(QToolButton::InstantPopup);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFocusPolicy(Qt::TabFocus);
    connect(&workbench_, &Workbench::baselineChanged, this, &BaselinePill::refresh);
    connect(&workbench_, &Workbench::scenarioChanged, this, &BaselinePill::refresh);
    refresh();
}

void BaselinePill::refresh() {
    if (workbench_.baseline() == nullptr) {
        full_ = tr("no baseline: B pins what is on screen");
        setToolTip(tr("A pinned baseline shows as a ghost in every view, with the difference"));
    } else {
        const Scenario& a = workbench_.baseline()->scenario.scenario;
        const Scenario& b = workbench_.simulation()->scenario.scenario;
        const QStringList changed = differences(a, b);
        full_ = changed.isEmpty() ? tr("baseline: %1").arg(shortLabel(a)) : changed.join(QStringLiteral(" · "));
        setToolTip(tr("Baseline A: %1\nOn screen B: %2")
                       .arg(scenarioInWords(*workbench_.baseline()), scenarioInWords(*workbench_.simulation())));
    }
    setAccessibleName(tr("Baseline: %1").arg(full_));
    update();
}

QSize BaselinePill::sizeHint() const { return {320, fontMetrics().height() + 11}; }
QSize BaselinePill::minimumSizeHint() const { return {150, sizeHint().height()}; }

void BaselinePill::paintEvent(QPaintEvent*) {
    const Theme& t = theme();
    const bool pinned = workbench_.baseline() != nullptr;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor fill = pinned ? t.accent : t.ghost;
    fill.setAlphaF(underMouse() ? 0.2F : 0.12F);
    painter.setBrush(fill);
    painter.setPen(QPen(pinned || hasFocus() ? t.accent : t.border, hasFocus() ? 2.0 : 1.0));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.0, 1.0, -1.0, -1.0), 5.0, 5.0);
    int x = 10;
    if (pinned) {
        painter.setFont(scaledFont(1.0, QFont::Bold));
        painter.setPen(t.accent);
        painter.drawText(QRect(x, 0, 20, height()), Qt::AlignVCenter | Qt::AlignLeft, QStringLiteral("A"));
        x += 20;
    }
    painter.setFont(scaledFont(1.0));
    painter.setPen(pinned ? t.text : t.mutedText);
    painter.drawText(QRect(x, 0, width() - x - 8, height()), Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(full_, Qt::ElideRight, width() - x - 10));
}

} // namespace deltascope::ui
