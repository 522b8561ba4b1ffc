// SPDX-License-Identifier: GPL-3.0-or-later
// What would free memory, as buttons in as many lines as they need: each says what it sets and how many bytes it frees.
#pragma once

#include "explore/remedies.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;

namespace deltascope::ui {

class RemedyBar : public QWidget {
    Q_OBJECT
public:
    explicit RemedyBar(QWidget* parent = nullptr);

    void setRemedies(Remedies remedies);
    [[nodiscard]] const Remedies& remedies() const { return remedies_; }
    /// Those of remedies().single, then the combination when there is one that is enough.
    [[nodiscard]] std::vector<QPushButton*> shownButtons() const;

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    /// The scenario to set, and what to call the edit.
    void chosen(const Scenario& scenario, const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QPushButton* button(std::size_t index);
    template <class Place>
    int layOut(int width, Place place) const; ///< place(widget, rectangle) -> height

    Remedies remedies_;
    QLabel *caption_, *statement_;
    std::vector<QPushButton*> buttons_; ///< reused; the surplus is hidden
    std::size_t shown_ = 0;
    int height_ = 0; ///< that the layout was told
};

/// "KV cache int8", "TP 4", "23 requests".
[[nodiscard]] QString titleOf(const Remedy& remedy);
/// "Fits: 48.8 GiB free of 64.0 GiB (76.3 %)", "Tight: only ...", "Does not fit: 3.1 GiB over the limit of 64.0 GiB".
[[nodiscard]] QString verdictText(const FitVerdict& verdict);

} // namespace deltascope::ui
