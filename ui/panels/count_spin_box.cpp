// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/count_spin_box.h"

#include <QRegularExpression>
#include <QWheelEvent>

#include <optional>

namespace deltascope::ui {
namespace {

constexpr int most = 999'999'999; // far over every limit: what is too large is refused in words, not by the keyboard

std::optional<int> parse(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^\\s*([0-9][0-9, ]*)\\s*([kKmM]?)\\s*$"));
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch()) return std::nullopt;
    QString digits = match.captured(1);
    digits.remove(QLatin1Char(',')).remove(QLatin1Char(' '));
    bool ok = false;
    qlonglong value = digits.toLongLong(&ok);
    if (!ok || value > most) return std::nullopt;
    const QString suffix = match.captured(2).toLower();
    if (suffix == QLatin1String("k")) value *= 1024;
    if (suffix == QLatin1String("m")) value *= 1024 * 1024;
    if (value > most) return std::nullopt;
    return static_cast<int>(value);
}

} // namespace

CountSpinBox::CountSpinBox(QWidget* parent) : QSpinBox(parent) {
    setLocale(QLocale(QLocale::English, QLocale::UnitedStates)); // the separator of every other figure on screen
    setGroupSeparatorShown(true);
    setRange(0, most);
    setKeyboardTracking(false);
    setButtonSymbols(QAbstractSpinBox::NoButtons);
    setAlignment(Qt::AlignRight);
    setFocusPolicy(Qt::StrongFocus);
}

void CountSpinBox::stepBy(int steps) { setValue(static_cast<int>(scale_.step(value(), steps))); }

QSize CountSpinBox::sizeHint() const {
    return {fontMetrics().horizontalAdvance(QStringLiteral("1,010,000")) + 18, QSpinBox::sizeHint().height()};
}

QValidator::State CountSpinBox::validate(QString& text, int&) const {
    if (parse(text)) return QValidator::Acceptable;
    static const QRegularExpression unfinished(QStringLiteral("^\\s*[0-9, ]{0,15}\\s*$"));
    return unfinished.match(text).hasMatch() ? QValidator::Intermediate : QValidator::Invalid;
}

int CountSpinBox::valueFromText(const QString& text) const { return parse(text).value_or(value()); }

void CountSpinBox::wheelEvent(QWheelEvent* event) {
    if (hasFocus())
        QSpinBox::wheelEvent(event);
    else
        event->ignore();
}

} // namespace deltascope::ui
