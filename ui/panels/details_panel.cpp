// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/details_panel.h"

#include "base/format.h"
#include "panels/details_text.h"
#include "panels/headline_bar.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QVBoxLayout>

namespace deltascope::ui {
namespace {

QLabel* makeBody(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::RichText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    return label;
}

} // namespace

void DetailsPanel::Section::set(const QString& html) const {
    if (body->text() != html) body->setText(html);
    caption->setVisible(!html.isEmpty() && !caption->text().isEmpty());
    body->setVisible(!html.isEmpty());
}

DetailsPanel::Section DetailsPanel::addSection(const QString& caption) {
    Section section{makeCaption(caption, widget()), makeBody(widget())};
    section.caption->setContentsMargins(0, 6, 0, 0);
    section.body->setAccessibleName(caption.isEmpty() ? tr("Facts") : caption);
    column_->addWidget(section.caption);
    column_->addWidget(section.body);
    sections_.push_back(section);
    return section;
}

DetailsPanel::DetailsPanel(Workbench& workbench, QWidget* parent)
    : QScrollArea(parent), workbench_(workbench), gate_(*this, [this] { refresh(); }) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Details"));
    setFocusPolicy(Qt::NoFocus);

    auto* content = new QWidget(this);
    content->setAutoFillBackground(true);
    content->setBackgroundRole(QPalette::Base);
    column_ = new QVBoxLayout(content);
    column_->setContentsMargins(12, 10, 12, 10);
    column_->setSpacing(4);
    setWidget(content);

    auto* top = new QHBoxLayout;
    title_ = new QLabel(content);
    title_->setFont(scaledFont(1.08, QFont::Bold));
    title_->setWordWrap(true);
    title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
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
    column_->addLayout(top);
    path_ = makeNote(content);
    path_->setWordWrap(true);
    path_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    path_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
    column_->addWidget(path_);

    auto* chips = new QHBoxLayout;
    chips->setSpacing(4);
    for (Chip** chip : {&bound_, &provenance_, &cls_}) chips->addWidget(*chip = new Chip(content));
    chips->addStretch(1);
    column_->addLayout(chips);

    facts_ = addSection({});
    what_ = addSection(tr("What it is"));
    compared_ = addSection(tr("Against baseline A"));
    how_ = addSection(tr("How the time comes about"));
    work_ = addSection(tr("Work"));
    bytesCaption_ = makeCaption(tr("Bytes moved"), content);
    bytesCaption_->setContentsMargins(0, 6, 0, 0);
    column_->addWidget(bytesCaption_);
    bytes_ = new ShareBar(16, content);
    bytes_->setAccessibleName(tr("Bytes moved"));
    column_->addWidget(bytes_);
    shapes_ = addSection(tr("Shapes, per device"));
    values_ = addSection(tr("With"));
    kinds_ = addSection(tr("Longest kinds"));
    metadata_ = addSection(tr("Step metadata"));
    notes_ = addSection(tr("Notes"));
    column_->addStretch(1);

    connect(&workbench_, &Workbench::scenarioChanged, &gate_, &RefreshGate::mark);
    connect(&workbench_, &Workbench::baselineChanged, &gate_, &RefreshGate::mark);
    connect(&workbench_, &Workbench::selectionChanged, &gate_, &RefreshGate::mark);
}

QSize DetailsPanel::sizeHint() const { return {276, 500}; }

void DetailsPanel::refresh() {
    const auto selection = workbench_.selection();
    for (const Section* section :
         {&facts_, &what_, &compared_, &how_, &work_, &shapes_, &values_, &kinds_, &metadata_, &notes_})
        if (selection ? section == &kinds_ || section == &metadata_ || section == &notes_ || section == &compared_
                      : section == &how_ || section == &work_ || section == &shapes_ || section == &values_)
            section->set({});
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
    title_->setText(toQString(e.title).replace(QLatin1Char('_'), QStringLiteral("_\u200B")));
    path_->setText(toQString(e.path));
    bound_->setContent(tr("%1 bound").arg(toQString(nameOf(cost.bound))), Chip::Tone::neutral,
                       tr("What the operator's time is made of for the most part"));
    provenance_->setContent(toQString(e.provenance), Chip::Tone::attention, tr("Where the time comes from"));
    cls_->setContent({}, Chip::Tone::neutral);
    facts_.set(factTable(operatorFacts(workbench_, ref)));
    what_.caption->setText(tr("What it is").toUpper());
    what_.set(toQString(e.what).toHtmlEscaped());
    how_.set(explanationLines(e.time));
    work_.set(explanationLines(e.work));
    values_.set(explanationLines(e.values));
    shapes_.set(shapeLines(e.shapes));
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
    bytesCaption_->setText(tr("Bytes moved: %1").arg(toQString(formatBytes(work.moved()))).toUpper());
}

void DetailsPanel::showStep() {
    const Simulation& s = *workbench_.simulation();
    title_->setText(tr("The step"));
    path_->setText(tr("Select an operator anywhere to see how its time comes about."));
    for (Chip* chip : {bound_, provenance_, cls_}) chip->setContent({}, Chip::Tone::neutral);
    facts_.set(factTable(stepFacts(s)));
    what_.caption->setText(tr("What runs").toUpper());
    what_.set(stepInWords(s).toHtmlEscaped());
    compared_.set(comparisonText(workbench_));
    kinds_.set(factTable(longestKinds(s)));
    metadata_.set(factTable(metadataFacts(s)));
    QStringList notes;
    for (const std::string& note : s.notes) notes << QStringLiteral("• %1").arg(toQString(note).toHtmlEscaped());
    notes_.set(notes.join(QStringLiteral("<br>")));
    bytes_->hide();
    bytesCaption_->hide();
}

QString DetailsPanel::plainText() const {
    QStringList lines{title_->text(), path_->text()};
    for (const Chip* chip : {bound_, provenance_})
        if (!chip->text().isEmpty()) lines << chip->text();
    for (const Section& section : sections_) {
        if (section.body->isHidden() || section.body->text().isEmpty()) continue;
        if (!section.caption->text().isEmpty()) lines << QString() << section.caption->text();
        lines << QTextDocumentFragment::fromHtml(section.body->text()).toPlainText();
    }
    return lines.join(QLatin1Char('\n')).remove(QChar(0x200B));
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
