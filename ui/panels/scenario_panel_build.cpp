// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of the scenario panel and what each of them writes; scenario_panel.cpp keeps them up to date.
#include "panels/scenario_panel.h"

#include "panels/catalog_entries.h"
#include "panels/look.h"
#include "panels/picker.h"
#include "panels/segmented_control.h"
#include "panels/text.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace deltascope::ui {
namespace {

using Ticks = std::vector<ValueSlider::Tick>;

Ticks ticksAt(const std::vector<std::int64_t>& values) {
    Ticks ticks;
    for (const std::int64_t value : values) ticks.push_back({value, tickLabel(value)});
    return ticks;
}

} // namespace

Picker* ScenarioPanel::addPicker(QVBoxLayout* column, const std::string& subject, const QString& label,
                                 const QString& toolTip, std::function<void(Scenario&, const QString&)> set) {
    auto* field = new Field(label, toolTip, column->parentWidget());
    auto* picker = new Picker(field);
    picker->setAccessibleName(label);
    field->setEditor(picker, 1);
    field->label()->setFixedWidth(fontMetrics().horizontalAdvance(tr("KV cache")) + 6);
    column->addWidget(field);
    fields_[subject] = field;
    pickers_[subject] = picker;
    picker->setPreview([this, set](const QString& key) {
        Scenario tried = workbench_.scenario();
        set(tried, key);
        return previewOf(workbench_.catalog(), tried);
    });
    connect(picker, &Picker::picked, this, [this, label, picker, set](const QString& key) {
        Scenario next = workbench_.scenario();
        set(next, key);
        workbench_.edit(next, QStringLiteral("%1 %2").arg(label, picker->currentText()));
    });
    return picker;
}

NumberField* ScenarioPanel::addNumber(QVBoxLayout* column, const QString& label, const QString& unit,
                                      const QString& toolTip, NumberControl control) {
    auto* field = new NumberField(label, unit, toolTip, column->parentWidget());
    control.field = field;
    column->addWidget(field);
    fields_[control.subject] = field;
    connect(field, &NumberField::edited, this,
            [this, label, set = control.set, subject = control.subject](std::int64_t amount, int gesture) {
                Scenario next = workbench_.scenario();
                set(next, amount);
                workbench_.edit(next, QStringLiteral("%1 %2").arg(label, countText(amount)),
                                QStringLiteral("%1/%2").arg(toQString(subject)).arg(gesture));
            });
    numbers_.push_back(std::move(control));
    return field;
}

void ScenarioPanel::buildModelAndHardware(QVBoxLayout* column) {
    column->addWidget(makeCaption(tr("Model and hardware")));
    addPicker(column, "model", tr("Model"), tr("The model whose step is simulated. Type to search."),
              [](Scenario& s, const QString& key) { s.model = key.toStdString(); });
    addPicker(column, "device", tr("Device"), tr("The accelerator, one rank of it. Type to search."),
              [](Scenario& s, const QString& key) { s.device = key.toStdString(); });
    addPicker(column, "engine", tr("Engine"), tr("How the model becomes kernels."),
              [](Scenario& s, const QString& key) { s.engine = key.toStdString(); });
    Picker* host = addPicker(column, "host", tr("Host"),
                             tr("What the host launches as one graph, and what kernel by kernel. The list tells the "
                                "step's time under each."),
                             [](Scenario& s, const QString& key) { s.host = hostModeFromName(key.toStdString()); });
    host->setEntries(hostEntries());
    host->setSearchable(false);
}

void ScenarioPanel::buildStep(QVBoxLayout* column) {
    column->addWidget(makeCaption(tr("Step")));
    phase_ = new SegmentedControl({tr("Prefill"), tr("Decode")}, column->parentWidget());
    phase_->setAccessibleName(tr("Phase"));
    phase_->setSegmentToolTip(0, tr("Prefill: the prompt, or a chunk of it, is read"));
    phase_->setSegmentToolTip(1, tr("Decode: each request gains a token, or several with MTP"));
    connect(phase_, &SegmentedControl::chosen, this, &ScenarioPanel::choosePhase);
    column->addWidget(phase_);

    requestList_ = new QWidget(column->parentWidget());
    auto* list = new QHBoxLayout(requestList_);
    list->setContentsMargins(0, 0, 0, 0);
    requestListText_ = makeNote(requestList_);
    requestListText_->setWordWrap(true);
    auto* plain = new QToolButton(requestList_);
    plain->setText(tr("Use sliders"));
    plain->setAccessibleName(plain->text());
    plain->setToolTip(tr("Replaces the list of requests by requests that are all alike"));
    list->addWidget(requestListText_, 1);
    list->addWidget(plain);
    column->addWidget(requestList_);
    connect(plain, &QToolButton::clicked, this, [this] {
        Scenario next = workbench_.scenario();
        next.requests.clear();
        workbench_.edit(next, tr("Requests alike"));
    });

    const SliderScale query = SliderScale::logarithmic(1, 65'536);
    NumberField* field = addNumber(
        column, tr("Query length"), tr("tokens"),
        tr("Tokens that each request feeds this step, 1 to 1,010,000.\nIn decode it follows 1 + MTP tokens until you "
           "set another."),
        {"query_length", nullptr,
         [](const Scenario& s) { return s.queryLength.value_or(defaultQueryLength(s.phase, s.mtpTokens)); },
         [](Scenario& s, std::int64_t n) {
             const bool follows = s.phase == Phase::decode && n == defaultQueryLength(s.phase, s.mtpTokens);
             s.queryLength = follows ? std::nullopt : std::optional(n);
         }});
    field->setScale(query, ticksAt({1, 16, 256, 4096, 65'536}));
    followQuery_ = new QToolButton(field);
    followQuery_->setAutoRaise(true);
    followQuery_->setFont(scaledFont(0.88));
    followQuery_->setToolTip(tr("Set by hand, so that the step is no plain decode. Press to let it follow 1 + MTP "
                                "tokens again."));
    connect(followQuery_, &QToolButton::clicked, this, [this] {
        Scenario next = workbench_.scenario();
        next.queryLength.reset();
        workbench_.edit(next, tr("Query length follows MTP"));
    });
    field->addToRow(followQuery_);

    addNumber(column, tr("Context length"), tr("tokens"),
              tr("Tokens that each request already has in its caches, 0 to 1,010,000"),
              {"context_length", nullptr,
               [](const Scenario& s) { return s.contextLength.value_or(defaultContextLength(s.phase)); },
               [](Scenario& s, std::int64_t n) { s.contextLength = n; }, true})
        ->setScale(SliderScale::logarithmic(0, limits::contextLength.highest, 256.0),
                   ticksAt({0, 1024, 8192, 65'536, 1'010'000}));
    addNumber(
        column, tr("Requests"), tr("requests"),
        tr("Requests in the step, of all data-parallel ranks together: the slider goes to 256, the field to 4,096"),
        {"queries", nullptr, [](const Scenario& s) { return s.queries; },
         [](Scenario& s, std::int64_t n) { s.queries = n; }, true})
        ->setScale(SliderScale::logarithmic(1, 256), ticksAt({1, 4, 16, 64, 256}));
}

void ScenarioPanel::buildParallelism(QVBoxLayout* column) {
    addNumber(column, tr("Tensor parallel"), tr("devices"),
              tr("Devices that share each layer. The slider stops at the sizes that divide the model's heads."),
              {"tp", nullptr, [](const Scenario& s) { return s.parallel.tp; },
               [](Scenario& s, std::int64_t n) { s.parallel.tp = n; }});
    addNumber(column, tr("MTP tokens"), tr("tokens"),
              tr("Tokens that the multi-token-prediction head drafts per step, 0 to 8"),
              {"mtp_tokens", nullptr, [](const Scenario& s) { return s.mtpTokens; },
               [](Scenario& s, std::int64_t n) {
                   s.mtpTokens = n;
                   const double most = 1.0 + static_cast<double>(n);
                   if (n == 0) s.acceptedLength.reset();
                   if (s.acceptedLength && *s.acceptedLength > most) s.acceptedLength = most;
               }})
        ->setScale(SliderScale::even({0, 1, 2, 3, 4, 5, 6, 7, 8}), ticksAt({0, 1, 2, 3, 4, 5, 6, 7, 8}));
    buildAcceptance(column);
}

void ScenarioPanel::buildAcceptance(QVBoxLayout* column) {
    auto* field = new Field(tr("Accepted"),
                            tr("Mean accepted length: tokens that a request gains per step, from 1 to 1 + MTP tokens"),
                            column->parentWidget());
    accepted_ = new QDoubleSpinBox(field);
    accepted_->setLocale(QLocale::c());
    accepted_->setDecimals(2);
    accepted_->setSingleStep(0.05);
    accepted_->setMinimum(1.0);
    accepted_->setKeyboardTracking(false);
    accepted_->setButtonSymbols(QAbstractSpinBox::NoButtons);
    accepted_->setAlignment(Qt::AlignRight);
    accepted_->setSuffix(tr(" tokens"));
    accepted_->setAccessibleName(tr("Mean accepted length in tokens per step"));
    field->setEditor(accepted_, 1);
    acceptedSlider_ = new ValueSlider(field);
    acceptedSlider_->setAccessibleName(tr("Mean accepted length, slider in hundredths of a token"));
    field->addBeneath(acceptedSlider_);
    column->addWidget(field);
    fields_["accepted_length"] = field;
    fields_["acceptance"] = field;
    connect(accepted_, &QDoubleSpinBox::valueChanged, this,
            [this](double length) { chooseAcceptedLength(length, -1); });
    connect(acceptedSlider_, &ValueSlider::gestureBegan, this, [this] { ++acceptedGesture_; });
    connect(acceptedSlider_, &ValueSlider::amountMoved, this, [this](std::int64_t hundredths) {
        chooseAcceptedLength(static_cast<double>(hundredths) / 100.0, acceptedGesture_);
    });
}

void ScenarioPanel::buildPrecision(QVBoxLayout* column) {
    column->addWidget(makeCaption(tr("Precision")));
    Picker* linears = addPicker(column, "quantization", tr("Linears"), tr("Quantization scheme of the linear layers"),
                                [](Scenario& s, const QString& key) {
                                    const std::string word = key.toStdString();
                                    s.quantization.checkpoint = word == checkpointWord;
                                    if (const auto scheme = schemeFromName(word)) s.quantization.linear = *scheme;
                                });
    linears->setSearchable(false);
    Picker* cache = addPicker(column, "kv_cache", tr("KV cache"), tr("Number format of the key/value cache"),
                              [](Scenario& s, const QString& key) {
                                  if (const auto dtype = kvDTypeFromName(key.toStdString()))
                                      s.quantization.kvCache = *dtype;
                              });
    cache->setEntries(kvCacheEntries());
    cache->setSearchable(false);
}

} // namespace deltascope::ui
