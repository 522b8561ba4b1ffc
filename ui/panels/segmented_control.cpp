// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/segmented_control.h"

#include "panels/look.h"
#include "theme/theme.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>

namespace deltascope::ui {
namespace {

class Segment : public QAbstractButton {
public:
    Segment(const QString& label, bool first, bool last, QWidget* parent)
        : QAbstractButton(parent), first_(first), last_(last) {
        setText(label);
        setAccessibleName(label);
        setCheckable(true);
        setFocusPolicy(Qt::StrongFocus);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    [[nodiscard]] QSize sizeHint() const override {
        const QFontMetrics metrics(scaledFont(1.0, QFont::DemiBold));
        return {metrics.horizontalAdvance(text()) + 20, metrics.height() + 9};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& t = theme();
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        // The box goes on past the inner edges, where only a straight line is to be seen.
        const QRectF box = QRectF(rect()).adjusted(first_ ? 0.5 : -8.0, 0.5, last_ ? -0.5 : 8.0, -0.5);
        painter.setPen(QPen(isEnabled() ? t.accent : t.border, 1.0));
        QColor fill = t.panel;
        if (isChecked())
            fill = isEnabled() ? t.accent : t.border;
        else if (underMouse())
            fill = t.grid;
        painter.setBrush(fill);
        painter.drawRoundedRect(box, 5.0, 5.0);
        if (!first_) painter.drawLine(QPointF(0.5, 1.0), QPointF(0.5, height() - 1.0));
        painter.setFont(scaledFont(1.0, isChecked() ? QFont::DemiBold : QFont::Normal));
        painter.setPen(!isEnabled() ? t.mutedText : isChecked() ? t.accentText : t.text);
        painter.drawText(rect(), Qt::AlignCenter, text());
        if (hasFocus()) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(isChecked() ? t.accentText : t.accent, 1.5));
            painter.drawRoundedRect(QRectF(rect()).adjusted(3.0, 3.0, -3.0, -3.0), 3.0, 3.0);
        }
    }
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
            click();
        else
            QAbstractButton::keyPressEvent(event);
    }

private:
    bool first_, last_;
};

} // namespace

SegmentedControl::SegmentedControl(const QStringList& labels, QWidget* parent)
    : QWidget(parent), group_(new QButtonGroup(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (qsizetype i = 0; i < labels.size(); ++i) {
        auto* segment = new Segment(labels[i], i == 0, i + 1 == labels.size(), this);
        group_->addButton(segment, static_cast<int>(i));
        row->addWidget(segment);
    }
    group_->setExclusive(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(group_, &QButtonGroup::idToggled, this, [this](int index, bool on) {
        if (on) emit chosen(index);
    });
}

void SegmentedControl::setCurrent(int index) {
    if (current() == index) return;
    const QSignalBlocker quiet(group_);
    if (QAbstractButton* segment = group_->button(index)) segment->setChecked(true);
}

int SegmentedControl::current() const { return group_->checkedId(); }

void SegmentedControl::setSegmentToolTip(int index, const QString& text) {
    if (QAbstractButton* segment = group_->button(index)) segment->setToolTip(text);
}

} // namespace deltascope::ui
