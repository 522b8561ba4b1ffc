// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/scenario_panel.h"

#include "panels/catalog_entries.h"
#include "panels/look.h"
#include "panels/picker.h"
#include "panels/segmented_control.h"
#include "panels/slider_limits.h"
#include "panels/text.h"
#include "theme/theme.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QScrollBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace deltascope::ui {
namespace {

constexpr int panelWidth = 292;

QString schemeKey(const std::optional<Scheme>& scheme) {
    return scheme ? toQString(factsOf(*scheme).name) : QStringLiteral("-");
}

QString noteOf(const Picker& picker) {
    for (const PickerEntry& entry : picker.entries())
        if (entry.key == picker.currentKey())
            return entry.mark.isEmpty() ? entry.facts : QStringLiteral("%1 · %2").arg(entry.facts, entry.mark);
    return {};
}

} // namespace

ScenarioPanel::ScenarioPanel(Workbench& workbench, QWidget* parent)
    : QScrollArea(parent), workbench_(workbench), limitsTimer_(new QTimer(this)) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Scenario"));
    setFocusPolicy(Qt::NoFocus);

    auto* content = new QWidget(this);
    content->setAutoFillBackground(true);
    content->setBackgroundRole(QPalette::Base);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(5);
    setWidget(content);
    content->setStyleSheet(fieldStyleSheet());

    otherProblem_ = new QLabel(content);
    otherProblem_->setWordWrap(true);
    otherProblem_->setTextFormat(Qt::PlainText);
    otherProblem_->hide();
    column->addWidget(otherProblem_);
    buildModelAndHardware(column);
    buildStep(column);
    buildParallelism(column);
    buildPrecision(column);
    buildMore(column);
    column->addStretch(1);

    limitsTimer_->setSingleShot(true);
    limitsTimer_->setInterval(40); // once a drag pauses
    connect(limitsTimer_, &QTimer::timeout, this, &ScenarioPanel::refreshLimits);
    connect(&workbench_, &Workbench::scenarioChanged, this, &ScenarioPanel::refresh);
    connect(&workbench_, &Workbench::baselineChanged, this, &ScenarioPanel::refreshGhosts);
    connect(&workbench_, &Workbench::catalogChanged, this, [this] {
        fillPickers();
        refresh();
    });
    fillPickers();
    refresh();
    refreshGhosts();
}

QSize ScenarioPanel::sizeHint() const { return {panelWidth, 600}; }

Field* ScenarioPanel::fieldOf(const std::string& subject) const {
    const auto found = fields_.find(subject);
    return found != fields_.end() ? found->second : nullptr;
}

NumberField* ScenarioPanel::numberField(const std::string& subject) const {
    return qobject_cast<NumberField*>(fieldOf(subject));
}

Picker* ScenarioPanel::picker(const std::string& subject) const {
    const auto found = pickers_.find(subject);
    return found != pickers_.end() ? found->second : nullptr;
}

bool ScenarioPanel::moreIsOpen() const { return !more_->isHidden(); }

void ScenarioPanel::setMoreOpen(bool open) {
    more_->setVisible(open);
    moreButton_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    const QSignalBlocker quiet(moreButton_);
    moreButton_->setChecked(open);
}

void ScenarioPanel::fillPickers() {
    const Catalog& catalog = workbench_.catalog();
    pickers_.at("model")->setEntries(modelEntries(catalog));
    pickers_.at("device")->setEntries(deviceEntries(catalog));
    pickers_.at("engine")->setEntries(engineEntries(catalog));
}

void ScenarioPanel::refresh() {
    const Scenario& s = workbench_.scenario();
    pickers_.at("model")->setCurrentKey(toQString(s.model));
    pickers_.at("device")->setCurrentKey(toQString(s.device));
    pickers_.at("engine")->setCurrentKey(toQString(s.engine));
    refreshHost();
    refreshSchemes();
    pickers_.at("kv_cache")->setCurrentKey(toQString(nameOf(s.quantization.kvCache)));
    pickers_.at("lm_head_quantization")->setCurrentKey(schemeKey(s.quantization.lmHead));
    pickers_.at("expert_quantization")->setCurrentKey(schemeKey(s.quantization.experts));
    phase_->setCurrent(s.phase == Phase::prefill ? 0 : 1);
    for (const auto& [box, on] : {std::pair(allFull_, s.allFull), std::pair(paddingMask_, s.paddingMask)}) {
        const QSignalBlocker quiet(box);
        box->setChecked(on);
    }
    refreshTensorParallelScale();
    for (const NumberControl& number : numbers_) number.field->setAmount(number.get(s));
    refreshAcceptance();
    refreshNotes();
    refreshMore();
    refreshRefusal();
    limitsTimer_->start();
}

void ScenarioPanel::refreshHost() {
    const Scenario& s = workbench_.scenario();
    const auto engine = workbench_.catalog().findEngine(s.engine);
    const bool modelled = engine != nullptr && engine->host;
    fields_.at("host")->setVisible(modelled);
    if (modelled) pickers_.at("host")->setCurrentKey(toQString(nameOf(s.host.value_or(engine->host->mode))));
    if (engine != nullptr) fields_.at("engine")->setToolTip(differencesOf(*engine));
}

void ScenarioPanel::refreshSchemes() {
    const Scenario& s = workbench_.scenario();
    const auto model = workbench_.catalog().findModel(s.model);
    const bool offered = (model != nullptr && model->checkpoint) || s.quantization.checkpoint;
    Picker* linears = pickers_.at("quantization");
    const std::size_t wanted = schemes.size() + (offered ? 1 : 0);
    if (linears->entries().size() != wanted) {
        std::vector<PickerEntry> entries = schemeEntries();
        if (offered)
            entries.insert(entries.begin(), {toQString(checkpointWord), tr("As the checkpoint"), {}, {}, {}, {}});
        linears->setEntries(std::move(entries));
    }
    linears->setCurrentKey(s.quantization.checkpoint ? toQString(checkpointWord) : schemeKey(s.quantization.linear));
}

void ScenarioPanel::refreshTensorParallelScale() {
    const Scenario& s = workbench_.scenario();
    const auto model = workbench_.catalog().findModel(s.model);
    if (model == nullptr) return;
    const auto engine = workbench_.catalog().findEngine(s.engine);
    const bool alone = engine != nullptr && !engine->collectives;
    const std::vector<std::int64_t> sizes =
        alone ? std::vector<std::int64_t>{1} : tensorParallelSizes(*model, s.allFull);
    if (sizes != tpSizes_) {
        tpSizes_ = sizes;
        std::vector<ValueSlider::Tick> ticks;
        for (const std::int64_t size : sizes) ticks.push_back({size, tickLabel(size)});
        numberField("tp")->setScale(SliderScale::even(sizes), std::move(ticks));
    }
    NumberField* layers = numberField("layers");
    if (layers->slider()->scale().highest() != model->layerCount()) {
        std::vector<std::int64_t> counts;
        for (std::int64_t n = 1; n <= model->layerCount(); ++n) counts.push_back(n);
        std::vector<ValueSlider::Tick> ticks;
        for (std::int64_t quarter = 0; quarter <= 4; ++quarter) {
            const std::int64_t n = std::max<std::int64_t>(1, model->layerCount() * quarter / 4);
            ticks.push_back({n, QString::number(n)});
        }
        layers->setScale(SliderScale::even(std::move(counts)), std::move(ticks));
    }
}

void ScenarioPanel::refreshAcceptance() {
    const Scenario& s = workbench_.scenario();
    Field* field = fields_.at("accepted_length");
    field->setVisible(s.mtpTokens > 0);
    if (s.mtpTokens <= 0) return;
    const double most = 1.0 + static_cast<double>(std::min(s.mtpTokens, limits::mtpTokens.highest));
    // What acceptance means in tokens is the simulation's to say.
    const double length =
        s.acceptedLength.value_or(workbench_.refusal() ? most : workbench_.simulation()->scenario.tokensPerStep);
    const QSignalBlocker quiet(accepted_);
    accepted_->setMaximum(most);
    accepted_->setValue(length);
    const auto highest = static_cast<std::int64_t>(most * 100.0 + 0.5);
    if (acceptedSlider_->scale().highest() != highest) {
        std::vector<std::int64_t> stops;
        std::vector<ValueSlider::Tick> ticks;
        for (std::int64_t hundredths = 100; hundredths <= highest; hundredths += 5) {
            stops.push_back(hundredths);
            if (hundredths % 100 == 0) ticks.push_back({hundredths, QString::number(hundredths / 100)});
        }
        acceptedSlider_->setScale(SliderScale::even(std::move(stops)), std::move(ticks));
    }
    acceptedSlider_->setAmount(static_cast<std::int64_t>(length * 100.0 + 0.5));
}

void ScenarioPanel::refreshNotes() {
    const Scenario& s = workbench_.scenario();
    for (const char* subject : {"model", "device", "engine"}) fields_.at(subject)->setNote(noteOf(*picker(subject)));

    const bool listed = !s.requests.empty();
    requestList_->setVisible(listed);
    requestListText_->setText(tr("The scenario lists %n kind(s) of request, each with its own lengths.", nullptr,
                                 static_cast<int>(s.requests.size())));
    for (const char* subject : {"query_length", "context_length", "queries"}) fields_.at(subject)->setVisible(!listed);
    phase_->setEnabled(!listed);

    const bool byHand = s.phase == Phase::decode && s.queryLength.has_value();
    followQuery_->setVisible(byHand);
    if (!byHand) return;
    const bool chunk = !workbench_.refusal() && workbench_.simulation()->step.rule == Rule::chunk;
    followQuery_->setText(chunk ? tr("chunk rule ↺") : tr("by hand ↺"));
    followQuery_->setAccessibleName(tr("Query length set by hand%1: follow 1 + MTP tokens")
                                        .arg(chunk ? tr(", so that the chunk rule runs") : QString()));
}

void ScenarioPanel::refreshRefusal() {
    const std::optional<Error>& refusal = workbench_.refusal();
    Field* refused = refusal ? fieldOf(refusal->subject) : nullptr;
    const QString text = refusal ? refusalText(*refusal) : QString();
    for (const auto& [subject, field] : fields_) {
        const QString problem = field == refused ? text : QString();
        if (auto* number = qobject_cast<NumberField*>(field))
            number->setRefused(problem);
        else
            field->setProblem(problem);
    }
    if (refused != nullptr && more_->isAncestorOf(refused)) setMoreOpen(true);
    const bool elsewhere = refusal && (refused == nullptr || refused->isHidden());
    otherProblem_->setVisible(elsewhere);
    otherProblem_->setText(elsewhere ? toQString(refusal->text()) : QString());
    QPalette warning = otherProblem_->palette();
    warning.setColor(QPalette::WindowText, theme().warning);
    otherProblem_->setPalette(warning);
}

void ScenarioPanel::refreshGhosts() {
    const bool pinned = workbench_.baseline() != nullptr;
    for (const NumberControl& number : numbers_) {
        std::optional<std::int64_t> ghost;
        if (pinned) ghost = number.get(workbench_.baselineScenario());
        number.field->slider()->setGhost(ghost);
    }
}

void ScenarioPanel::refreshLimits() {
    for (const NumberControl& number : numbers_) {
        if (!number.limited || number.field->isHidden()) continue;
        number.field->slider()->setLimit(firstThatDoesNotFit(workbench_.catalog(), workbench_.scenario(),
                                                             number.field->slider()->scale(), number.set));
    }
}

void ScenarioPanel::choosePhase(int index) {
    Scenario next = workbench_.scenario();
    const Phase phase = index == 0 ? Phase::prefill : Phase::decode;
    if (next.phase == phase) return;
    lengthsOfPhase_[static_cast<std::size_t>(next.phase)] = {next.queryLength, next.contextLength};
    const Lengths& lengths = lengthsOfPhase_[static_cast<std::size_t>(phase)];
    next.phase = phase;
    next.queryLength = lengths.query;
    next.contextLength = lengths.context;
    workbench_.edit(next, index == 0 ? tr("Prefill") : tr("Decode"));
}

void ScenarioPanel::chooseAcceptedLength(double length, int gesture) {
    Scenario next = workbench_.scenario();
    next.acceptance.reset();
    next.acceptedLength = length;
    workbench_.edit(next, tr("Accepted length %1").arg(length, 0, 'f', 2),
                    gesture < 0 ? QString() : QStringLiteral("accepted_length/%1").arg(gesture));
}

void ScenarioPanel::changeEvent(QEvent* event) {
    QScrollArea::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || otherProblem_ == nullptr) return;
    refreshRefusal();
    if (widget()->styleSheet() != fieldStyleSheet()) widget()->setStyleSheet(fieldStyleSheet());
}

} // namespace deltascope::ui
