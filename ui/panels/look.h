// SPDX-License-Identifier: GPL-3.0-or-later
// Small pieces the panels are made of: type sizes, cards, captions, labels that elide.
#pragma once

#include <QFont>
#include <QFrame>
#include <QLabel>

namespace deltascope::ui {

/// The application's font, larger or smaller.
[[nodiscard]] QFont scaledFont(double factor, QFont::Weight weight = QFont::Normal);

/// A rounded panel with a thin border, in the theme's colours.
class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// One line that ends in "…" where it does not fit; the whole text is then its tooltip.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    void setFullText(const QString& text);
    [[nodiscard]] const QString& fullText() const { return full_; }
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void elide();
    QString full_;
};

/// "MODEL AND HARDWARE": the heading of a group of controls or facts.
[[nodiscard]] QLabel* makeCaption(const QString& text, QWidget* parent = nullptr);
/// Small and quiet.
[[nodiscard]] QLabel* makeNote(QWidget* parent = nullptr);

/// A rounded tag.
class Chip : public QLabel {
    Q_OBJECT
public:
    explicit Chip(QWidget* parent = nullptr);
    enum class Tone { neutral, good, attention };
    void setContent(const QString& text, Tone tone, const QString& toolTip = {});
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Tone tone_ = Tone::neutral;
};

/// Entry fields, flat with rounded corners, in the theme's colours: a style sheet for a panel.
[[nodiscard]] QString fieldStyleSheet();

/// Draws the children of a widget paler while the scenario on screen has no result of its own.
void setDimmed(QWidget* widget, bool dimmed);
[[nodiscard]] bool isDimmed(const QWidget* widget);

} // namespace deltascope::ui
