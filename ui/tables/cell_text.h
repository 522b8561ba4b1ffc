// SPDX-License-Identifier: GPL-3.0-or-later
// What the cells and headers of all tables are painted with: text whose glyphs are laid out once, a quiet ground for
// selected rows, a flat header. A fraction of the cost of a style's item painting.
#pragma once

#include <QFont>
#include <QHash>
#include <QHeaderView>
#include <QStaticText>

namespace deltascope::ui {

inline constexpr int cellPadding = 6;

class CellText {
public:
    /// One line in the painter's font and pen, elided where it does not fit.
    void draw(QPainter& painter, const QRect& rect, const QString& text, bool right) const;

private:
    mutable QHash<QString, QStaticText> laidOut_; ///< most texts come again and again
    mutable QFont font_;
};

void paintSelectedGround(QPainter& painter, const QStyleOptionViewItem& option);
[[nodiscard]] int cellHeight(const QFontMetrics& metrics);

class FlatHeader : public QHeaderView {
    Q_OBJECT
public:
    explicit FlatHeader(QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    void paintEvent(QPaintEvent* event) override;
    [[nodiscard]] QSize sectionSizeFromContents(int section) const override;
};

} // namespace deltascope::ui
