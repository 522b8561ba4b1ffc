// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/memory_chart.h"

#include "base/format.h"
#include "charts/color_legend.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr int labelGap = 18;
constexpr double widestBar = 96.0;
constexpr double tickLabelRoom = 60.0; ///< left of the middle of a bar

/// In the axis' unit.
QString valueText(Bytes bytes) {
    const double value = bytes.value() / gib;
    return value < 0.005 ? QStringLiteral("<0.01") : QString::number(value, 'f', value < 99.995 ? 2 : 0);
}
QString bytesText(Bytes bytes) { return QString::fromStdString(formatBytes(bytes)); }

/// Width of a stack's cell: the device has no names beside it.
double cellOf(const MemoryStack& stack) { return stack.role == StackRole::device ? 0.6 : 1.0; }

} // namespace

QString titleOf(const MemoryStack& stack) {
    if (stack.role == StackRole::current) return MemoryChart::tr("needed");
    if (stack.role == StackRole::engine) return MemoryChart::tr("engine");
    if (stack.role == StackRole::device) return MemoryChart::tr("device");
    if (stack.role == StackRole::baseline) return MemoryChart::tr("baseline");
    return stack.linearLayers > 0 ? MemoryChart::tr("hybrid") : MemoryChart::tr("all full attention");
}

MemoryChart::MemoryChart(QWidget* parent) : ChartPlot(parent) {
    setObjectName("memoryChart");
    setMinimumSize(320, 180);
    setFocusPolicy(Qt::NoFocus);
    xAxis->setTickLength(0, 0);
    xAxis->setSubTicks(false);
    xAxis->grid()->setVisible(false);
    yAxis->setSubTicks(false);
    yAxis->setTickLength(0, 3);
    yAxis->setLabel(tr("GiB per rank"));
    // The limit is named beyond the right edge, where no bar and no label is.
    yAxis2->setVisible(true);
    yAxis2->setTickLength(0, 0);
    yAxis2->setSubTicks(false);
    yAxis2->setTicker(QSharedPointer<QCPAxisTickerText>(new QCPAxisTickerText));
    addLayer("over", layer("main"), QCustomPlot::limAbove);
    new ChartPainter(this, "grid", [this](QCPPainter& painter) { paintUnder(painter); });
    new ChartPainter(this, "over", [this](QCPPainter& painter) { paintOver(painter); });
    connect(this, &QCustomPlot::afterLayout, this, &MemoryChart::updateCells);
    connect(this, &ChartPlot::left, this, [this] {
        if (!hovered_) return;
        hovered_.reset();
        emit pieceHovered(-1, -1, {});
        update();
    });
    restyle();
}

double MemoryChart::pixelOf(Bytes bytes) const { return yAxis->coordToPixel(bytes.value() / gib); }

/// Weight groups of all stacks in order of appearance, then caches, states and activations.
void MemoryChart::collectNames() {
    std::vector<std::string> names;
    for (const MemoryUse use : memoryUses)
        for (const MemoryStack& stack : stacks_)
            for (const MemoryPiece& piece : stack.pieces)
                if (piece.use == use && std::find(names.begin(), names.end(), piece.name) == names.end())
                    names.push_back(piece.name);
    if (names == names_) return;
    names_ = std::move(names);
    while (bars_.size() < names_.size()) {
        auto* bars = new QCPBars(xAxis, yAxis);
        bars->setAntialiased(false);
        bars->setStackingGap(0);
        if (!bars_.empty()) bars->moveAbove(bars_.back());
        bars_.push_back(bars);
    }
    for (std::size_t i = 0; i < bars_.size(); ++i) {
        bars_[i]->setVisible(i < names_.size());
        bars_[i]->setName(i < names_.size() ? toQString(names_[i]) : QString());
        if (i >= names_.size()) bars_[i]->data()->clear();
    }
    restyle();
}

void MemoryChart::setStacks(std::vector<MemoryStack> stacks) {
    const auto columns = stacks.size();
    bool titlesStay = columns == stacks_.size();
    for (std::size_t i = 0; titlesStay && i < columns; ++i)
        titlesStay = stacks[i].role == stacks_[i].role && stacks[i].linearLayers == stacks_[i].linearLayers &&
                     stacks[i].fullLayers == stacks_[i].fullLayers &&
                     (stacks[i].role != StackRole::device || stacks[i].total == stacks_[i].total);
    stacks_ = std::move(stacks);
    collectNames();

    keys_.resize(static_cast<qsizetype>(columns));
    double start = 0.0;
    for (std::size_t i = 0; i < columns; ++i) {
        keys_[static_cast<qsizetype>(i)] = start;
        start += cellOf(stacks_[i]);
    }
    cells_ = start;
    QVector<double> values(keys_.size());
    for (std::size_t n = 0; n < names_.size(); ++n) {
        for (std::size_t i = 0; i < columns; ++i)
            values[static_cast<qsizetype>(i)] = stacks_[i].bytesOf(names_[n]).value() / gib;
        bars_[n]->setData(keys_, values, true);
    }
    if (!titlesStay) {
        QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
        for (std::size_t i = 0; i < columns; ++i) {
            const MemoryStack& stack = stacks_[i];
            QString layers = stack.role == StackRole::device   ? bytesText(stack.total)
                             : stack.role == StackRole::engine ? tr("sets aside")
                             : stack.linearLayers > 0 && stack.fullLayers > 0
                                 ? tr("%1 linear + %2 full").arg(stack.linearLayers).arg(stack.fullLayers)
                             : stack.linearLayers > 0 ? tr("%1 linear").arg(stack.linearLayers)
                                                      : tr("%1 full").arg(stack.fullLayers);
            if (stack.approximate) layers += tr(", cache only");
            ticker->addTick(keys_[static_cast<qsizetype>(i)], titleOf(stack) + '\n' + layers);
        }
        xAxis->setTicker(ticker);
    }
    updateRange();
}

/// Bars keep a sensible width and labels the rest of each cell, whatever the width of the chart.
void MemoryChart::updateCells() {
    const double cell = std::max(axisRect()->width() / std::max(cells_, 1.0), 1.0);
    const double bar = std::clamp(0.22 * cell, 30.0, widestBar);
    halfWidth_ = bar / 2 / cell;
    cellLeft_ = std::min(std::max(bar / 2 + 8, tickLabelRoom) / cell, 0.5);
    for (QCPBars* bars : bars_) bars->setWidth(2 * halfWidth_);
    xAxis->setRange(-cellLeft_, std::max(cells_, 1.0) - cellLeft_);
}

void MemoryChart::setZoomed(bool zoomed) {
    zoomed_ = zoomed;
    updateRange();
}

void MemoryChart::updateRange() {
    double most = 0.0;
    for (const MemoryStack& stack : stacks_)
        if (!zoomed_ || stack.role != StackRole::device) most = std::max(most, stack.total.value());
    const double limit = limitReading();
    const double top = zoomed_ ? most * 1.12 : std::max(most * 1.08, limit * 1.06);
    yAxis->setRange(0.0, zoomed_ ? niceCeiling(top / gib) : std::max(top / gib, 1e-3));
    yAxis2->setRange(yAxis->range());
    const auto ticker = yAxis2->ticker().staticCast<QCPAxisTickerText>();
    ticker->clear();
    ticker->addTick(limit / gib, tr("limit\n%1").arg(bytesText(Bytes(limit))));
    update();
}

void MemoryChart::restyle() {
    restyleAxes();
    const Theme& t = theme();
    yAxis2->setBasePen(Qt::NoPen);
    yAxis2->setTickLabelColor(t.warning);
    for (std::size_t i = 0; i < names_.size(); ++i) {
        bars_[i]->setBrush(t.memoryColor(names_[i]));
        bars_[i]->setPen(Qt::NoPen);
    }
    update();
}

std::vector<PieceReading> MemoryChart::readings() const {
    std::vector<PieceReading> pieces;
    for (std::size_t n = 0; n < names_.size(); ++n)
        for (const QCPBarsData& bar : *bars_[n]->data())
            if (bar.value > 0.0)
                pieces.push_back({static_cast<int>(keys_.indexOf(bar.key)), bars_[n]->name(), bar.value * gib});
    return pieces;
}

double MemoryChart::limitReading() const { return stacks_.empty() ? 0.0 : stacks_.front().limit.value(); }

QRectF MemoryChart::stackRect(int stack) const {
    const double key = keys_[stack];
    const double left = xAxis->coordToPixel(key - halfWidth_), right = xAxis->coordToPixel(key + halfWidth_);
    return {QPointF(left, pixelOf(stacks_[static_cast<std::size_t>(stack)].total)),
            QPointF(right, yAxis->coordToPixel(0.0))};
}

std::optional<MemoryChart::Hit> MemoryChart::hitAt(const QPoint& position) const {
    const double x = xAxis->pixelToCoord(position.x()) + cellLeft_;
    if (stacks_.empty() || x < 0.0 || x >= cells_ || !axisRect()->rect().contains(position)) return std::nullopt;
    const auto after = std::upper_bound(keys_.begin(), keys_.end(), x);
    const int stack = static_cast<int>(after - keys_.begin()) - 1;
    const MemoryStack& hit = stacks_[static_cast<std::size_t>(stack)];
    const double bytes = yAxis->pixelToCoord(position.y()) * gib;
    double top = 0.0;
    for (std::size_t i = 0; i < hit.pieces.size(); ++i) {
        top += hit.pieces[i].bytes.value();
        if (bytes < top) return Hit{stack, static_cast<int>(i)};
    }
    if (bytes < hit.limit.value()) return Hit{stack, -1};
    return std::nullopt;
}

void MemoryChart::mouseMoveEvent(QMouseEvent* event) {
    const std::optional<Hit> hit = hitAt(event->pos());
    if (hit != hovered_) {
        hovered_ = hit;
        update();
    }
    emit pieceHovered(hit ? hit->stack : -1, hit ? hit->piece : -1, event->pos());
}

void MemoryChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    if (const std::optional<Hit> hit = hitAt(event->pos())) emit pieceClicked(hit->stack, hit->piece);
}

/// What is free: a hollow box from the top of the stack to the limit.
void MemoryChart::paintUnder(QCPPainter& painter) {
    const Theme& t = theme();
    const QRectF area = axisRect()->rect();
    for (std::size_t i = 0; i < stacks_.size(); ++i) {
        if (stacks_[i].free().value() <= 0.0) continue;
        const QRectF stack = stackRect(static_cast<int>(i));
        const double top = std::max(pixelOf(stacks_[i].limit), area.top());
        const QRectF box(QPointF(stack.left(), top), QPointF(stack.right(), stack.top()));
        painter.fillRect(box, t.memoryColor("free"));
    }
}

void MemoryChart::paintOver(QCPPainter& painter) {
    const Theme& t = theme();
    painter.setFont(font());
    for (int i = 0; i < static_cast<int>(stacks_.size()); ++i) {
        const MemoryStack& stack = stacks_[static_cast<std::size_t>(i)];
        const QRectF box = stackRect(i);
        double base = 0.0;
        for (std::size_t p = 0; p < stack.pieces.size(); ++p) {
            const double from = pixelOf(Bytes(base)), to = pixelOf(Bytes(base + stack.pieces[p].bytes.value()));
            base += stack.pieces[p].bytes.value();
            const QRectF piece(QPointF(box.left(), to), QPointF(box.right(), from));
            // Activations come and go, what is kept back is not to be had.
            const bool passing = stack.pieces[p].use == MemoryUse::activations || stack.pieces[p].name == "kept back";
            if (passing && piece.height() > 2) {
                QColor ink = Theme::textOn(t.memoryColor(stack.pieces[p].name));
                ink.setAlphaF(0.4F);
                painter.fillRect(piece, QBrush(ink, Qt::BDiagPattern));
            }
            if (hovered_ && *hovered_ == Hit{i, static_cast<int>(p)}) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(t.selection, 1));
                painter.drawRect(piece);
            }
        }
        if (stack.role == StackRole::baseline) {
            QColor veil = t.panel;
            veil.setAlphaF(0.5F);
            painter.fillRect(box, veil);
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(t.text, 1, Qt::DashLine));
            painter.drawRect(box);
        }
    }
    // Where the baseline ends, across the bar that is compared with it.
    for (const MemoryStack& stack : stacks_)
        if (stack.role == StackRole::baseline && !stacks_.empty()) {
            const QRectF box = stackRect(0);
            const double y = pixelOf(stack.total);
            painter.setPen(QPen(t.text, 1, Qt::DashLine));
            painter.drawLine(QPointF(box.left() - 8, y), QPointF(box.right() + 8, y));
        }
    paintLimit(painter);
    for (int i = 0; i < static_cast<int>(stacks_.size()); ++i) {
        paintLabels(painter, i);
        paintHead(painter, i);
    }
}

void MemoryChart::paintLimit(QCPPainter& painter) {
    if (stacks_.empty()) return;
    const Theme& t = theme();
    const QRectF area = axisRect()->rect();
    const Bytes limit = stacks_.front().limit;
    const double y = pixelOf(limit);
    const QFontMetrics metrics(font());
    painter.setPen(t.warning);
    if (y < area.top() - 1) {
        const QString text = tr("limit %1 is above").arg(bytesText(limit));
        painter.drawText(QPointF(area.right() - metrics.horizontalAdvance(text) - 4, area.top() + metrics.ascent()),
                         text);
        return;
    }
    // Over the limit: the part that does not fit is struck through.
    for (int i = 0; i < static_cast<int>(stacks_.size()); ++i)
        if (stacks_[static_cast<std::size_t>(i)].free().value() < 0.0) {
            const QRectF box = stackRect(i);
            QColor ink = t.warning;
            ink.setAlphaF(0.85F);
            painter.fillRect(QRectF(box.topLeft(), QPointF(box.right(), y)), QBrush(ink, Qt::DiagCrossPattern));
        }
    painter.setPen(QPen(t.warning, 1, Qt::DashLine));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
}

void MemoryChart::paintLabels(QCPPainter& painter, int index) {
    const Theme& t = theme();
    const MemoryStack& stack = stacks_[static_cast<std::size_t>(index)];
    const QRectF box = stackRect(index);
    const QFontMetrics metrics(font());
    const double from = box.right() + labelGap;
    const double room = xAxis->coordToPixel(keys_[index] + cellOf(stack) - cellLeft_) - from - 4;
    if (room < 40 || !namesPieces() || stack.role == StackRole::device) return;

    struct Label {
        double centre;
        std::size_t piece;
    };
    std::vector<Label> labels; // from the top down
    double base = 0.0;
    const bool own = index == 0;
    for (std::size_t p = 0; p < stack.pieces.size(); ++p) {
        const double bytes = stack.pieces[p].bytes.value();
        // Beside the first stack the others say what is not the same.
        if (own || stack.pieces[p].bytes != stacks_.front().bytesOf(stack.pieces[p].name))
            labels.insert(labels.begin(), {pixelOf(Bytes(base + bytes / 2)), p});
        base += bytes;
    }
    const double line = metrics.height();
    const QRectF area = axisRect()->rect();
    const double top = area.top() + line, bottom = area.bottom() + 2;
    // Without room for all, the smallest are left to the table.
    const auto fit = static_cast<std::size_t>(std::max(0.0, std::floor((bottom - top) / line)));
    while (labels.size() > fit)
        labels.erase(std::min_element(labels.begin(), labels.end(), [&](const Label& a, const Label& b) {
            return stack.pieces[a.piece].bytes < stack.pieces[b.piece].bytes;
        }));
    const int valueWidth = metrics.horizontalAdvance(QStringLiteral("88.88"));
    std::vector<double> places;
    for (const Label& label : labels) places.push_back(label.centre);
    spreadLabels(places, line, top, bottom);

    for (std::size_t i = 0; i < labels.size(); ++i) {
        const MemoryPiece& piece = stack.pieces[labels[i].piece];
        painter.setAntialiasing(true);
        painter.setPen(QPen(t.memoryColor(piece.name), 1));
        painter.drawLine(QPointF(box.right() + 3, labels[i].centre), QPointF(from - 12, places[i]));
        painter.drawLine(QPointF(from - 12, places[i]), QPointF(from - 4, places[i]));
        painter.setAntialiasing(false);
        const double y = places[i] - line / 2 + metrics.ascent();
        painter.setPen(stack.role == StackRole::baseline ? t.mutedText : t.text);
        const QString value = valueText(piece.bytes);
        painter.drawText(QPointF(from + valueWidth - metrics.horizontalAdvance(value), y), value);
        if (room > valueWidth + 30) {
            painter.setPen(t.mutedText);
            painter.drawText(
                QPointF(from + valueWidth + 8, y),
                metrics.elidedText(toQString(piece.name), Qt::ElideRight, static_cast<int>(room) - valueWidth - 8));
        }
    }
}

/// The total over the stack, with its difference from the scenario on screen; what is free inside the hollow box.
void MemoryChart::paintHead(QCPPainter& painter, int index) {
    const Theme& t = theme();
    const MemoryStack& stack = stacks_[static_cast<std::size_t>(index)];
    const QRectF box = stackRect(index);
    const QRectF area = axisRect()->rect();
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics metrics(bold);
    painter.setFont(bold);
    painter.setPen(stack.role == StackRole::baseline ? t.mutedText : t.text);
    const QString total = bytesText(stack.total);
    const auto write = [&](const QString& text, double line) {
        const double w = metrics.horizontalAdvance(text);
        const QRectF ground(box.center().x() - w / 2 - 2, line - metrics.ascent(), w + 4, metrics.height());
        painter.fillRect(ground, stack.free().value() > 0.0 ? t.memoryColor("free") : t.panel);
        painter.drawText(QPointF(ground.left() + 2, line), text);
    };
    const auto baseline = std::find_if(stacks_.begin(), stacks_.end(),
                                       [](const MemoryStack& s) { return s.role == StackRole::baseline; });
    double top = box.top();
    if (index == 0 && baseline != stacks_.end()) top = std::min(top, pixelOf(baseline->total));
    double y = std::max(top - 5, area.top() + metrics.ascent());
    write(total, y);
    const double limit = std::max(pixelOf(stack.limit), area.top());
    if (index == 0 && baseline != stacks_.end() && y - 2 * metrics.height() > limit) {
        const Bytes by = stack.total - baseline->total;
        painter.setPen(by.value() < 0.0 ? t.faster : by.value() > 0.0 ? t.slower : t.mutedText);
        y -= metrics.height() + 1;
        write((by.value() < 0.0   ? QStringLiteral("−")
               : by.value() > 0.0 ? QStringLiteral("+")
                                  : QStringLiteral("±")) +
                  bytesText(Bytes(std::abs(by.value()))),
              y);
    }
    painter.setFont(font());
    if (stack.free().value() > 0.0 && y - metrics.height() - limit > 2.5 * metrics.height()) {
        painter.setPen(t.mutedText);
        painter.drawText(QRectF(box.left() - 30, limit, box.width() + 60, y - metrics.height() - limit),
                         Qt::AlignCenter, tr("free\n%1").arg(bytesText(stack.free())));
    }
}

} // namespace deltascope::ui
