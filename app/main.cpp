// SPDX-License-Identifier: GPL-3.0-or-later
// `deltascope`: the window, or a picture of it.
#include "catalog/catalog.h"
#include "first_paint.h"
#include "main_window.h"
#include "options.h"
#include "screenshot.h"
#include "workbench/presets.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMessageBox>

#include <cstdio>
#include <cstring>
#include <exception>

namespace deltascope::ui {
namespace {

/// An exception that escapes a slot is said, not a crash; the window and what it holds stay.
class Application : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        try {
            return QApplication::notify(receiver, event);
        } catch (const std::exception& problem) {
            std::fprintf(stderr, "deltascope: %s\n", problem.what());
        } catch (...) { std::fprintf(stderr, "deltascope: an unknown problem\n"); }
        return false;
    }
};

int fail(const QString& line, int status) {
    std::fprintf(stderr, "deltascope: %s\n", qPrintable(line));
    return status;
}

int fail(const Error& error) {
    return fail(QString::fromStdString(error.text()), error.code == ErrorCode::usage ? 2 : 1);
}

bool mentions(int argc, char** argv, const char* option) {
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], option, std::strlen(option)) == 0) return true;
    return false;
}

/// What Qt reads before any of our code runs: the platform and the scale of a picture. False when there is no display
/// to open a window on, which Qt would answer by aborting.
bool prepareEnvironment(int argc, char** argv) {
    const bool picture = mentions(argc, argv, "--screenshot");
    const bool noDisplay = qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
    const bool quiet =
        picture || mentions(argc, argv, "--help") || mentions(argc, argv, "-h") || mentions(argc, argv, "--version");
    if (quiet && noDisplay) qputenv("QT_QPA_PLATFORM", "offscreen");
    if (noDisplay && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && !mentions(argc, argv, "-platform")) return false;
    for (int i = 1; i < argc; ++i) {
        const QByteArray argument(argv[i]);
        if (!picture) break;
        if (argument.startsWith("--scale=")) qputenv("QT_SCALE_FACTOR", argument.mid(8));
        if (argument == "--scale" && i + 1 < argc) qputenv("QT_SCALE_FACTOR", argv[i + 1]);
    }
    return true;
}

[[noreturn]] void sayFatal(const QString& message) {
    std::fprintf(stderr, "deltascope: %s\n", qPrintable(message.section('\n', 0, 0)));
    std::_Exit(1);
}

void handleMessage(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type == QtFatalMsg) sayFatal(message); // a display that cannot be reached, most of all
    // What the offscreen platform says of every window with a smallest size.
    if (message == QLatin1String("This plugin does not support propagateSizeHints()")) return;
    std::fprintf(stderr, "%s\n", qPrintable(message));
}

Result<void> pinBaseline(Workbench& workbench, const QString& what) {
    if (what == QLatin1String("w4a8")) return workbench.setBaseline(weightWidthPair(workbench.scenario()).b);
    if (what == QLatin1String("full")) return workbench.setBaseline(attentionPair(workbench.scenario()).b);
    return workbench.setBaselineFile(what);
}

Result<void> select(Workbench& workbench, const QString& text) {
    const Result<OperatorId> id = OperatorId::parse(text.toStdString());
    if (!id) return id.error();
    const std::optional<OperatorRef> ref = workbench.simulation()->find(*id);
    if (!ref)
        return Error{ErrorCode::notFound, "--select", text.toStdString(), "the step has no such operator", {}, {}};
    workbench.select(ref);
    return {};
}

/// Applies what the command line asks of scenario, baseline and selection.
Result<void> prepare(Workbench& workbench, const Options& options) {
    QStringList files = options.files;
    if (!options.scenario.isEmpty()) files.prepend(options.scenario);
    for (const QString& file : files)
        if (auto opened = workbench.openFile(file); !opened) return opened.error();
    workbench.undoStack().clear(); // what the command line asks for is where one begins
    if (!options.baseline.isEmpty())
        if (auto pinned = pinBaseline(workbench, options.baseline); !pinned) return pinned.error();
    if (!options.selection.isEmpty()) return select(workbench, options.selection);
    return {};
}

int takePicture(MainWindow& window, const Options& options) {
    window.resize(options.size);
    window.setAttribute(Qt::WA_DontShowOnScreen);
    window.show();
    window.resetLayout();
    window.resize(options.size);
    // Layout, deferred refreshes and the marks on the sliders come with the first events.
    QElapsedTimer elapsed;
    elapsed.start();
    do { QApplication::processEvents(QEventLoop::AllEvents, 50); } while (elapsed.elapsed() < 150);
    const Result<void> saved = saveScreenshot(window, options.screenshot);
    return saved ? 0 : fail(saved.error());
}

int run(int argc, char** argv) {
    if (!prepareEnvironment(argc, argv)) {
        QStringList arguments;
        for (int i = 1; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
        const Result<Options> parsed = parseOptions(arguments);
        return parsed ? fail(QStringLiteral("there is no display to open the window on; --screenshot needs none"), 1)
                      : fail(parsed.error());
    }
    qInstallMessageHandler(handleMessage);
    QApplication::setApplicationName(QStringLiteral("deltascope"));
    QApplication::setApplicationDisplayName(QStringLiteral("DeltaScope"));
    QApplication::setApplicationVersion(QStringLiteral(DELTASCOPE_VERSION));
    QApplication::setOrganizationName(QStringLiteral("DeltaScope"));
    QApplication::setDesktopFileName(QStringLiteral("deltascope"));
    Application app(argc, argv);

    const Result<Options> parsed = parseOptions(app.arguments().mid(1));
    if (!parsed) return fail(parsed.error());
    const Options& options = *parsed;
    if (options.help) {
        std::fputs(qPrintable(usageText()), stdout);
        return 0;
    }
    if (options.version) {
        std::printf("deltascope %s\n", qPrintable(QApplication::applicationVersion()));
        return 0;
    }

    Catalog catalog = Catalog::load(defaultCatalogFolders(QApplication::applicationFilePath().toStdString()));
    if (catalog.models().empty() || catalog.devices().empty() || catalog.engines().empty())
        return fail(QStringLiteral("no models, devices or engines were found beside the program"), 1);
    applyTheme(options.theme.value_or(ThemeChoice::system));
    Workbench workbench(std::move(catalog), initialScenario());
    const bool picture = !options.screenshot.isEmpty();
    const Result<void> prepared = prepare(workbench, options);
    if (!prepared && picture) return fail(prepared.error());

    MainWindow window(workbench, picture ? MainWindow::Memory::forget : MainWindow::Memory::keep);
    if (options.theme) window.chooseTheme(*options.theme);
    if (!options.tab.isEmpty() && !window.showTab(options.tab))
        return fail(Error{ErrorCode::usage,
                          "--tab",
                          options.tab.toStdString(),
                          "there is no such tab",
                          window.tabNames().join(QStringLiteral(", ")).toStdString(),
                          {}});
    if (picture) return takePicture(window, options);
    if (options.sizeGiven) window.resize(options.size);
    if (!prepared) window.say(prepared.error());
    if (qEnvironmentVariableIsSet("DELTASCOPE_FIRST_PAINT")) reportFirstPaint(window);
    window.show();
    return app.exec();
}

} // namespace
} // namespace deltascope::ui

int main(int argc, char** argv) {
    try {
        return deltascope::ui::run(argc, argv);
    } catch (const std::exception& problem) { std::fprintf(stderr, "deltascope: %s\n", problem.what()); } catch (...) {
        std::fprintf(stderr, "deltascope: an unknown problem\n");
    }
    return 1;
}
