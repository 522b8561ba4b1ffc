// SPDX-License-Identifier: GPL-3.0-or-later
// A line of coloured chips with their names. A widget of its own, so that it is not painted again with each move.
#pragma once

#include <QColor>
#include <QWidget>

#include <vector>

namespace deltascope::ui {

class ColorLegend : public QWidget {
    Q_OBJECT
public:
    struct Entry {
        QString text;
        QColor color;
        Qt::BrushStyle pattern = Qt::SolidPattern;
        bool outline = false; ///< a dashed frame instead of a filled chip
        bool operator==(const Entry&) const = default;
    };

    explicit ColorLegend(QWidget* parent = nullptr);

    void setEntries(std::vector<Entry> entries);
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    template <class Visit>
    int layOut(int width, Visit visit) const; ///< visit(entry, top left) -> height

    std::vector<Entry> entries_;
};

/// Lays `pattern` over a filled rectangle in a colour that shows on it.
void fillPatterned(QPainter& painter, const QRectF& rect, const QColor& color, Qt::BrushStyle pattern);

} // namespace deltascope::ui
