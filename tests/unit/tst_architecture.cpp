// SPDX-License-Identifier: GPL-3.0-or-later
// The house keeps its arrows: who may include whom, where Qt and QCustomPlot may stand, what every file begins with.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <map>

namespace {

/// A room may include rooms of a lower level, and itself.
const std::map<QString, int> coreLevels{{"base", 0},   {"catalog", 1},    {"scenario", 2}, {"graph", 3},    {"cost", 4},
                                        {"memory", 4}, {"simulation", 5}, {"explore", 6},  {"measured", 6}, {"io", 7}};
const QStringList uiRooms{"workbench", "timeline", "charts", "tables", "panels", "theme", "report"};
const QStringList topFolders{"core", "ui", "app"};

struct Include {
    QString header;
    bool quoted; ///< "header", not <header>
};

QList<Include> includesOf(const QString& text) {
    static const QRegularExpression pattern(R"(^\s*#\s*include\s*(["<])([^">]+)[">])",
                                            QRegularExpression::MultilineOption);
    QList<Include> includes;
    for (auto match = pattern.globalMatch(text); match.hasNext();) {
        const auto found = match.next();
        includes.append({found.captured(2), found.captured(1) == "\""});
    }
    return includes;
}

bool isQt(const QString& header) {
    static const QRegularExpression pattern("^(Q[A-Za-z]|Qt[A-Z]\\w*/|qcustomplot)");
    return pattern.match(header).hasMatch();
}

/// Why the file at `path` ("core/graph/step.h") may not include `include`; empty when it may.
QString refusalOf(const QString& path, const Include& include) {
    const QStringList place = path.split('/');
    const QString room = include.header.section('/', 0, 0);
    const bool hasRoom = include.quoted && include.header.contains('/');
    const bool toCore = hasRoom && coreLevels.contains(room);
    const bool toUi = hasRoom && uiRooms.contains(room);
    if (include.header == "qcustomplot.h" && !path.startsWith("ui/charts/")) return "QCustomPlot is for ui/charts only";
    if (place[0] == "core") {
        if (isQt(include.header)) return "no Qt in the core";
        if (!coreLevels.contains(place[1])) return "an unknown room: give it a level here";
        if (hasRoom && !toCore) return "the core includes only itself";
        if (toCore && room != place[1] && coreLevels.at(room) >= coreLevels.at(place[1])) return "against the arrow";
    } else if (place[0] == "ui") {
        if (!uiRooms.contains(place[1]) && place.size() > 2) return "an unknown room: name it here";
        if (hasRoom && !toCore && !toUi) return "the window's views include only themselves and the core";
    } else if (path.startsWith("app/cli/")) {
        if (isQt(include.header) || toUi) return "the command line needs the core only";
    }
    return {};
}

QStringList violationsOf(const QString& path, const QString& text) {
    QStringList found;
    for (const Include& include : includesOf(text))
        if (const QString why = refusalOf(path, include); !why.isEmpty())
            found.append(path + " includes " + include.header + ": " + why);
    const QStringList lines = text.split('\n');
    if (lines.value(0) != "// SPDX-License-Identifier: GPL-3.0-or-later") found.append(path + ": no SPDX line");
    if (path.endsWith(".h") && !lines.contains("#pragma once")) found.append(path + ": no #pragma once");
    if (path.endsWith(".h") && !lines.value(1).startsWith("// ")) found.append(path + ": does not say what it is for");
    return found;
}

} // namespace

class ArchitectureTest : public QObject {
    Q_OBJECT

private slots:
    void theSourceTreeKeepsTheRules() {
        QStringList violations;
        int files = 0;
        const QDir root(DELTASCOPE_SOURCE_DIR);
        for (const QString& top : topFolders + QStringList{"tests"}) {
            QDirIterator it(root.filePath(top), {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                QFile file(it.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                violations += violationsOf(root.relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll()));
                ++files;
            }
        }
        QVERIFY2(files > 60, qPrintable(QString::number(files)));
        QVERIFY2(violations.isEmpty(), qPrintable(violations.join('\n')));
    }

    void everyFolderOfScriptsHasTheLicenceLine() {
        const QDir root(DELTASCOPE_SOURCE_DIR);
        for (const char* folder : {"packaging", ".ci", "cmake", "core", "ui", "app", "tests"}) {
            QDirIterator it(root.filePath(folder), {"*.sh", "run", "CMakeLists.txt", "*.cmake"}, QDir::Files,
                            QDirIterator::Subdirectories);
            while (it.hasNext()) {
                QFile file(it.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                QVERIFY2(file.read(200).contains("# SPDX-License-Identifier: GPL-3.0-or-later"),
                         qPrintable(file.fileName()));
            }
        }
    }

    void plantedViolationsAreFound_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("include");
        QTest::addColumn<bool>("allowed");
        const auto row = [](const char* path, const char* include, bool allowed) {
            QTest::addRow("%s %s", path, include) << path << include << allowed;
        };
        row("core/graph/a.cpp", "\"simulation/simulation.h\"", false);
        row("core/graph/a.cpp", "\"cost/work.h\"", false);
        row("core/graph/a.cpp", "\"scenario/validate.h\"", true);
        row("core/base/a.h", "\"catalog/catalog.h\"", false);
        row("core/cost/a.cpp", "\"memory/memory.h\"", false);
        row("core/memory/a.cpp", "\"cost/work.h\"", false);
        row("core/io/a.cpp", "\"explore/compare.h\"", true);
        row("core/explore/a.cpp", "\"io/json_writer.h\"", false);
        row("core/io/a.cpp", "\"simulation/simulation.h\"", true);
        row("core/io/a.cpp", "\"io/json_writer.h\"", true);
        row("core/io/a.cpp", "\"timeline/geometry.h\"", false);
        row("core/attic/a.cpp", "<vector>", false);
        row("core/base/a.cpp", "<QString>", false);
        row("core/base/a.cpp", "<QtCore/QString>", false);
        row("core/base/a.cpp", "\"QString\"", false);
        row("core/base/a.cpp", "<vector>", true);
        row("ui/timeline/a.cpp", "<qcustomplot.h>", false);
        row("ui/charts/a.cpp", "<qcustomplot.h>", true);
        row("app/main.cpp", "\"qcustomplot.h\"", false);
        row("ui/timeline/a.cpp", "\"simulation/simulation.h\"", true);
        row("ui/timeline/a.cpp", "\"app/main_window.h\"", false);
        row("app/main.cpp", "\"panels/scenario_panel.h\"", true);
        row("app/cli/main.cpp", "\"panels/scenario_panel.h\"", false);
        row("app/cli/main.cpp", "<QString>", false);
        row("app/cli/main.cpp", "<CLI/CLI.hpp>", true);
    }
    void plantedViolationsAreFound() {
        QFETCH(QString, path);
        QFETCH(QString, include);
        QFETCH(bool, allowed);
        const QString text =
            "// SPDX-License-Identifier: GPL-3.0-or-later\n// What for.\n#pragma once\n#include " + include + "\n";
        const QStringList violations = violationsOf(path, text);
        QVERIFY2(violations.isEmpty() == allowed, qPrintable(violations.join('\n')));
    }

    void missingLinesAreFound() {
        const QString licence = "// SPDX-License-Identifier: GPL-3.0-or-later\n";
        QCOMPARE(violationsOf("core/base/a.cpp", licence).size(), 0);
        QCOMPARE(violationsOf("core/base/a.cpp", "#include <vector>\n").size(), 1);
        QCOMPARE(violationsOf("core/base/a.h", licence + "// What for.\n").size(), 1);
        QCOMPARE(violationsOf("core/base/a.h", licence + "#pragma once\n").size(), 1);
    }
};

QTEST_GUILESS_MAIN(ArchitectureTest)
#include "tst_architecture.moc"
