// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a whole: what it shows, its keys, its geometry; and the program's command line.
#include "warnings.h" // Qt first: moc of Qt 6.4 stumbles over <concepts> otherwise

#include "base/format.h"
#include "baseline_pill.h"
#include "key_sheet.h"
#include "main_window.h"
#include "notice_bar.h"
#include "options.h"
#include "panels/details_panel.h"
#include "panels/headline_bar.h"
#include "panels/scenario_panel.h"
#include "panels/text.h"
#include "theme/theme.h"
#include "workbench/presets.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMimeData>
#include <QProcess>
#include <QScrollBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QToolButton>

using namespace deltascope;
using namespace deltascope::ui;

namespace {

Catalog builtIn() { return Catalog::load(defaultCatalogFolders(DELTASCOPE_SOURCE_DIR)); }

struct Desk {
    Workbench workbench{builtIn(), initialScenario()};
    MainWindow window{workbench, MainWindow::Memory::forget};

    explicit Desk(QSize size = {1280, 720}) {
        window.resize(size);
        window.show();
        window.activateWindow();
        if (!QTest::qWaitForWindowActive(&window)) qWarning("the window does not become active");
        window.resetLayout();
        window.resize(size);
        QCoreApplication::processEvents();
    }
};

bool isControl(const QWidget* widget) {
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QAbstractSlider*>(widget) ||
           qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QComboBox*>(widget) ||
           qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const QTabBar*>(widget) ||
           (qobject_cast<const QLineEdit*>(widget) && !qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()));
}

/// Parts of other controls, which people do not meet as such.
bool isPartOfAnother(const QWidget* widget) {
    if (qobject_cast<const QScrollBar*>(widget)) return true;
    for (const QWidget* parent = widget->parentWidget(); parent != nullptr; parent = parent->parentWidget())
        if (qobject_cast<const QAbstractItemView*>(parent) || qobject_cast<const QTabBar*>(parent) ||
            qobject_cast<const QMenuBar*>(parent) || qobject_cast<const QLineEdit*>(parent) ||
            parent->objectName() == QLatin1String("qt_toolbar_ext_button"))
            return true;
    return widget->objectName() == QLatin1String("qt_toolbar_ext_button");
}

QString nameOfWidget(const QWidget* widget) {
    QString name = widget->accessibleName();
    if (name.isEmpty())
        if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) name = button->text();
    return name;
}

QString described(const QWidget* widget) {
    QString text = QString::fromLatin1(widget->metaObject()->className()) + QStringLiteral(" '") + nameOfWidget(widget);
    if (const auto* label = qobject_cast<const QLabel*>(widget)) text += label->text();
    text += QStringLiteral("' in ");
    for (const QWidget* parent = widget->parentWidget(); parent != nullptr; parent = parent->parentWidget())
        text += QString::fromLatin1(parent->metaObject()->className()) + QLatin1Char(' ');
    return text;
}

/// Labels and buttons that get less room than their text needs.
QStringList cutOff(const QWidget& window) {
    QStringList found;
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || isPartOfAnother(widget)) continue;
        const auto* label = qobject_cast<const QLabel*>(widget);
        const bool fixed = (label != nullptr && !label->wordWrap() && !label->text().isEmpty() &&
                            label->toolTip() != label->text() && !label->inherits("deltascope::ui::ElidedLabel")) ||
                           (qobject_cast<const QAbstractButton*>(widget) != nullptr &&
                            !widget->inherits("deltascope::ui::BaselinePill"));
        if (!fixed) continue;
        const QSize needed = widget->minimumSizeHint().isValid() && label == nullptr
                                 ? widget->minimumSizeHint().boundedTo(widget->sizeHint())
                                 : widget->sizeHint();
        if (widget->width() < needed.width() || widget->height() < needed.height() - 1)
            found << described(widget) + QStringLiteral(" %1x%2 of %3x%4")
                                             .arg(widget->width())
                                             .arg(widget->height())
                                             .arg(needed.width())
                                             .arg(needed.height());
        // Inside its parent, unless that scrolls.
        const QWidget* parent = widget->parentWidget();
        if (!parent->rect().contains(widget->geometry())) found << described(widget) + QStringLiteral(" sticks out");
    }
    return found;
}

struct Run {
    int status = -1;
    QString out, err;
};

Run runProgram(const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.remove(QStringLiteral("DISPLAY"));
    environment.remove(QStringLiteral("WAYLAND_DISPLAY"));
    environment.remove(QStringLiteral("QT_QPA_PLATFORM"));
    const QTemporaryDir home;
    environment.insert(QStringLiteral("HOME"), home.path());
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), home.path());
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(DELTASCOPE_BINARY_DIR "/bin/deltascope"), arguments);
    if (!process.waitForFinished(60000)) return {};
    Run run;
    run.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
    run.out = QString::fromUtf8(process.readAllStandardOutput());
    run.err = QString::fromUtf8(process.readAllStandardError());
    return run;
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { applyTheme(ThemeChoice::light); }
    void init() { failOnWarnings(); }

    void showsARealResultAtOnce() {
        Desk desk;
        const Simulation& s = *desk.workbench.simulation();
        QCOMPARE(desk.window.headline()->stepTime()->valueText(), toQString(formatSeconds(s.totals.time)));
        QVERIFY(desk.window.fitText().startsWith(QStringLiteral("fits")));
        QVERIFY(desk.window.fitText().contains(toQString(formatBytes(s.memory.free()))));
        QVERIFY(desk.window.fitText().contains(QStringLiteral("to simulate")));
        QVERIFY(desk.window.scenarioText().contains(QStringLiteral("Qwen3.5-27B")));
        QVERIFY(desk.window.scenarioText().contains(QStringLiteral("TP 2")));
        QVERIFY(desk.window.windowTitle().contains(QStringLiteral("Qwen3.5-27B")));
        QCOMPARE(desk.window.tabNames(), QStringList({"timeline", "layers", "memory", "operators"}));
    }

    void statusSaysWhatDoesNotFitAndWhatIsRefused() {
        Desk desk;
        Scenario next = desk.workbench.scenario();
        next.queries = 4096;
        next.contextLength = 65536;
        desk.workbench.edit(next, QStringLiteral("much"));
        QVERIFY(desk.window.fitText().startsWith(QStringLiteral("does not fit")));
        next.parallel.tp = 32;
        desk.workbench.edit(next, QStringLiteral("TP"));
        QVERIFY(desk.window.fitText().contains(QStringLiteral("refused: tp")));
        QVERIFY(!desk.window.action(QStringLiteral("pin"))->isEnabled());
    }

    void keysChooseTabs() {
        Desk desk;
        for (int i = 0; i < 4; ++i) {
            QTest::keyClick(&desk.window, static_cast<Qt::Key>(Qt::Key_1 + i), Qt::ControlModifier);
            QCOMPARE(desk.window.tabs()->currentIndex(), i);
        }
        QVERIFY(desk.window.showTab(QStringLiteral("LAYERS")));
        QCOMPARE(desk.window.tabs()->currentIndex(), 1);
        QVERIFY(!desk.window.showTab(QStringLiteral("nothing")));
        QTest::keyClick(&desk.window, Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(desk.window.tabs()->currentIndex(), 3);
        QVERIFY(qobject_cast<QLineEdit*>(QApplication::focusWidget()) != nullptr);
    }

    void baselineByKeysAndButtons() {
        Desk desk;
        QVERIFY(!desk.window.action(QStringLiteral("swap"))->isEnabled());
        desk.window.setFocus();
        QTest::keyClick(&desk.window, Qt::Key_B);
        QVERIFY(desk.workbench.baseline() != nullptr);
        QVERIFY(desk.window.pill()->fullText().contains(QStringLiteral("W8A8 static")));
        Scenario next = desk.workbench.scenario();
        next.quantization.linear = Scheme::w4a8Static;
        desk.workbench.edit(next, QStringLiteral("W4A8"));
        QCOMPARE(desk.window.pill()->fullText(), QStringLiteral("linears W8A8 static → W4A8 static"));
        desk.window.action(QStringLiteral("swap"))->trigger();
        QVERIFY(desk.workbench.scenario().quantization.linear == Scheme::w8a8Static);
        QTest::keyClick(&desk.window, Qt::Key_B, Qt::ShiftModifier);
        QVERIFY(desk.workbench.baseline() == nullptr);
        QTest::keyClick(&desk.window, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(desk.workbench.scenario().quantization.linear == Scheme::w4a8Static);
        QTest::keyClick(&desk.window, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(desk.workbench.scenario() == initialScenario());
        QTest::keyClick(&desk.window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(desk.workbench.scenario().quantization.linear == Scheme::w4a8Static);
    }

    void typingABInAFieldPinsNothing() {
        Desk desk;
        desk.window.showTab(QStringLiteral("operators"));
        QTest::keyClick(&desk.window, Qt::Key_F, Qt::ControlModifier);
        QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("b"));
        QVERIFY(desk.workbench.baseline() == nullptr);
    }

    void presetsSetBothAndOnceMoreSwaps() {
        Desk desk;
        QAction* weights = desk.window.action(QStringLiteral("weights"));
        weights->trigger();
        QVERIFY(desk.workbench.baselineScenario().quantization.linear == Scheme::w8a8Static);
        QVERIFY(desk.workbench.scenario().quantization.linear == Scheme::w4a8Static);
        QTRY_VERIFY(desk.window.headline()->stepTime()->differenceText().contains(QStringLiteral("−")));
        weights->trigger();
        QVERIFY(desk.workbench.scenario().quantization.linear == Scheme::w8a8Static);
        QVERIFY(desk.workbench.baselineScenario().quantization.linear == Scheme::w4a8Static);

        desk.window.action(QStringLiteral("attention"))->trigger();
        QVERIFY(!desk.workbench.baselineScenario().allFull);
        QVERIFY(desk.workbench.scenario().allFull);
        QCOMPARE(desk.workbench.simulation()->step.rule, Rule::none);
        Scenario dense = desk.workbench.scenario();
        dense.allFull = false;
        dense.model = "Qwen3-8B";
        desk.workbench.edit(dense, QStringLiteral("Qwen3-8B"));
        QVERIFY(!desk.window.action(QStringLiteral("attention"))->isEnabled());
    }

    void aPresetThatIsRefusedIsSaid() {
        Desk desk;
        Scenario next = desk.workbench.scenario();
        next.device = "NVIDIA_L40S";
        next.parallel.tp = 32;
        desk.workbench.edit(next, QStringLiteral("TP 32"));
        desk.window.action(QStringLiteral("weights"))->trigger();
        QVERIFY(desk.window.notice()->isVisible());
        QVERIFY(desk.window.notice()->text().contains(QStringLiteral("32")));
        QVERIFY(desk.workbench.baseline() == nullptr);
    }

    void menusHoldEveryShortcutOnce() {
        Desk desk;
        QMap<QString, QString> taken;
        int keys = 0;
        for (const auto& [menu, entries] : KeySheet::keysOf(*desk.window.menuBar()))
            for (const auto& [key, what] : entries) {
                QVERIFY2(!taken.contains(key), qPrintable(key + QStringLiteral(": ") + what + taken.value(key)));
                taken.insert(key, what);
                ++keys;
            }
        QVERIFY(keys >= 20);
        for (const char* key : {"B", "Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+1", "Ctrl+4", "Ctrl+F", "F1"})
            QVERIFY2(taken.contains(QLatin1String(key)), key);
        QTest::keyClick(&desk.window, Qt::Key_F1);
        auto* sheet = desk.window.findChild<KeySheet*>();
        QVERIFY(sheet != nullptr && sheet->isVisible());
        sheet->close();
    }

    void scenarioMenuFollowsAndEdits() {
        Desk desk;
        QVERIFY(desk.window.action(QStringLiteral("decode"))->isChecked());
        desk.window.action(QStringLiteral("prefill"))->trigger();
        QVERIFY(desk.workbench.scenario().phase == Phase::prefill);
        QVERIFY(desk.window.action(QStringLiteral("prefill"))->isChecked());
        desk.window.action(QStringLiteral("allFull"))->trigger();
        QVERIFY(desk.workbench.scenario().allFull);
        QVERIFY(desk.window.action(QStringLiteral("allFull"))->isChecked());
        desk.window.action(QStringLiteral("paddingMask"))->trigger();
        QVERIFY(desk.workbench.scenario().paddingMask);
        desk.window.action(QStringLiteral("resetScenario"))->trigger();
        QVERIFY(desk.workbench.scenario() == initialScenario());
    }

    void panelsHideAndTheLayoutComesBack() {
        Desk desk;
        QAction* scenario = desk.window.action(QStringLiteral("scenarioPanel"));
        QVERIFY(scenario->isChecked());
        scenario->trigger();
        QVERIFY(!desk.window.scenarioPanel()->isVisible());
        desk.window.action(QStringLiteral("detailsPanel"))->trigger();
        QVERIFY(!desk.window.details()->isVisible());
        desk.window.action(QStringLiteral("resetLayout"))->trigger();
        QVERIFY(desk.window.scenarioPanel()->isVisible());
        QVERIFY(desk.window.details()->isVisible());
        QVERIFY(scenario->isChecked());
    }

    void aSelectionIsExplained() {
        Desk desk;
        const auto id = OperatorId::parse("text/3/self_attn.attn/attention/0");
        std::optional<OperatorRef> ref;
        desk.workbench.simulation()->forEachOperator([&](OperatorRef at) {
            if (desk.workbench.simulation()->op(at).kind == OperatorKind::attention && !ref) ref = at;
        });
        QVERIFY(ref.has_value());
        desk.workbench.select(ref);
        QTRY_COMPARE(desk.window.details()->titleText(), QStringLiteral("attention"));
        desk.window.action(QStringLiteral("deselect"))->trigger();
        QTRY_COMPARE(desk.window.details()->titleText(), QStringLiteral("The step"));
    }

    void droppedFilesOpen() {
        Desk desk;
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QStringLiteral(DELTASCOPE_SOURCE_DIR "/models/Qwen3.5-9B/config.json"))});
        QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&desk.window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&desk.window, &drop);
        QCOMPARE(desk.workbench.scenario().model, std::string("Qwen3.5-9B"));

        data.setUrls({QUrl::fromLocalFile(QStringLiteral(DELTASCOPE_SOURCE_DIR "/LICENSE"))});
        QDragEnterEvent again({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&desk.window, &again);
        QDropEvent wrong({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(&desk.window, &wrong);
        QVERIFY(desk.window.notice()->isVisible());
        QVERIFY(desk.window.notice()->text().contains(QStringLiteral("LICENSE")));
        QCOMPARE(desk.workbench.scenario().model, std::string("Qwen3.5-9B"));

        QMimeData text;
        text.setText(QStringLiteral("no file"));
        QDragEnterEvent refused({10, 10}, Qt::CopyAction, &text, Qt::LeftButton, {});
        refused.ignore();
        QApplication::sendEvent(&desk.window, &refused);
        QVERIFY(!refused.isAccepted());
    }

    void nothingIsCutOff_data() {
        QTest::addColumn<QString>("tab");
        QTest::addColumn<bool>("dark");
        QTest::addColumn<bool>("baseline");
        for (const char* tab : {"timeline", "layers", "memory", "operators"})
            for (const bool dark : {false, true})
                QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(QLatin1String(tab), dark ? "dark" : "light")))
                    << QString::fromLatin1(tab) << dark << dark;
    }
    void nothingIsCutOff() {
        QFETCH(QString, tab);
        QFETCH(bool, dark);
        QFETCH(bool, baseline);
        Desk desk({1280, 720});
        desk.window.chooseTheme(dark ? ThemeChoice::dark : ThemeChoice::light);
        QVERIFY(desk.window.showTab(tab));
        if (baseline) desk.window.action(QStringLiteral("attention"))->trigger();
        QCOMPARE(desk.window.size(), QSize(1280, 720));
        QStringList found;
        for (int turn = 0; turn < 40; ++turn) { // layouts follow the figures with the next events
            QTest::qWait(25);
            if (found = cutOff(desk.window); found.isEmpty()) break;
        }
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
        // The scenario's controls, a closed "More" included, are all on screen without scrolling.
        QVERIFY(desk.window.scenarioPanel()->verticalScrollBar()->maximum() == 0);
        desk.window.chooseTheme(ThemeChoice::light);
    }

    void headlineFiguresAreWholeWithABaseline() {
        Desk desk({1280, 720});
        desk.window.action(QStringLiteral("weights"))->trigger();
        QTest::qWait(20);
        for (const QLabel* label : desk.window.headline()->findChildren<QLabel*>())
            if (label->isVisible()) QVERIFY2(!label->text().contains(QChar(0x2026)), qPrintable(label->text()));
    }

    void everyControlHasANameAndTheKeyboardReachesIt_data() {
        QTest::addColumn<QString>("tab");
        for (const char* tab : {"timeline", "layers", "memory", "operators"})
            QTest::newRow(tab) << QString::fromLatin1(tab);
    }
    void everyControlHasANameAndTheKeyboardReachesIt() {
        QFETCH(QString, tab);
        Desk desk({1600, 900});
        desk.window.action(QStringLiteral("weights"))->trigger();
        desk.window.showTab(tab);
        QTest::qWait(20);
        QSet<const QWidget*> reached;
        QWidget* at = &desk.window;
        do {
            if (at->isVisible() && at->isEnabled() && (at->focusPolicy() & Qt::TabFocus)) {
                reached << at;
                if (at->focusProxy() != nullptr) reached << at->focusProxy();
            }
            at = at->nextInFocusChain();
        } while (at != &desk.window);
        QVERIFY(reached.size() > 20);
        for (const QWidget* widget : desk.window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || !widget->isEnabled() || !isControl(widget) || isPartOfAnother(widget)) continue;
            QVERIFY2(!nameOfWidget(widget).isEmpty(), qPrintable(described(widget)));
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            if (button != nullptr && button->group() != nullptr && !button->isChecked()) continue;
            QVERIFY2(reached.contains(widget), qPrintable(described(widget)));
        }
    }

    void themesChangeTheWindow() {
        Desk desk;
        desk.window.chooseTheme(ThemeChoice::dark);
        QVERIFY(theme().dark);
        const QColor dark = desk.window.grab().toImage().pixelColor(700, 100);
        QVERIFY(dark.lightness() < 80);
        desk.window.chooseTheme(ThemeChoice::light);
        const QColor light = desk.window.grab().toImage().pixelColor(700, 100);
        QVERIFY(light.lightness() > 200);
    }

    void optionsAreUnderstoodOrRefused() {
        const auto options = parseOptions({"--screenshot", "a.png", "--tab=memory", "--size", "1920x1080", "--theme",
                                           "dark", "--scale", "2", "--baseline", "w4a8", "--select", "x", "b.yaml"});
        QVERIFY(options);
        QCOMPARE(options->screenshot, QStringLiteral("a.png"));
        QCOMPARE(options->tab, QStringLiteral("memory"));
        QCOMPARE(options->size, QSize(1920, 1080));
        QVERIFY(options->theme == ThemeChoice::dark);
        QCOMPARE(options->scale, 2);
        QCOMPARE(options->baseline, QStringLiteral("w4a8"));
        QCOMPARE(options->files, QStringList{"b.yaml"});
        QCOMPARE(parseOptions({"--", "--strange"})->files, QStringList{"--strange"});
        for (const QStringList& wrong : {QStringList{"--nothing"}, QStringList{"--size", "big"},
                                         QStringList{"--size", "10x10"}, QStringList{"--theme", "pink"},
                                         QStringList{"--scale", "0"}, QStringList{"--screenshot"}, QStringList{"-x"}}) {
            const auto refused = parseOptions(wrong);
            QVERIFY2(!refused, qPrintable(wrong.join(' ')));
            QVERIFY(refused.error().code == ErrorCode::usage);
            QVERIFY(!refused.error().text().empty());
        }
        for (const char* name : {"--screenshot", "--tab", "--baseline", "--select"})
            QVERIFY(usageText().contains(QLatin1String(name)));
    }

    void programPrintsHelpAndVersion() {
        const Run help = runProgram({"--help"});
        QCOMPARE(help.status, 0);
        QCOMPARE(help.out, usageText());
        QVERIFY2(help.err.isEmpty(), qPrintable(help.err));
        const Run version = runProgram({"--version"});
        QCOMPARE(version.status, 0);
        QVERIFY(version.out.startsWith(QStringLiteral("deltascope ")));
    }

    void programTakesPictures() {
        const QTemporaryDir dir;
        const QString file = dir.filePath(QStringLiteral("a.png"));
        const Run run = runProgram({"--screenshot", file, "--tab", "operators", "--size", "1280x720", "--scale", "2",
                                    "--theme", "dark", "--baseline", "w4a8"});
        QVERIFY2(run.status == 0, qPrintable(run.err));
        QVERIFY2(run.err.isEmpty(), qPrintable(run.err));
        const QImage image(file);
        QCOMPARE(image.size(), QSize(2560, 1440));
        QVERIFY(image.pixelColor(1200, 100).lightness() < 90);
    }

    void programRefusesInOneLine_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::newRow("option") << QStringList{"--nothing"} << 2;
        QTest::newRow("tab") << QStringList{"--screenshot", "PNG", "--tab", "nothing"} << 2;
        QTest::newRow("folder") << QStringList{"--screenshot", "/no/such/folder/a.png"} << 1;
        QTest::newRow("scenario") << QStringList{"--screenshot", "PNG", "--scenario", "/no/such.yaml"} << 1;
        QTest::newRow("baseline") << QStringList{"--screenshot", "PNG", "--baseline", "/no/such.yaml"} << 1;
        QTest::newRow("select") << QStringList{"--screenshot", "PNG", "--select", "text/0/none/linear/0"} << 1;
        QTest::newRow("display") << QStringList{} << 1;
    }
    void programRefusesInOneLine() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        const QTemporaryDir dir;
        arguments.replaceInStrings(QStringLiteral("PNG"), dir.filePath(QStringLiteral("a.png")));
        const Run run = runProgram(arguments);
        QCOMPARE(run.status, status);
        QVERIFY2(run.err.endsWith('\n') && run.err.count('\n') == 1, qPrintable(run.err));
        QVERIFY(run.err.startsWith(QStringLiteral("deltascope: ")));
        QVERIFY(!QFile::exists(dir.filePath(QStringLiteral("a.png"))));
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
