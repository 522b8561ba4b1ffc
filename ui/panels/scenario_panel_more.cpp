// SPDX-License-Identifier: GPL-3.0-or-later
// The controls under "More": groups of ranks, experts, images and what is needed less often.
#include "panels/catalog_entries.h"
#include "panels/picker.h"
#include "panels/scenario_panel.h"
#include "panels/text.h"

#include <QCheckBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

namespace deltascope::ui {
namespace {

/// The schemes after an entry "-" that stands for none chosen.
std::vector<PickerEntry> schemeEntriesWith(const QString& none) {
    std::vector<PickerEntry> entries = schemeEntries();
    entries.insert(entries.begin(), {QStringLiteral("-"), none, {}, {}, {}, {}});
    return entries;
}

const std::vector<std::int64_t> groupSizes{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

std::vector<ValueSlider::Tick> ticksOf(const std::vector<std::int64_t>& values) {
    std::vector<ValueSlider::Tick> ticks;
    for (const std::int64_t value : values) ticks.push_back({value, tickLabel(value)});
    return ticks;
}

std::vector<std::int64_t> steps(std::int64_t last, std::int64_t by) {
    std::vector<std::int64_t> values;
    for (std::int64_t value = 0; value <= last; value += by) values.push_back(value);
    return values;
}

/// The scenario's image choice; a full-HD one to begin with.
ImageChoice imageOf(const Scenario& s) { return s.image.value_or(ImageChoice{0, 1080, 1920, {}, {}}); }

void setImage(Scenario& s, const ImageChoice& image) {
    s.image = image == ImageChoice{0, 1080, 1920, {}, {}} ? std::nullopt : std::optional(image);
}

double hundredths(std::int64_t n) { return static_cast<double>(n) / 100.0; }
std::int64_t inHundredths(double value) { return static_cast<std::int64_t>(std::llround(value * 100.0)); }

} // namespace

void ScenarioPanel::buildSplits(QVBoxLayout* column) {
    const SliderScale scale = SliderScale::even(groupSizes);
    const auto ticks = ticksOf({1, 8, 64, 1024});
    addNumber(column, tr("Data parallel"), tr("groups"),
              tr("Groups of ranks that hold the whole model; the requests are dealt out among them"),
              {"dp", nullptr, [](const Scenario& s) { return s.parallel.dp; },
               [](Scenario& s, std::int64_t n) { s.parallel.dp = n; }})
        ->setScale(scale, ticks);
    const auto group = [&](const char* subject, const QString& label, const QString& toolTip,
                           std::optional<std::int64_t> Parallelism::*size) {
        addNumber(column, label, tr("devices"), toolTip,
                  {subject, nullptr, [size](const Scenario& s) { return (s.parallel.*size).value_or(s.parallel.tp); },
                   [size](Scenario& s, std::int64_t n) {
                       s.parallel.*size = n == s.parallel.tp ? std::nullopt : std::optional(n);
                   }})
            ->setScale(scale, ticks);
    };
    group("o_proj_tp", tr("o_proj TP"), tr("Devices that share o_proj and out_proj; as tensor parallel until set"),
          &Parallelism::oProjTp);
    group("lm_head_tp", tr("lm_head TP"), tr("Devices that share the lm_head; as tensor parallel until set"),
          &Parallelism::lmHeadTp);
    group("mtp_lm_head_tp", tr("MTP lm_head TP"),
          tr("Devices that share the lm_head of the MTP drafts; as tensor parallel until set"),
          &Parallelism::mtpLmHeadTp);
    addNumber(column, tr("Prefix hit"), tr("per cent"),
              tr("Share of each prompt that a prefix cache holds already, in per cent"),
              {"prefix_hit", nullptr, [](const Scenario& s) { return inHundredths(s.prefixHit); },
               [](Scenario& s, std::int64_t n) { s.prefixHit = hundredths(n); }})
        ->setScale(SliderScale::even(steps(99, 1)), ticksOf({0, 25, 50, 75, 99}));
}

void ScenarioPanel::buildExperts(QVBoxLayout* column) {
    Picker* scheme =
        addPicker(column, "expert_quantization", tr("Experts"), tr("Quantization scheme of the routed experts"),
                  [](Scenario& s, const QString& key) { s.quantization.experts = schemeFromName(key.toStdString()); });
    scheme->setEntries(schemeEntriesWith(tr("as the linears")));
    scheme->setSearchable(false);
    addNumber(column, tr("Expert parallel"), tr("devices"),
              tr("Devices that the experts are dealt out over; it divides the ranks and the experts"),
              {"ep", nullptr, [](const Scenario& s) { return s.parallel.ep; },
               [](Scenario& s, std::int64_t n) { s.parallel.ep = n; }})
        ->setScale(SliderScale::even(groupSizes), ticksOf({1, 8, 64, 1024}));
    addNumber(column, tr("Routing skew"), tr("hundredths"),
              tr("Popularity of the experts falls as rank to the power of minus the skew, in hundredths: 0 is uniform, "
                 "100 a Zipf law"),
              {"routing_skew", nullptr, [](const Scenario& s) { return inHundredths(s.routingSkew); },
               [](Scenario& s, std::int64_t n) { s.routingSkew = hundredths(n); }})
        ->setScale(SliderScale::even(steps(200, 5)), ticksOf({0, 50, 100, 200}));
}

void ScenarioPanel::buildImages(QVBoxLayout* column) {
    addNumber(
        column, tr("Images"), tr("per request"),
        tr("Images of each request of a prefill. They are resized as the model's processor does, and their tokens "
           "join the prompt."),
        {"image", nullptr, [](const Scenario& s) { return imageOf(s).count; },
         [](Scenario& s, std::int64_t n) {
             ImageChoice image = imageOf(s);
             image.count = n;
             setImage(s, image);
         }})
        ->setScale(SliderScale::even(steps(16, 1)), ticksOf({0, 4, 8, 16}));
    const auto side = [&](const char* subject, const QString& label, std::int64_t ImageChoice::*pixels) {
        addNumber(column, label, tr("pixels"), tr("Before the resize"),
                  {subject, nullptr, [pixels](const Scenario& s) { return imageOf(s).*pixels; },
                   [pixels](Scenario& s, std::int64_t n) {
                       ImageChoice image = imageOf(s);
                       image.*pixels = n;
                       setImage(s, image);
                   }})
            ->setScale(SliderScale::logarithmic(32, 8192), ticksOf({32, 256, 1080, 8192}));
    };
    side("image height", tr("Image height"), &ImageChoice::height);
    side("image width", tr("Image width"), &ImageChoice::width);
    addNumber(column, tr("Vision TP"), tr("devices"), tr("Devices that share the vision tower; 1: each has it whole"),
              {"vision_tp", nullptr, [](const Scenario& s) { return s.parallel.visionTp; },
               [](Scenario& s, std::int64_t n) { s.parallel.visionTp = n; }})
        ->setScale(SliderScale::even({1, 2, 4, 8, 16}), ticksOf({1, 2, 4, 8, 16}));
}

void ScenarioPanel::refreshMore() {
    const auto model = workbench_.catalog().findModel(workbench_.scenario().model);
    if (model == nullptr) return;
    for (const char* subject : {"expert_quantization", "ep", "routing_skew"})
        fields_.at(subject)->setVisible(model->text.moe.has_value());
    for (const char* subject : {"image", "image height", "image width", "vision_tp"})
        fields_.at(subject)->setVisible(model->vision.has_value());
    for (const char* subject : {"mtp_lm_head_tp"}) fields_.at(subject)->setVisible(workbench_.scenario().mtpTokens > 0);
}

void ScenarioPanel::buildMore(QVBoxLayout* column) {
    allFull_ = new QCheckBox(tr("Full attention in every layer"), column->parentWidget());
    allFull_->setToolTip(tr("As if the model had no linear-attention layers: shows what the hybrid saves"));
    allFull_->setAccessibleName(allFull_->text());
    column->addWidget(allFull_);
    connect(allFull_, &QCheckBox::toggled, this, [this](bool on) {
        Scenario next = workbench_.scenario();
        next.allFull = on;
        workbench_.edit(next, on ? tr("Full attention in every layer") : tr("Hybrid attention"));
    });

    moreButton_ = new QToolButton(column->parentWidget());
    moreButton_->setText(tr("More: splits, images, experts, layers"));
    moreButton_->setAccessibleName(moreButton_->text());
    moreButton_->setToolTip(tr("Settings that are needed less often"));
    moreButton_->setCheckable(true);
    moreButton_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    moreButton_->setAutoRaise(true);
    moreButton_->setFocusPolicy(Qt::StrongFocus);
    moreButton_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    column->addWidget(moreButton_);
    more_ = new QWidget(column->parentWidget());
    auto* inner = new QVBoxLayout(more_);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(column->spacing());
    column->addWidget(more_);
    connect(moreButton_, &QToolButton::toggled, this, &ScenarioPanel::setMoreOpen);

    paddingMask_ = new QCheckBox(tr("Padding mask"), more_);
    paddingMask_->setToolTip(tr("The requests are padded to one length: adds a masking operator to each linear layer"));
    paddingMask_->setAccessibleName(paddingMask_->text());
    inner->addWidget(paddingMask_);
    connect(paddingMask_, &QCheckBox::toggled, this, [this](bool on) {
        Scenario next = workbench_.scenario();
        next.paddingMask = on;
        workbench_.edit(next, tr("Padding mask"));
    });
    buildSplits(inner);
    buildExperts(inner);
    buildImages(inner);
    Picker* head =
        addPicker(inner, "lm_head_quantization", tr("lm_head"), tr("Quantization scheme of the lm_head"),
                  [](Scenario& s, const QString& key) { s.quantization.lmHead = schemeFromName(key.toStdString()); });
    head->setEntries(schemeEntriesWith(tr("unquantized")));
    head->setSearchable(false);
    addNumber(inner, tr("Layers kept"), tr("layers"),
              tr("Only the first layers of the model, for looking at it piece by piece"),
              {"layers", nullptr,
               [this](const Scenario& s) {
                   const auto model = workbench_.catalog().findModel(s.model);
                   return s.layers.value_or(model != nullptr ? model->layerCount() : 1);
               },
               [this](Scenario& s, std::int64_t n) {
                   const auto model = workbench_.catalog().findModel(s.model);
                   s.layers = model != nullptr && n == model->layerCount() ? std::nullopt : std::optional(n);
               }});
    setMoreOpen(false);
}

} // namespace deltascope::ui
