// SPDX-License-Identifier: GPL-3.0-or-later
// Facts, formulas and sentences under captions, painted directly: it follows a slider, where rich-text labels take
// longer than the whole simulation. Rows are selected with mouse or keyboard and copied.
#pragma once

#include <QColor>
#include <QWidget>

#include <vector>

namespace deltascope::ui {

struct SheetRow {
    enum class Kind { caption, fact, sentence, formula };
    Kind kind = Kind::fact;
    QString label;  ///< of a fact; the text of the others
    QString value;  ///< of a fact: at the right, never broken
    QColor color;   ///< of the value; the theme's when invalid
    QColor swatch;  ///< a square before the label; none when invalid
    int indent = 0; ///< steps to the right
    bool operator==(const SheetRow&) const = default;
};

class FactSheet : public QWidget {
    Q_OBJECT
public:
    explicit FactSheet(QWidget* parent = nullptr);
    void setRows(std::vector<SheetRow> rows);
    [[nodiscard]] const std::vector<SheetRow>& rows() const { return rows_; }
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] QString selectedText() const;

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {60, 0}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Laid {
        QStringList lines; ///< of the label, broken to the width
        int top = 0;
        int height = 0;
    };

    void layOut(int width) const;
    void layOut(const SheetRow& row, Laid& laid, int width) const;
    void paintRow(QPainter& painter, std::size_t row) const;
    [[nodiscard]] int rowAt(int y) const;
    [[nodiscard]] bool isSelected(std::size_t row) const;
    void selectRows(int anchor, int end);
    [[nodiscard]] QString textOf(std::size_t row) const;
    void copy() const;

    std::vector<SheetRow> rows_;
    mutable std::vector<Laid> laid_;
    mutable int laidWidth_ = -1;
    mutable int height_ = 0;
    int anchor_ = -1; ///< first and last selected row, in either order; -1: none
    int end_ = -1;
};

/// Breaks `text` at blanks, and inside of words where they leave no other way.
[[nodiscard]] QStringList brokenLines(const QString& text, const QFontMetrics& metrics, int width);

} // namespace deltascope::ui
