// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/details_panel.h"

#include "base/format.h"
#include "panels/details_text.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace deltascope::ui {
namespace {

/// A long name may break after its underscores.
QString breakable(const QString& name) {
    return QString(name).replace(QLatin1Char('_'), QStringLiteral("_") + QChar(0x200B));
}

void setTextOnce(QLabel* label, const QString& text) {
    if (label->text() != text) label->setText(text);
}

} // namespace

DetailsPanel::DetailsPanel(Workbench& workbench, QWidget* parent)
    : QScrollArea(parent), workbench_(workbench), gate_(*this, [this] { refresh(); }) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // The bar comes and goes with the text; its place stays, so that the text is not laid out anew.
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setAccessibleName(tr("Details"));
    setFocusPolicy(Qt::NoFocus);

    auto* content = new QWidget(this);
    content->setAutoFillBackground(true);
    content->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(12, 10, 4, 10);
    column->setSpacing(4);
    setWidget(content);

    auto* top = new QHBoxLayout;
    title_ = new QLabel(content);
    title_->setFont(scaledFont(1.08, QFont::Bold));
    title_->setWordWrap(true);
    title_->setTextFormat(Qt::PlainText);
    title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    copy_ = new QToolButton(content);
    copy_->setText(tr("Copy"));
    copy_->setAutoRaise(true);
    copy_->setFocusPolicy(Qt::StrongFocus);
    copy_->setToolTip(tr("Copy all of this as text"));
    copy_->setAccessibleName(tr("Copy the details as text"));
    connect(copy_, &QToolButton::clicked, this, &DetailsPanel::copy);
    top->addWidget(title_, 1);
    top->addWidget(copy_, 0, Qt::AlignTop);
    column->addLayout(top);
    path_ = makeNote(content);
    path_->setWordWrap(true);
    path_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    column->addWidget(path_);

    chips_ = new QWidget(content);
    auto* chips = new QHBoxLayout(chips_);
    chips->setContentsMargins(0, 0, 0, 2);
    chips->setSpacing(4);
    for (Chip** chip : {&bound_, &provenance_}) chips->addWidget(*chip = new Chip(chips_));
    chips->addStretch(1);
    column->addWidget(chips_);

    facts_ = new FactSheet(content);
    facts_->setAccessibleName(tr("Facts"));
    column->addWidget(facts_);
    bytesCaption_ = makeCaption(tr("Bytes moved"), content);
    bytesCaption_->setContentsMargins(0, 6, 0, 0);
    column->addWidget(bytesCaption_);
    bytes_ = new ShareBar(16, content);
    bytes_->setAccessibleName(tr("Bytes moved"));
    column->addWidget(bytes_);
    operands_ = new FactSheet(content);
    operands_->setAccessibleName(tr("Shapes and values"));
    column->addWidget(operands_);
    column->addStretch(1);

    connect(&workbench_, &Workbench::scenarioChanged, &gate_, &RefreshGate::mark);
    connect(&workbench_, &Workbench::baselineChanged, &gate_, &RefreshGate::mark);
    connect(&workbench_, &Workbench::selectionChanged, &gate_, &RefreshGate::mark);
}

QSize DetailsPanel::sizeHint() const { return {276, 500}; }

QString DetailsPanel::titleText() const { return title_->text().remove(QChar(0x200B)); }

void DetailsPanel::refresh() {
    const auto selection = workbench_.selection();
    chips_->setVisible(selection.has_value());
    operands_->setVisible(selection.has_value());
    if (selection)
        showOperator(*selection);
    else
        showStep();
    setDimmed(widget(), workbench_.refusal().has_value());
}

void DetailsPanel::showOperator(OperatorRef ref) {
    const Simulation& s = *workbench_.simulation();
    const Explanation e = explain(s, ref);
    const OperatorCost& cost = s.cost(ref);
    setTextOnce(title_, breakable(toQString(e.title)));
    setTextOnce(path_, toQString(e.path));
    bound_->setContent(tr("%1 bound").arg(toQString(nameOf(cost.bound))), Chip::Tone::neutral,
                       tr("What the operator's time is made of for the most part"));
    provenance_->setContent(toQString(e.provenance), Chip::Tone::attention, tr("Where the time comes from"));
    facts_->setRows(operatorRows(workbench_, ref, e));
    operands_->setRows(operandRows(e));
    showBytes(cost.work);
}

void DetailsPanel::showBytes(const Work& work) {
    const Theme& t = theme();
    std::vector<ShareBar::Piece> pieces;
    const auto add = [&](const QString& label, Bytes bytes, const QColor& color) {
        pieces.push_back(
            {label, bytes.value(), color, QStringLiteral("%1: %2").arg(label, toQString(formatBytes(bytes)))});
    };
    add(tr("read"), work.read, t.classColor(OperatorClass::activation));
    add(tr("scratch"), work.scratch, t.classColor(OperatorClass::linearAttention));
    add(tr("written"), work.written, t.classColor(OperatorClass::linear));
    bytes_->setPieces(std::move(pieces), false);
    const bool any = work.moved() > Bytes(0.0);
    bytes_->setVisible(any);
    bytesCaption_->setVisible(any);
    setTextOnce(bytesCaption_, tr("Bytes moved: %1").arg(toQString(formatBytes(work.moved()))).toUpper());
}

void DetailsPanel::showStep() {
    setTextOnce(title_, tr("The step"));
    setTextOnce(path_, tr("Select an operator anywhere to see how its time comes about."));
    facts_->setRows(stepRows(workbench_));
    bytes_->hide();
    bytesCaption_->hide();
}

QString DetailsPanel::plainText() const {
    QStringList lines{titleText(), path_->text()};
    if (!chips_->isHidden()) lines << bound_->text() << provenance_->text();
    lines << facts_->plainText();
    if (!operands_->isHidden()) lines << operands_->plainText();
    return lines.join(QLatin1Char('\n'));
}

void DetailsPanel::copy() const {
    const auto selection = workbench_.selection();
    QGuiApplication::clipboard()->setText(selection ? toQString(toText(explain(*workbench_.simulation(), *selection)))
                                                    : plainText());
}

void DetailsPanel::changeEvent(QEvent* event) {
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && bytes_ != nullptr) gate_.mark();
}

} // namespace deltascope::ui
