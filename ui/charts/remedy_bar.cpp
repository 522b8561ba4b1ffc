// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/remedy_bar.h"

#include "base/format.h"
#include "panels/text.h"
#include "scenario/fields.h"

#include <QLabel>
#include <QPushButton>

#include <cmath>
#include <utility>

namespace deltascope::ui {
namespace {

constexpr int margin = 8, gap = 6;

QString bytesText(Bytes bytes) { return QString::fromStdString(formatBytes(Bytes(std::abs(bytes.value())))); }

/// "1,010,000" of a number, the words of another value.
QString valueText(const FieldChange& change, const std::string& value) {
    const ScenarioField* field = findScenarioField(change.field);
    const bool number = field != nullptr && field->kind == ScenarioField::Kind::whole;
    return number ? countText(std::stoll(value)) : toQString(value);
}

QString schemeText(const std::string& name) {
    const auto scheme = schemeFromName(name);
    return toQString(scheme ? factsOf(*scheme).label : std::string_view(name));
}

QString tooltipOf(const std::vector<Remedy>& steps, Bytes freed) {
    QStringList lines;
    for (const Remedy& step : steps)
        for (const FieldChange& change : step.changes)
            lines << RemedyBar::tr("sets %1: %2 → %3")
                         .arg(toQString(change.field), valueText(change, change.before),
                              valueText(change, change.after));
    lines << RemedyBar::tr("frees %1 on each rank").arg(bytesText(freed));
    lines << verdictText(steps.back().after);
    return lines.join(QLatin1Char('\n'));
}

} // namespace

QString titleOf(const Remedy& remedy) {
    const FieldChange& change = remedy.changes.front();
    switch (remedy.kind) {
    case RemedyKind::kvCache: return RemedyBar::tr("KV cache %1").arg(toQString(change.after));
    case RemedyKind::expertWeights: return RemedyBar::tr("experts %1").arg(schemeText(change.after));
    case RemedyKind::weights: return RemedyBar::tr("weights %1").arg(schemeText(change.after));
    case RemedyKind::tensorParallel: return RemedyBar::tr("TP %1").arg(valueText(change, change.after));
    case RemedyKind::fewerRequests:
        return change.after == "1" ? RemedyBar::tr("1 request")
                                   : RemedyBar::tr("%1 requests").arg(valueText(change, change.after));
    case RemedyKind::shorterContext: return RemedyBar::tr("context %1").arg(valueText(change, change.after));
    }
    return {};
}

QString verdictText(const FitVerdict& verdict) {
    const QString limit = bytesText(verdict.limit), free = bytesText(verdict.free());
    const double part = verdict.limit.value() > 0.0 ? verdict.free() / verdict.limit : 0.0;
    const QString share = QString::fromStdString(formatShare(std::abs(part)));
    switch (verdict.fit) {
    case Fit::fits: return RemedyBar::tr("Fits: %1 free of %2 (%3)").arg(free, limit, share);
    case Fit::tight: return RemedyBar::tr("Tight: only %1 free of %2 (%3)").arg(free, limit, share);
    case Fit::doesNotFit: break;
    }
    return RemedyBar::tr("Does not fit: %1 over the limit of %2").arg(free, limit);
}

RemedyBar::RemedyBar(QWidget* parent) : QWidget(parent), caption_(new QLabel(this)), statement_(new QLabel(this)) {
    setObjectName("remedyBar");
    setAccessibleName(tr("What would free memory"));
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    statement_->setObjectName("remedyStatement");
}

QPushButton* RemedyBar::button(std::size_t index) {
    while (buttons_.size() <= index) {
        auto* made = new QPushButton(this);
        made->setObjectName(QStringLiteral("remedy%1").arg(buttons_.size()));
        const std::size_t which = buttons_.size();
        connect(made, &QPushButton::clicked, this, [this, which] {
            const bool combined = which >= remedies_.single.size();
            const Remedy& remedy = combined ? remedies_.combined.back() : remedies_.single[which];
            // The edit makes other remedies: what is sent must not go with these.
            const Scenario scenario = remedy.scenario;
            const QString text = combined ? tr("Make it fit") : titleOf(remedy);
            emit chosen(scenario, text);
        });
        buttons_.push_back(made);
    }
    return buttons_[index];
}

void RemedyBar::setRemedies(Remedies remedies) {
    remedies_ = std::move(remedies);
    const bool amiss = remedies_.present != Fit::fits;
    std::size_t used = 0;
    const auto show = [&](const QString& title, const std::vector<Remedy>& steps, Bytes freed) {
        QString text = tr("%1  −%2").arg(title, bytesText(freed));
        const Fit then = steps.back().after.fit; // what is not enough says so in the tooltip
        if (amiss && then != Fit::doesNotFit) text += then == Fit::fits ? tr(" · fits") : tr(" · tight");
        QPushButton* shown = button(used++);
        const QString tip = tooltipOf(steps, freed);
        if (shown->text() != text) shown->setText(text);
        if (shown->toolTip() != tip) {
            shown->setToolTip(tip);
            shown->setAccessibleName(tr("%1, frees %2").arg(title, bytesText(freed)));
            shown->setAccessibleDescription(tip);
        }
        shown->setVisible(true);
    };
    for (const Remedy& remedy : remedies_.single) show(titleOf(remedy), {remedy}, remedy.freed);
    if (remedies_.combinedIsEnough) {
        QStringList titles;
        Bytes freed;
        for (const Remedy& step : remedies_.combined) {
            // Weights of all say what was said of the experts.
            if (step.kind == RemedyKind::weights && !titles.isEmpty())
                titles.removeIf([](const QString& title) { return title.startsWith(tr("experts %1").arg(QString())); });
            titles << titleOf(step);
            freed += step.freed;
        }
        show(titles.join(QStringLiteral(" + ")), remedies_.combined, freed);
    }
    for (std::size_t i = used; i < buttons_.size(); ++i) buttons_[i]->setVisible(false);
    shown_ = used;
    caption_->setText(amiss ? tr("Remedies") : tr("Would free"));
    const bool nothing = amiss && !remedies_.singleIsEnough && !remedies_.combinedIsEnough;
    statement_->setText(remedies_.present == Fit::tight ? tr("All of these together leave it tight.")
                                                        : tr("All of these together do not make it fit."));
    statement_->setVisible(nothing);
    setVisible(used > 0 || nothing);
    const int needed = layOut(width(), [](QWidget* widget, const QRect& rect) { widget->setGeometry(rect); });
    if (std::exchange(height_, needed) != needed) updateGeometry();
}

std::vector<QPushButton*> RemedyBar::shownButtons() const {
    return {buttons_.begin(), buttons_.begin() + static_cast<std::ptrdiff_t>(shown_)};
}

template <class Place>
int RemedyBar::layOut(int width, Place place) const {
    int x = margin, y = 4, line = 0;
    const auto add = [&](QWidget* widget) {
        QSize size = widget->sizeHint();
        if (!buttons_.empty()) size.setHeight(std::max(size.height(), buttons_.front()->sizeHint().height()));
        const int w = std::min(size.width(), width - 2 * margin);
        if (x > margin && x + w > width - margin) {
            x = margin;
            y += line + gap;
            line = 0;
        }
        place(widget, QRect(x, y, w, size.height()));
        x += w + gap;
        line = std::max(line, size.height());
    };
    add(caption_);
    for (std::size_t i = 0; i < shown_; ++i) add(buttons_[i]);
    if (!statement_->isHidden()) add(statement_);
    return y + line + 4;
}

int RemedyBar::heightForWidth(int width) const {
    return layOut(width, [](QWidget*, const QRect&) {});
}
QSize RemedyBar::sizeHint() const { return {400, heightForWidth(std::max(width(), 320))}; }
QSize RemedyBar::minimumSizeHint() const { return {240, sizeHint().height()}; }

void RemedyBar::resizeEvent(QResizeEvent*) {
    layOut(width(), [](QWidget* widget, const QRect& rect) { widget->setGeometry(rect); });
}

} // namespace deltascope::ui
