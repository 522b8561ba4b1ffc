// SPDX-License-Identifier: GPL-3.0-or-later
// The window as a person meets it: from a slider's move to the painted views, and from the start of the program to its
// first picture.
#include "bench_catalog.h"
#include "charts/layers_view.h"
#include "charts/memory_view.h"
#include "harness.h"
#include "main_window.h"
#include "panels/scenario_panel.h"
#include "panels/value_slider.h"
#include "tables/operators_view.h"
#include "timeline/timeline_view.h"
#include "workbench/presets.h"

#include <QApplication>
#include <QGridLayout>
#include <QProcess>
#include <QTemporaryDir>

#include <charconv>
#include <chrono>

namespace deltascope::bench {
namespace {

using namespace deltascope::ui;

/// The main window on its first tab, and beside it a window with the other views, so that all of them are painted.
struct Stage {
    Workbench workbench{catalog(), initialScenario()};
    MainWindow window{workbench, MainWindow::Memory::forget};
    QWidget others;

    explicit Stage(bool compared) {
        auto* grid = new QGridLayout(&others);
        grid->addWidget(new LayersView(workbench), 0, 0);
        grid->addWidget(new MemoryView(workbench), 0, 1);
        grid->addWidget(new OperatorsView(workbench), 1, 0, 1, 2);
        if (compared) workbench.pinBaseline();
        window.resize(1440, 900);
        others.resize(1440, 900);
        window.show();
        others.show();
        for (int i = 0; i < 20; ++i) QApplication::processEvents();
    }
};

ValueSlider* contextSlider(const MainWindow& window) {
    for (ValueSlider* slider : window.scenarioPanel()->findChildren<ValueSlider*>())
        if (slider->accessibleName().contains(QStringLiteral("context"), Qt::CaseInsensitive)) return slider;
    return nullptr;
}

Benchmark::Outcome moveSlider(bool compared) {
    Stage stage(compared);
    ValueSlider* slider = contextSlider(stage.window);
    if (slider == nullptr) return {{}, "the window has no slider of the context length"};
    const int middle = (slider->minimum() + slider->maximum()) / 2;
    int step = 0;
    const auto move = [&] {
        step = (step + 1) % 40;
        slider->setSliderPosition(middle + (step < 20 ? step : 40 - step));
        QApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
    };
    const auto before = stage.workbench.simulation();
    auto seconds = sample(move, {20, 300, 6.0, 3000});
    if (stage.workbench.simulation() == before) return {{}, "the slider's move did not reach the simulation"};
    return {std::move(seconds), {}};
}

/// From just before the process is made to the end of its first paint, which it reports on the system's monotonic
/// clock. The user's settings are neither read nor written.
Benchmark::Outcome start() {
    const auto program = executable().parent_path() / "deltascope";
    if (!std::filesystem::exists(program)) return {{}, "deltascope is not built"};
    const QTemporaryDir home;
    std::vector<double> seconds;
    std::string problem;
    const auto once = [&] {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DELTASCOPE_FIRST_PAINT"), QStringLiteral("1"));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), home.path());
        process.setProcessEnvironment(environment);
        process.setProgram(QString::fromStdString(program.string()));
        const auto began = std::chrono::steady_clock::now().time_since_epoch();
        process.start();
        if (!process.waitForFinished(20'000)) {
            problem = "deltascope did not end";
            return;
        }
        const QByteArray line = process.readAllStandardOutput().trimmed();
        bool isNumber = false;
        const qint64 painted = line.mid(line.lastIndexOf(' ') + 1).toLongLong(&isNumber);
        if (!isNumber) {
            problem = "deltascope did not say when it had painted";
            return;
        }
        seconds.push_back(std::chrono::duration<double>(std::chrono::nanoseconds(painted) - began).count());
    };
    for (int i = 0; i < 22 && problem.empty(); ++i) once();
    if (!problem.empty()) return {{}, problem};
    seconds.erase(seconds.begin(), seconds.begin() + 2); // the first find files and libraries cold
    return {std::move(seconds), {}};
}

} // namespace

std::vector<Benchmark> windowBenchmarks() {
    return {{"slider-to-painted", Unit::milliseconds, 16.0, true, [] { return moveSlider(false); }},
            {"slider-to-painted-with-baseline", Unit::milliseconds, 16.0, true, [] { return moveSlider(true); }},
            {"start-to-first-paint", Unit::seconds, 0.4, false, start}};
}

} // namespace deltascope::bench
