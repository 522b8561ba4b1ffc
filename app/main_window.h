// SPDX-License-Identifier: GPL-3.0-or-later
// The window: scenario on the left, headline figures above, views in tabs, details on the right; menus, toolbar,
// status.
#pragma once

#include "theme/theme.h"
#include "workbench/workbench.h"

#include <QHash>
#include <QMainWindow>

#include <functional>

class QActionGroup;
class QSplitter;
class QTabWidget;
class QToolBar;
class QToolButton;

namespace deltascope::ui {

class BaselinePill;
class Card;
class DetailsPanel;
class ElidedLabel;
class HeadlineBar;
class NoticeBar;
class OperatorsView;
class ScenarioPanel;
class TimelineView;

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    enum class Memory { keep, forget }; ///< whether layout and theme are read from and written to the settings

    explicit MainWindow(Workbench& workbench, Memory memory, QWidget* parent = nullptr);

    [[nodiscard]] ScenarioPanel* scenarioPanel() const { return scenario_; }
    [[nodiscard]] HeadlineBar* headline() const { return headline_; }
    [[nodiscard]] DetailsPanel* details() const { return details_; }
    [[nodiscard]] QTabWidget* tabs() const { return tabs_; }
    [[nodiscard]] NoticeBar* notice() const { return notice_; }
    [[nodiscard]] BaselinePill* pill() const { return pill_; }
    [[nodiscard]] QString fitText() const;
    [[nodiscard]] QString scenarioText() const;
    /// By object name: "pin", "swap", "weights", "attention" ...; null when there is none.
    [[nodiscard]] QAction* action(const QString& name) const;

    /// By its name, in any case. False when there is none.
    bool showTab(const QString& name);
    [[nodiscard]] QStringList tabNames() const;
    void openFiles(const QStringList& paths);
    void say(const Error& error); ///< in the bar under the toolbar
    void chooseTheme(ThemeChoice choice);
    void resetLayout();

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void buildCentre();
    void buildStatusBar();
    void buildMenus();
    void buildFileMenu();
    void buildEditMenu();
    void buildViewMenu();
    void buildScenarioMenu();
    void buildCompareMenu();
    void buildHelpMenu();
    void buildToolBar();
    void restoreLayout();
    void saveLayout() const;
    void styleToolBar();
    void styleTabs();

    QAction* add(QMenu* menu, const QString& name, const QString& text, const QKeySequence& key, const QString& tip,
                 const std::function<void()>& run);
    QToolButton* addButton(QAction* action);
    void addTab(QWidget* view, const QString& title);

    void refreshStatus();
    void refreshActions();
    void openDialog();
    void saveScenario();
    void exportStep();
    void savePicture();
    void showPair(bool weights);
    void findOperators();
    void showKeys();
    void showAbout();
    void showCatalogProblems();

    Workbench& workbench_;
    Memory memory_;
    QSplitter* columns_ = nullptr; ///< scenario | the rest
    QSplitter* inner_ = nullptr;   ///< tabs | details
    ScenarioPanel* scenario_ = nullptr;
    HeadlineBar* headline_ = nullptr;
    QTabWidget* tabs_ = nullptr;
    DetailsPanel* details_ = nullptr;
    Card* detailsCard_ = nullptr;
    NoticeBar* notice_ = nullptr;
    BaselinePill* pill_ = nullptr;
    TimelineView* timeline_ = nullptr;
    OperatorsView* operators_ = nullptr;
    QToolBar* toolBar_ = nullptr;
    QActionGroup* themes_ = nullptr;
    QHash<QString, QAction*> actions_;
    ElidedLabel* fit_ = nullptr;
    ElidedLabel* words_ = nullptr;
    QToolButton* problems_ = nullptr;
};

} // namespace deltascope::ui
