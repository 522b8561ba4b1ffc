// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/legend.h"

#include "timeline/painter.h"
#include "timeline/plot_frame.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr int swatchSize = 12;
constexpr int gap = 6;
constexpr int sampleWidth = 22;

QString nameOfClass(OperatorClass cls) {
    const auto name = nameOf(cls);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString nameOfBound(Bound bound) {
    switch (bound) {
    case Bound::memory: return Legend::tr("memory bound");
    case Bound::vector: return Legend::tr("vector bound");
    case Bound::launch: return Legend::tr("launch bound");
    case Bound::matrix: return Legend::tr("matrix bound");
    case Bound::communication:
    case Bound::none: break;
    }
    return {};
}

QIcon swatch(const QColor& color, double ratio) {
    QPixmap pixmap(QSize(swatchSize, swatchSize) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(QRectF(0.0, 0.0, swatchSize, swatchSize), 2.0, 2.0);
    return QIcon(pixmap);
}

} // namespace

Legend::Legend(TimelineModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Operator classes"));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    for (std::size_t i = 0; i < operatorClassCount; ++i) {
        const auto cls = static_cast<OperatorClass>(i);
        auto* button = new QToolButton(this);
        button->setText(QLatin1Char(' ') + nameOfClass(cls)); // the style leaves no gap beside the icon
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIconSize({swatchSize, swatchSize});
        button->setAutoRaise(true);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::TabFocus);
        button->setAccessibleName(tr("Single out %1").arg(nameOfClass(cls)));
        button->setToolTip(tr("Show only %1; once more for all").arg(nameOfClass(cls)));
        connect(button, &QToolButton::clicked, this,
                [this, cls](bool checked) { model_.setOnly(checked ? std::optional(cls) : std::nullopt); });
        buttons_[i] = button;
    }
    connect(&model, &TimelineModel::dataChanged, this, &Legend::refresh);
    connect(&model, &TimelineModel::onlyChanged, this, [this] {
        for (std::size_t i = 0; i < operatorClassCount; ++i)
            buttons_[i]->setChecked(model_.only() == static_cast<OperatorClass>(i));
    });
    recolor();
    refresh();
}

void Legend::recolor() {
    for (std::size_t i = 0; i < operatorClassCount; ++i)
        buttons_[i]->setIcon(swatch(theme().classColor(static_cast<OperatorClass>(i)), devicePixelRatioF()));
    update();
}

void Legend::refresh() {
    std::array<bool, operatorClassCount> occurs{};
    std::array<bool, 6> bound{};
    for (const TimelineSpan& span : model_.data().operators.spans()) {
        occurs[static_cast<std::size_t>(span.cls)] = true;
        bound[static_cast<std::size_t>(span.bound)] = true;
    }
    std::vector<Bound> bounds;
    for (const Bound candidate : {Bound::matrix, Bound::memory, Bound::vector, Bound::launch})
        if (bound[static_cast<std::size_t>(candidate)]) bounds.push_back(candidate);
    bool changed = bounds != bounds_;
    bounds_ = bounds;
    for (std::size_t i = 0; i < operatorClassCount; ++i) {
        changed = changed || buttons_[i]->isHidden() == occurs[i];
        buttons_[i]->setVisible(occurs[i]);
    }
    if (!changed) return;
    arrange();
    updateGeometry();
}

std::vector<QRect> Legend::places(int width) const {
    const int left = static_cast<int>(plotFrame(*this).left) - 4;
    const int row = static_cast<int>(std::ceil(lineHeight(*this))) + 6;
    const int right = std::max(width - 6, left + 100);
    std::vector<QRect> result;
    int x = left;
    int y = 3;
    const auto place = [&](int itemWidth) {
        if (x > left && x + itemWidth > right) {
            x = left;
            y += row;
        }
        result.emplace_back(x, y, itemWidth, row);
        x += itemWidth + gap;
    };
    for (const QToolButton* button : buttons_)
        if (!button->isHidden()) place(button->sizeHint().width());
    const QFontMetricsF metrics(font());
    for (const Bound bound : bounds_)
        place(sampleWidth + static_cast<int>(std::ceil(metrics.horizontalAdvance(nameOfBound(bound)))) + 14);
    return result;
}

void Legend::arrange() {
    const std::vector<QRect> rects = places(width());
    std::size_t next = 0;
    for (QToolButton* button : buttons_)
        if (!button->isHidden()) button->setGeometry(rects[next++]);
    samples_.clear();
    for (const Bound bound : bounds_) samples_.push_back({bound, rects[next++]});
    update();
}

int Legend::heightForWidth(int width) const {
    const std::vector<QRect> rects = places(width);
    return (rects.empty() ? 0 : rects.back().bottom()) + 4;
}

void Legend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void Legend::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) recolor();
    if (event->type() == QEvent::FontChange) {
        arrange();
        updateGeometry();
    }
}

void Legend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.panel);
    const QColor ground = mix(t.panel, t.text, 0.55);
    for (const Sample& sample : samples_) {
        const QRectF box(sample.place.left() + 4.0, sample.place.center().y() - 5.0, sampleWidth, 12.0);
        painter.fillRect(box, ground);
        std::vector<QLineF> lines;
        appendHatch(lines, box, sample.bound);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(mix(ground, t.panel, 0.6), 1.0));
        painter.drawLines(lines.data(), static_cast<int>(lines.size()));
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(t.mutedText);
        painter.drawText(
            QRectF(box.right() + 6.0, sample.place.top(), sample.place.right() - box.right(), sample.place.height()),
            Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, nameOfBound(sample.bound));
    }
}

} // namespace deltascope::ui
