// SPDX-License-Identifier: GPL-3.0-or-later
// `deltascope-bench [--filter TEXT] [--json]`: one line per benchmark.
#include "harness.h"
#include "theme/theme.h"

#include <CLI/CLI.hpp>
#include <QApplication>

#include <cstdio>
#include <string>

namespace {

void handleMessage(QtMsgType type, const QMessageLogContext&, const QString& message) {
    // What the offscreen platform says of every window with a smallest size.
    if (message == QLatin1String("This plugin does not support propagateSizeHints()")) return;
    if (type != QtDebugMsg) std::fprintf(stderr, "%s\n", qPrintable(message));
}

} // namespace

int main(int argc, char** argv) {
    using namespace deltascope;
    CLI::App options("Measures DeltaScope.", "deltascope-bench");
    std::string filter;
    bool json = false;
    options.add_option("--filter", filter, "only benchmarks whose name contains this text");
    options.add_flag("--json", json, "a JSON object per line");
    CLI11_PARSE(options, argc, argv);

    if (qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(handleMessage);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("deltascope-bench"));
    ui::applyTheme(ui::ThemeChoice::light);

    bool any = false;
    for (const auto& group : {bench::coreBenchmarks(), bench::timelineBenchmarks(), bench::windowBenchmarks()})
        for (const bench::Benchmark& benchmark : group) {
            if (benchmark.name.find(filter) == std::string::npos) continue;
            any = true;
            std::printf("%s\n", bench::report(benchmark, benchmark.run(), json).c_str());
            std::fflush(stdout);
        }
    if (!any) std::fprintf(stderr, "deltascope-bench: no benchmark's name contains '%s'\n", filter.c_str());
    return any ? 0 : 2;
}
