// SPDX-License-Identifier: GPL-3.0-or-later
// Menus, toolbar and what they do.
#include "main_window.h"

#include "base/file.h"
#include "baseline_pill.h"
#include "io/scenario_file.h"
#include "io/simulation_output.h"
#include "key_sheet.h"
#include "notice_bar.h"
#include "panels/details_panel.h"
#include "panels/picker.h"
#include "panels/scenario_panel.h"
#include "panels/segmented_control.h"
#include "panels/text.h"
#include "screenshot.h"
#include "tables/operators_view.h"
#include "timeline/timeline_view.h"
#include "workbench/presets.h"

#include <QActionGroup>
#include <QApplication>
#include <QCheckBox>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>

#include <functional>

namespace deltascope::ui {

QAction* MainWindow::add(QMenu* menu, const QString& name, const QString& text, const QKeySequence& key,
                         const QString& tip, const std::function<void()>& run) {
    QAction* action = menu->addAction(text);
    action->setObjectName(name);
    actions_.insert(name, action);
    action->setShortcut(key);
    const QString keys = key.isEmpty() ? QString() : tr(" (%1)").arg(key.toString(QKeySequence::NativeText));
    action->setToolTip(tip + keys);
    action->setStatusTip(QString());
    connect(action, &QAction::triggered, this, run);
    return action;
}

void MainWindow::buildMenus() {
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildScenarioMenu();
    buildCompareMenu();
    buildHelpMenu();
}

void MainWindow::buildFileMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&File"));
    add(menu, QStringLiteral("open"), tr("&Open…"), QKeySequence::Open,
        tr("Open a model's config.json, a device, an engine or a scenario"), [this] { openDialog(); })
        ->setIconText(tr("Open…"));
    add(menu, QStringLiteral("save"), tr("&Save scenario as…"), QKeySequence::SaveAs,
        tr("Write the scenario as a YAML file that opens again"), [this] { saveScenario(); });
    add(menu, QStringLiteral("export"), tr("&Export step…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_X),
        tr("Write the simulated step as JSON, CSV or a Chrome trace"), [this] { exportStep(); });
    add(menu, QStringLiteral("picture"), tr("Save &picture of the window…"),
        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E), tr("Save the window as a PNG"), [this] { savePicture(); });
    menu->addSeparator();
    add(menu, QStringLiteral("quit"), tr("&Quit"), QKeySequence::Quit, tr("Close the window"), [this] { close(); });
}

void MainWindow::buildEditMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Edit"));
    QUndoStack& stack = workbench_.undoStack();
    const auto adopt = [&](QAction* action, const char* name, const QString& label, const QKeySequence& key) {
        action->setObjectName(QLatin1String(name));
        actions_.insert(action->objectName(), action);
        action->setShortcut(key);
        action->setIconText(label);
        menu->addAction(action);
    };
    adopt(stack.createUndoAction(this, tr("&Undo")), "undo", tr("Undo"), QKeySequence(Qt::CTRL | Qt::Key_Z));
    adopt(stack.createRedoAction(this, tr("&Redo")), "redo", tr("Redo"),
          QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z));
    menu->addSeparator();
    add(menu, QStringLiteral("find"), tr("&Search operators"), QKeySequence::Find, tr("Search the operators"),
        [this] { findOperators(); });
    add(menu, QStringLiteral("deselect"), tr("&Clear selection"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A),
        tr("Show the step as a whole in the details"), [this] { workbench_.select(std::nullopt); });
}

void MainWindow::buildViewMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < tabs_->count(); ++i)
        add(menu, QStringLiteral("tab%1").arg(i + 1), tabs_->tabText(i),
            QKeySequence(static_cast<int>(Qt::CTRL) | (Qt::Key_1 + i)), tr("Show %1").arg(tabs_->tabText(i)),
            [this, i] { tabs_->setCurrentIndex(i); });
    QMenu* onTimeline = menu->addMenu(tr("On the t&imeline"));
    for (const auto& group : timeline_->actionGroups()) {
        onTimeline->addActions(group);
        onTimeline->addSeparator();
    }
    menu->addSeparator();
    const auto addToggle = [&](QWidget* panel, const char* name, const QString& text, Qt::Key key) {
        QAction* action = add(menu, QLatin1String(name), text, QKeySequence(key), text, [] {});
        action->setCheckable(true);
        connect(action, &QAction::toggled, panel, &QWidget::setVisible);
    };
    addToggle(scenario_, "scenarioPanel", tr("Scenario panel"), Qt::Key_F6);
    addToggle(detailsCard_, "detailsPanel", tr("Details panel"), Qt::Key_F7);
    QAction* full = add(menu, QStringLiteral("fullScreen"), tr("&Full screen"), QKeySequence(Qt::Key_F11),
                        tr("Full screen"), [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    full->setCheckable(true);
    menu->addSeparator();
    QMenu* themes = menu->addMenu(tr("&Theme"));
    themes_ = new QActionGroup(this);
    const std::array names{tr("As the &system"), tr("&Light"), tr("&Dark")};
    for (std::size_t i = 0; i < names.size(); ++i) {
        QAction* action = add(themes, QStringLiteral("theme%1").arg(i), names[i], {}, names[i],
                              [i] { applyTheme(static_cast<ThemeChoice>(i)); });
        action->setCheckable(true);
        themes_->addAction(action);
    }
    themes_->actions().front()->setChecked(true);
    add(menu, QStringLiteral("resetLayout"), tr("&Reset layout"), {}, tr("Panels and sizes as they were at first"),
        [this] { resetLayout(); });
}

void MainWindow::buildScenarioMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Scenario"));
    const auto addPhase = [&](int index, const char* name, const QString& text, const QKeySequence& key) {
        QAction* action = add(menu, QLatin1String(name), text, key, text,
                              [this, index] { emit scenario_->phaseControl()->chosen(index); });
        action->setCheckable(true);
        return action;
    };
    auto* phases = new QActionGroup(this);
    phases->addAction(addPhase(0, "prefill", tr("&Prefill"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)));
    phases->addAction(addPhase(1, "decode", tr("&Decode"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)));
    menu->addSeparator();
    const auto addPicker = [&](const char* subject, const QString& text, const QKeySequence& key) {
        add(menu, QStringLiteral("choose_%1").arg(QLatin1String(subject)), text, key, text, [this, subject] {
            scenario_->show();
            Picker* picker = scenario_->picker(subject);
            scenario_->ensureWidgetVisible(picker);
            picker->setFocus(Qt::ShortcutFocusReason);
            picker->showPopup();
        });
    };
    addPicker("model", tr("Choose &model…"), QKeySequence(Qt::CTRL | Qt::Key_M));
    addPicker("device", tr("Choose &device…"), QKeySequence(Qt::CTRL | Qt::Key_D));
    addPicker("engine", tr("Choose &engine…"), QKeySequence(Qt::CTRL | Qt::Key_E));
    addPicker("quantization", tr("Choose &quantization…"), QKeySequence(Qt::CTRL | Qt::Key_T));
    menu->addSeparator();
    const auto addBox = [&](QCheckBox* box, const char* name, const QKeySequence& key) {
        QAction* action = add(menu, QLatin1String(name), box->text(), key, box->toolTip(), [box] { box->toggle(); });
        action->setCheckable(true);
    };
    addBox(scenario_->allFullBox(), "allFull", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F));
    addBox(scenario_->paddingMaskBox(), "paddingMask", {});
    menu->addSeparator();
    add(menu, QStringLiteral("resetScenario"), tr("&Reset scenario"), {}, tr("The scenario the program starts with"),
        [this] { workbench_.edit(initialScenario(), tr("Reset scenario")); });
}

void MainWindow::buildCompareMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Compare"));
    add(menu, QStringLiteral("pin"), tr("&Pin as baseline"), QKeySequence(Qt::Key_B),
        tr("Pin what is on screen as baseline A"), [this] { workbench_.pinBaseline(); })
        ->setIconText(tr("Pin (B)"));
    add(menu, QStringLiteral("swap"), tr("&Swap A and B"), QKeySequence(Qt::CTRL | Qt::Key_B),
        tr("What is on screen becomes the baseline, and the other way round"),
        [this] { workbench_.swapWithBaseline(); })
        ->setIconText(tr("Swap A/B"));
    add(menu, QStringLiteral("clear"), tr("&Clear baseline"), QKeySequence(Qt::SHIFT | Qt::Key_B),
        tr("Compare with nothing"), [this] { workbench_.clearBaseline(); })
        ->setIconText(tr("Clear"));
    menu->addSeparator();
    add(menu, QStringLiteral("weights"), tr("&W8A8 ↔ W4A8"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_W),
        tr("8-bit weights as the baseline, 4-bit weights on screen; once more swaps them"), [this] { showPair(true); });
    add(menu, QStringLiteral("attention"), tr("&Hybrid ↔ full"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_H),
        tr("The hybrid as the baseline, full attention in every layer on screen; once more swaps them"),
        [this] { showPair(false); });
}

void MainWindow::buildHelpMenu() {
    QMenu* menu = menuBar()->addMenu(tr("&Help"));
    add(menu, QStringLiteral("keys"), tr("&Keys"), QKeySequence(Qt::Key_F1), tr("All keys"), [this] { showKeys(); });
    add(menu, QStringLiteral("about"), tr("&About DeltaScope"), {}, tr("Version and licence"), [this] { showAbout(); });
}

QToolButton* MainWindow::addButton(QAction* action) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(action->iconText());
    toolBar_->addWidget(button);
    return button;
}

void MainWindow::buildToolBar() {
    toolBar_ = addToolBar(tr("Tools"));
    toolBar_->setObjectName(QStringLiteral("tools"));
    toolBar_->setMovable(false);
    toolBar_->setContextMenuPolicy(Qt::PreventContextMenu);
    for (const char* name : {"open", "undo", "redo"}) addButton(action(QLatin1String(name)));
    toolBar_->addSeparator();
    pill_ = new BaselinePill(workbench_);
    for (const char* name : {"pin", "swap", "clear"}) pill_->addAction(action(QLatin1String(name)));
    toolBar_->addWidget(pill_);
    for (const char* name : {"pin", "swap", "clear"}) addButton(action(QLatin1String(name)));
    toolBar_->addSeparator();
    for (const char* name : {"weights", "attention"}) addButton(action(QLatin1String(name)));
}

void MainWindow::styleToolBar() {
    const Theme& t = theme();
    const QString sheet =
        QStringLiteral(
            "QToolBar { border: 0; border-bottom: 1px solid %1; background: %2; spacing: 6px; padding: 4px 8px; }"
            "QToolBar > QToolButton { border: 1px solid %1; border-radius: 5px; padding: 4px 10px;"
            " background: %3; color: %4; }"
            "QToolBar > QToolButton:hover { background: %5; }"
            "QToolBar > QToolButton:focus { border-color: %6; }"
            "QToolBar > QToolButton:pressed { background: %1; }"
            "QToolBar > QToolButton:disabled { color: %7; background: transparent; }"
            "QToolBar::separator { width: 1px; margin: 4px 4px; background: %1; }")
            .arg(t.border.name(), t.window.name(), t.panel.name(), t.text.name(), t.grid.name(), t.accent.name(),
                 t.ghost.name());
    if (toolBar_->styleSheet() != sheet) toolBar_->setStyleSheet(sheet);
}

void MainWindow::styleTabs() {
    const Theme& t = theme();
    const QString sheet =
        QStringLiteral("QTabBar::tab { background: transparent; color: %1; padding: 6px 14px; border: 0;"
                       " border-top: 2px solid transparent; }"
                       "QTabBar::tab:selected { background: %2; color: %3; border-top-color: %4; font-weight: 600; }"
                       "QTabBar::tab:hover:!selected { color: %3; }"
                       "QTabBar::tab:focus { text-decoration: underline; }")
            .arg(t.mutedText.name(), t.panel.name(), t.text.name(), t.accent.name());
    if (tabs_->tabBar()->styleSheet() != sheet) tabs_->tabBar()->setStyleSheet(sheet);
}

void MainWindow::refreshActions() {
    const bool pinned = workbench_.baseline() != nullptr;
    const auto enable = [this](const char* name, bool on) {
        if (QAction* found = action(QLatin1String(name))) found->setEnabled(on);
    };
    const auto check = [this](const char* name, bool on) {
        if (QAction* found = action(QLatin1String(name))) {
            const QSignalBlocker quiet(found);
            found->setChecked(on);
        }
    };
    enable("swap", pinned);
    enable("clear", pinned);
    enable("pin", !workbench_.refusal().has_value());
    const Scenario& s = workbench_.scenario();
    const auto model = workbench_.catalog().findModel(s.model);
    enable("attention", model != nullptr && model->layerCount(LayerType::linearAttention) > 0);
    check("prefill", s.phase == Phase::prefill);
    check("decode", s.phase == Phase::decode);
    check("allFull", s.allFull);
    check("paddingMask", s.paddingMask);
    check("scenarioPanel", !scenario_->isHidden());
    check("detailsPanel", !detailsCard_->isHidden());
}

void MainWindow::openDialog() {
    openFiles(QFileDialog::getOpenFileNames(
        this, tr("Open"), {}, tr("Models, devices, engines, scenarios (*.json *.yaml *.yml);;All files (*)")));
}

void MainWindow::saveScenario() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Save scenario"), QStringLiteral("scenario.yaml"),
                                                      tr("Scenarios (*.yaml *.yml)"));
    if (path.isEmpty()) return;
    if (const auto saved = writeScenario(path.toStdString(), workbench_.scenario(), workbench_.catalog()); !saved)
        notice_->showError(saved.error());
}

void MainWindow::exportStep() {
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Export step"), QStringLiteral("step.json"),
                                     tr("JSON (*.json);;Operators as CSV (*.csv);;Chrome trace (*.trace.json)"));
    if (path.isEmpty()) return;
    const Simulation& step = *workbench_.simulation();
    const std::string text = path.endsWith(QLatin1String(".csv"))          ? toCsv(step)
                             : path.endsWith(QLatin1String(".trace.json")) ? toChromeTrace(step)
                                                                           : toJson(step);
    if (const auto saved = writeFileWhole(path.toStdString(), text); !saved) notice_->showError(saved.error());
}

void MainWindow::savePicture() {
    const QString path = QFileDialog::getSaveFileName(this, tr("Save picture of the window"),
                                                      QStringLiteral("deltascope.png"), tr("Pictures (*.png)"));
    if (path.isEmpty()) return;
    if (const auto saved = saveScreenshot(*this, path); !saved) notice_->showError(saved.error());
}

void MainWindow::showPair(bool weights) {
    notice_->hide();
    const Scenario& now = workbench_.scenario();
    const ScenarioPair pair = weights ? weightWidthPair(now) : attentionPair(now);
    const bool shown = workbench_.baseline() != nullptr;
    const Scenario& pinned = workbench_.baselineScenario();
    if (shown && ((pinned == pair.a && now == pair.b) || (pinned == pair.b && now == pair.a))) {
        workbench_.swapWithBaseline();
        return;
    }
    const auto done =
        workbench_.showPair(pair.a, pair.b, weights ? tr("W8A8 against W4A8") : tr("Hybrid against full"));
    if (!done) notice_->showError(done.error());
}

void MainWindow::findOperators() {
    tabs_->setCurrentWidget(operators_);
    operators_->findAction()->trigger();
}

void MainWindow::showKeys() {
    auto* sheet = new KeySheet(*menuBar(), this);
    sheet->setAttribute(Qt::WA_DeleteOnClose);
    sheet->show();
}

void MainWindow::showAbout() {
    QMessageBox::about(this, tr("About DeltaScope"),
                       tr("<b>DeltaScope %1</b><p>What one inference step of a hybrid linear/full-attention language "
                          "model costs in time and memory on an accelerator.</p>"
                          "<p>GPL-3.0-or-later. Uses Qt, QCustomPlot, yaml-cpp and JSON for Modern C++.</p>")
                           .arg(QApplication::applicationVersion()));
}

void MainWindow::showCatalogProblems() {
    QStringList lines;
    for (const Error& error : workbench_.catalog().problems()) lines << toQString(error.text());
    QMessageBox box(QMessageBox::Warning, tr("Unreadable files"), tr("These files of the catalog could not be read:"),
                    QMessageBox::Close, this);
    box.setInformativeText(lines.mid(0, 8).join(QStringLiteral("\n\n")));
    if (lines.size() > 8) box.setDetailedText(lines.join(QLatin1Char('\n')));
    box.exec();
}

} // namespace deltascope::ui
