// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/axis_ticks.h"

namespace deltascope::ui {
namespace {

void showTicks(QCPAxis* axis, double from, double to, const std::vector<std::pair<double, QString>>& ticks) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
    for (const auto& [value, text] : ticks) ticker->addTick(value, text);
    axis->setTicker(ticker);
    axis->setSubTicks(false);
    axis->setTickLength(0, 3);
    axis->setRange(from, to);
}

} // namespace

void showContexts(QCPAxis* axis) {
    std::vector<std::pair<double, QString>> ticks;
    for (const int thousands : {1, 4, 16, 64, 256})
        ticks.emplace_back(thousands * 1024.0, QStringLiteral("%1k").arg(thousands));
    ticks.emplace_back(1'010'000.0, QStringLiteral("1.01M"));
    showTicks(axis, 880.0, 1'200'000.0, ticks);
}

void showRequests(QCPAxis* axis) {
    std::vector<std::pair<double, QString>> ticks;
    for (const int n : {1, 4, 16, 64, 256, 1024, 4096}) ticks.emplace_back(n, QString::number(n));
    showTicks(axis, 0.8, 5000.0, ticks);
}

} // namespace deltascope::ui
