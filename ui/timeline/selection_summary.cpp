// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/selection_summary.h"

#include "base/format.h"
#include "theme/theme.h"
#include "timeline/plot_frame.h"

#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

QString className(std::size_t cls) {
    const auto name = operatorClassNames[cls];
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString count(std::int64_t number) { return QString::fromStdString(formatCount(static_cast<double>(number))); }

/// Classes by what `amount` gives, the largest first, without those that are nothing.
template <class Amount>
std::vector<std::size_t> ranked(Amount amount) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < operatorClassCount; ++i)
        if (amount(i) > 0.0) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return amount(a) > amount(b); });
    return order;
}

} // namespace

QString summaryText(const RangeSummary& summary) {
    if (summary.operators == 0) return SelectionSummary::tr("no operator");
    QStringList facts;
    if (summary.layers > 0)
        facts << (summary.layers == 1 ? SelectionSummary::tr("1 layer")
                                      : SelectionSummary::tr("%1 layers").arg(count(summary.layers)));
    facts << (summary.operators == 1 ? SelectionSummary::tr("1 operator")
                                     : SelectionSummary::tr("%1 operators").arg(count(summary.operators)));
    facts << QString::fromStdString(formatSeconds(Seconds(summary.time)));
    QStringList shares;
    for (const std::size_t cls : ranked([&](std::size_t i) { return summary.byClass[i]; })) {
        const double share = summary.byClass[cls] / summary.time;
        if (share >= 0.005) shares << className(cls) + QStringLiteral(" %1 %").arg(std::lround(100.0 * share));
    }
    facts << shares.join(QStringLiteral(", "));
    return facts.join(QStringLiteral(" · "));
}

QString differenceText(const RangeDifference& difference) {
    const auto signedTime = [](double time) { return QString::fromStdString(formatSecondsDifference(Seconds(time))); };
    QStringList parts;
    for (const std::size_t cls : ranked([&](std::size_t i) { return std::abs(difference.byClass[i]); }))
        if (parts.size() < 3) parts << className(cls) + QLatin1Char(' ') + signedTime(difference.byClass[cls]);
    QString text = SelectionSummary::tr("against A: %1").arg(signedTime(difference.total));
    if (!parts.isEmpty()) text += QStringLiteral(" · ") + parts.join(QStringLiteral(", "));
    if (difference.onlyHere > 0)
        text += SelectionSummary::tr(" · %1 operators that A has not").arg(count(difference.onlyHere));
    return text;
}

SelectionSummary::SelectionSummary(TimelineModel& model, QWidget* parent)
    : QWidget(parent), model_(model), name_(new QLabel(this)), summary_(new QLabel(this)),
      difference_(new QLabel(this)) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Summary of the selection"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    summary_->setWordWrap(true);
    for (QLabel* label : {summary_, difference_}) {
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    }
    connect(&model, &TimelineModel::dataChanged, this, &SelectionSummary::refresh);
    connect(&model, &TimelineModel::selectedRangeChanged, this, &SelectionSummary::refresh);
    connect(&model.range(), &VisibleRange::changed, this, &SelectionSummary::refresh);
    refresh();
}

QString SelectionSummary::text() const {
    return difference_->isHidden() ? summary_->text() : summary_->text() + QLatin1Char('\n') + difference_->text();
}

void SelectionSummary::refresh() {
    const bool selected = model_.selectedRange().has_value();
    const TimeSpan range = selected ? *model_.selectedRange() : TimeSpan{model_.range().from(), model_.range().to()};
    name_->setText(selected ? tr("selection") : tr("on screen"));
    summary_->setText(summaryText(summarise(model_.data(), range)));
    const bool compared = model_.baseline() != nullptr;
    if (compared) {
        difference_->setText(differenceText(differenceIn(model_.data(), model_.baselineTimes(), range)));
        difference_->setToolTip(difference_->text());
    }
    if (difference_->isHidden() == compared) {
        difference_->setVisible(compared);
        arrange();
    }
}

void SelectionSummary::arrange() {
    QFont bold = font();
    bold.setBold(true);
    name_->setFont(bold);
    QPalette muted = difference_->palette();
    muted.setColor(QPalette::WindowText, theme().mutedText);
    difference_->setPalette(muted);
    // Always as high as the text can become, so that nothing jumps while a range is dragged.
    const int line = static_cast<int>(std::ceil(lineHeight(*this)));
    const PlotFrame frame = plotFrame(*this);
    const int left = static_cast<int>(frame.left);
    const int width = static_cast<int>(frame.width);
    name_->setGeometry(12, 5, left - 14, line);
    summary_->setGeometry(left, 5, width, 2 * line + 1);
    difference_->setGeometry(left, 5 + 2 * line + 2, width, line + 1);
    setFixedHeight(difference_->isHidden() ? 2 * line + 10 : 3 * line + 12);
}

void SelectionSummary::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    painter.fillRect(QRectF(0.0, 0.0, width(), 1.0 / devicePixelRatioF()), theme().border);
}

void SelectionSummary::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void SelectionSummary::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) arrange();
}

} // namespace deltascope::ui
