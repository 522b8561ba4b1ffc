// SPDX-License-Identifier: GPL-3.0-or-later
// A bar of parts that make up a whole, labelled where there is room; the baseline's parts as a thin strip beneath.
#pragma once

#include <QColor>
#include <QWidget>

#include <vector>

namespace deltascope::ui {

class ShareBar : public QWidget {
    Q_OBJECT
public:
    struct Piece {
        QString label; ///< written into the piece with its percentage, if it fits
        double value = 0.0;
        QColor color;
        QString toolTip;
        bool isRest = false; ///< drawn quietly: what is free
    };
    struct Box {
        QRectF rect;
        std::size_t piece;
    };

    explicit ShareBar(int height, QWidget* parent = nullptr);
    /// `percent`: pieces are labelled "compute 53" as well.
    void setPieces(std::vector<Piece> pieces, bool percent);
    void setGhost(std::vector<Piece> pieces); ///< empty: none
    [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
    /// Where the pieces stand; every piece that is not zero is at least a pixel wide.
    [[nodiscard]] static std::vector<Box> layOut(const std::vector<Piece>& pieces, const QRectF& bar);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF barRect() const;

    int height_;
    bool percent_ = false;
    std::vector<Piece> pieces_;
    std::vector<Piece> ghost_;
};

} // namespace deltascope::ui
