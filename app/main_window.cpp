// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window.h"

#include "base/format.h"
#include "baseline_pill.h"
#include "charts/layers_view.h"
#include "charts/memory_view.h"
#include "explore/fits.h"
#include "notice_bar.h"
#include "panels/details_panel.h"
#include "panels/headline_bar.h"
#include "panels/look.h"
#include "panels/scenario_panel.h"
#include "panels/text.h"
#include "tables/operators_view.h"
#include "timeline/timeline_view.h"

#include <QActionGroup>
#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr int scenarioWidth = 292;
constexpr int detailsWidth = 276;
constexpr QSize usualSize{1280, 800};

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile()) files << url.toLocalFile();
    return files;
}

} // namespace

MainWindow::MainWindow(Workbench& workbench, Memory memory, QWidget* parent)
    : QMainWindow(parent), workbench_(workbench), memory_(memory) {
    setWindowTitle(QStringLiteral("DeltaScope"));
    setAcceptDrops(true);
    buildCentre();
    buildStatusBar();
    buildMenus();
    buildToolBar();
    styleToolBar();
    styleTabs();
    resetLayout();
    if (memory_ == Memory::keep) restoreLayout();
    connect(&workbench_, &Workbench::scenarioChanged, this, [this] {
        refreshStatus();
        refreshActions();
    });
    connect(&workbench_, &Workbench::baselineChanged, this, &MainWindow::refreshActions);
    refreshStatus();
    refreshActions();
}

void MainWindow::addTab(QWidget* view, const QString& title) {
    view->setAccessibleName(title);
    const int index = tabs_->addTab(view, title);
    tabs_->setTabToolTip(index, tr("%1 (Ctrl+%2)").arg(title).arg(index + 1));
}

void MainWindow::buildCentre() {
    scenario_ = new ScenarioPanel(workbench_);
    scenario_->setMinimumWidth(248);
    details_ = new DetailsPanel(workbench_);
    details_->setMinimumWidth(200);
    headline_ = new HeadlineBar(workbench_);
    notice_ = new NoticeBar;

    tabs_ = new QTabWidget;
    tabs_->setDocumentMode(true);
    tabs_->setAccessibleName(tr("Views"));
    tabs_->tabBar()->setAccessibleName(tr("Views"));
    operators_ = new OperatorsView(workbench_);
    operators_->findAction()->setShortcuts({}); // the window's own leads here from every view
    timeline_ = new TimelineView(workbench_);
    addTab(timeline_, tr("Timeline"));
    addTab(new LayersView(workbench_), tr("Layers"));
    addTab(new MemoryView(workbench_), tr("Memory"));
    addTab(operators_, tr("Operators"));
    tabs_->setMinimumWidth(420);

    inner_ = new QSplitter(Qt::Horizontal);
    inner_->addWidget(tabs_);
    detailsCard_ = new Card;
    auto* inCard = new QVBoxLayout(detailsCard_);
    inCard->setContentsMargins(2, 2, 2, 2);
    inCard->addWidget(details_);
    inner_->addWidget(detailsCard_);
    inner_->setStretchFactor(0, 1);
    inner_->setStretchFactor(1, 0);
    inner_->setCollapsible(0, false);

    auto* right = new QWidget;
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(8, 8, 8, 6);
    column->setSpacing(8);
    column->addWidget(notice_);
    column->addWidget(headline_);
    column->addWidget(inner_, 1);

    columns_ = new QSplitter(Qt::Horizontal);
    columns_->addWidget(scenario_);
    columns_->addWidget(right);
    columns_->setStretchFactor(0, 0);
    columns_->setStretchFactor(1, 1);
    columns_->setCollapsible(1, false);
    for (QSplitter* splitter : {columns_, inner_}) splitter->setHandleWidth(5);
    columns_->setHandleWidth(1);
    setCentralWidget(columns_);
}

void MainWindow::buildStatusBar() {
    fit_ = new ElidedLabel;
    fit_->setFont(scaledFont(0.92));
    words_ = new ElidedLabel;
    words_->setFont(scaledFont(0.92));
    words_->setForegroundRole(QPalette::PlaceholderText);
    words_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    problems_ = new QToolButton;
    problems_->setAutoRaise(true);
    problems_->setFont(scaledFont(0.92));
    problems_->setToolTip(tr("Files of the catalog that could not be read"));
    connect(problems_, &QToolButton::clicked, this, &MainWindow::showCatalogProblems);
    statusBar()->addWidget(fit_, 4);
    statusBar()->addPermanentWidget(problems_);
    statusBar()->addPermanentWidget(words_, 6);
    statusBar()->setSizeGripEnabled(false);
    statusBar()->setContentsMargins(10, 0, 10, 0);
}

QString MainWindow::fitText() const { return fit_->fullText(); }
QString MainWindow::scenarioText() const { return words_->fullText(); }
QAction* MainWindow::action(const QString& name) const { return actions_.value(name); }

void MainWindow::refreshStatus() {
    const Simulation& s = *workbench_.simulation();
    const Bytes free = s.memory.free();
    const QString amount = toQString(formatBytes(Bytes(std::abs(free.value()))));
    QString fit;
    switch (fitOf(free, s.memory.limit)) {
    case Fit::doesNotFit: fit = tr("does not fit: %1 too much").arg(amount); break;
    case Fit::tight: fit = tr("tight · %1 free").arg(amount); break;
    case Fit::fits: fit = tr("fits · %1 free").arg(amount); break;
    }
    if (workbench_.refusal())
        fit = tr("refused: %1 · the last result is shown").arg(toQString(workbench_.refusal()->subject));
    else
        fit += tr(" · %1 to simulate").arg(toQString(formatSeconds(workbench_.simulationCost())));
    fit_->setFullText(fit);
    words_->setFullText(scenarioInWords(s));
    const auto problems = static_cast<int>(workbench_.catalog().problems().size());
    problems_->setVisible(problems > 0);
    problems_->setText(tr("%1 unreadable file(s)").arg(problems));
    problems_->setAccessibleName(problems_->text());
    setWindowTitle(tr("%1 %2 — DeltaScope").arg(toQString(s.scenario.model->name), shortLabel(s.scenario.scenario)));
}

bool MainWindow::showTab(const QString& name) {
    for (int i = 0; i < tabs_->count(); ++i)
        if (tabs_->tabText(i).compare(name, Qt::CaseInsensitive) == 0) {
            tabs_->setCurrentIndex(i);
            return true;
        }
    return false;
}

QStringList MainWindow::tabNames() const {
    QStringList names;
    for (int i = 0; i < tabs_->count(); ++i) names << tabs_->tabText(i).toLower();
    return names;
}

void MainWindow::openFiles(const QStringList& paths) {
    notice_->hide();
    for (const QString& path : paths)
        if (const auto opened = workbench_.openFile(path); !opened) notice_->showError(opened.error());
}

void MainWindow::say(const Error& error) { notice_->showError(error); }

void MainWindow::chooseTheme(ThemeChoice choice) {
    applyTheme(choice);
    themes_->actions()[static_cast<int>(choice)]->setChecked(true);
}

void MainWindow::resetLayout() {
    scenario_->show();
    detailsCard_->show();
    if (!isMaximized() && !isFullScreen()) resize(usualSize);
    columns_->setSizes({scenarioWidth, std::max(400, width() - scenarioWidth)});
    const int rest = std::max(400, width() - scenarioWidth - 20);
    inner_->setSizes({rest - detailsWidth, detailsWidth});
    refreshActions();
}

void MainWindow::restoreLayout() {
    QSettings settings;
    settings.beginGroup(QStringLiteral("window"));
    restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
    columns_->restoreState(settings.value(QStringLiteral("columns")).toByteArray());
    inner_->restoreState(settings.value(QStringLiteral("inner")).toByteArray());
    operators_->restoreState(settings.value(QStringLiteral("operators")).toByteArray());
    scenario_->setVisible(settings.value(QStringLiteral("scenario"), true).toBool());
    scenario_->setMoreOpen(settings.value(QStringLiteral("more"), false).toBool());
    detailsCard_->setVisible(settings.value(QStringLiteral("details"), true).toBool());
    tabs_->setCurrentIndex(settings.value(QStringLiteral("tab"), 0).toInt());
    const int theme = settings.value(QStringLiteral("theme"), 0).toInt();
    if (theme >= 0 && theme <= 2) chooseTheme(static_cast<ThemeChoice>(theme));
}

void MainWindow::saveLayout() const {
    QSettings settings;
    settings.beginGroup(QStringLiteral("window"));
    settings.setValue(QStringLiteral("geometry"), saveGeometry());
    settings.setValue(QStringLiteral("columns"), columns_->saveState());
    settings.setValue(QStringLiteral("inner"), inner_->saveState());
    settings.setValue(QStringLiteral("operators"), operators_->saveState());
    settings.setValue(QStringLiteral("scenario"), !scenario_->isHidden());
    settings.setValue(QStringLiteral("more"), scenario_->moreIsOpen());
    settings.setValue(QStringLiteral("details"), !detailsCard_->isHidden());
    settings.setValue(QStringLiteral("tab"), tabs_->currentIndex());
    settings.setValue(QStringLiteral("theme"), static_cast<int>(themes_->actions().indexOf(themes_->checkedAction())));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (memory_ == Memory::keep) saveLayout();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!localFiles(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    openFiles(localFiles(event->mimeData()));
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || toolBar_ == nullptr) return;
    styleToolBar();
    styleTabs();
}

} // namespace deltascope::ui
