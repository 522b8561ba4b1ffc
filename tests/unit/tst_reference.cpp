// SPDX-License-Identifier: GPL-3.0-or-later
// Agreement with the figures of the TensorCast simulator in tests/data: step, weights, kinds of operator, and each
// operator of a block with its shapes and the parts of its time.
#include "support/catalog.h"
#include "support/csv.h"

#include "scenario/fields.h"

#include <array>
#include <cmath>
#include <set>

using namespace deltascope;
using namespace deltascope::test;

namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;

const std::vector<CsvRow>& table(const char* name) {
    static std::map<std::string, std::vector<CsvRow>> tables;
    auto& rows = tables[name];
    if (rows.empty()) rows = readCsv(sourceFolder / "tests/data" / name);
    return rows;
}
const std::vector<CsvRow>& scenarios() { return table("reference_scenarios.csv"); }
const std::vector<CsvRow>& kinds() { return table("reference_kinds.csv"); }
const std::vector<CsvRow>& operators() { return table("reference_operators.csv"); }

const CsvRow* scenarioRow(const std::string& id) {
    for (const CsvRow& row : scenarios())
        if (row.at("id") == id) return &row;
    return nullptr;
}

/// Columns that name a field of a scenario set it; `changes` ("ep=2 layers=3") set more.
Scenario toScenario(const CsvRow& row, const std::string& changes = {}) {
    Scenario s;
    const auto set = [&](const std::string& name, const std::string& value) {
        const ScenarioField* field = findScenarioField(name);
        if (!field || value.empty()) return;
        const auto done = field->set(*field, s, value);
        if (!done) qFatal("%s", done.error().text().c_str());
    };
    for (const auto& [column, value] : row) set(column, value);
    if (!changes.empty())
        for (const std::string& change : fieldsOf(changes, ' '))
            set(change.substr(0, change.find('=')), change.substr(change.find('=') + 1));
    s.calibration = false;
    return s;
}

/// Elements of each shape of "1x3510x24x128 48".
std::vector<double> elementCounts(const std::string& shapes) {
    std::vector<double> counts;
    if (shapes.empty()) return counts;
    for (const std::string& shape : fieldsOf(shapes, ' ')) {
        double n = 1.0;
        for (const std::string& dim : fieldsOf(shape, 'x')) n *= std::stod(dim);
        counts.push_back(n);
    }
    return counts;
}

bool agrees(double ours, double theirs, double tolerance) {
    return std::abs(ours - theirs) <= std::max(tolerance * theirs, 2e-9);
}

/// The reference does not shard the attention of its drafts, so that part is not in its table here.
bool isCompared(const std::string& block, const Operator& op) {
    if (block != "draft") return true;
    // TensorCast neither splits the draft's attention over the ranks nor runs the head's final norm.
    return !op.module.starts_with("self_attn.") && op.module != "norm";
}

} // namespace

class TestReference : public QObject {
    Q_OBJECT
private slots:
    void tablesAreThere() {
        QCOMPARE(scenarios().size(), std::size_t{26});
        QVERIFY(kinds().size() >= 600);
        QVERIFY(operators().size() >= 250);
        for (const CsvRow& row : kinds()) QVERIFY2(scenarioRow(row.at("scenario")), row.at("scenario").c_str());
    }

    void scenario_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < scenarios().size(); ++i)
            QTest::newRow(scenarios()[i].at("id").c_str()) << static_cast<int>(i);
    }

    void scenario() {
        QFETCH(int, index);
        const CsvRow& row = scenarios()[static_cast<std::size_t>(index)];
        DELTASCOPE_SIMULATE(ours, toScenario(row));
        const double tolerance = row.at("tolerance_pct").empty() ? 0.01 : numberOf(row, "tolerance_pct") / 100.0;
        const double total = numberOf(row, "total_ms") * 1e-3;
        const double time = ours.totals.time.value();
        QVERIFY2(std::abs(time / total - 1.0) <= tolerance,
                 qPrintable(QString("%1 ms, the reference says %2").arg(time * 1e3).arg(total * 1e3)));
        if (!row.at("weights_gib").empty()) {
            const double weights = ours.memory.ideal.weights.value() / gib;
            QVERIFY2(std::abs(weights / numberOf(row, "weights_gib") - 1.0) <= 0.01,
                     qPrintable(QString("%1 GiB of weights").arg(weights)));
        }
        const auto skipped = fieldsOf(row.at("skip_kinds"), ' ');
        int compared = 0;
        for (const CsvRow& line : kinds()) {
            if (line.at("scenario") != row.at("id")) continue;
            const std::string& name = line.at("kind");
            const double theirs = numberOf(line, "time_us") * 1e-6;
            if (theirs < 0.005 * total || std::find(skipped.begin(), skipped.end(), name) != skipped.end()) continue;
            const auto kind = operatorKindFromName(name);
            QVERIFY2(kind, name.c_str());
            double mine = 0.0;
            for (const KindSummary& summary : ours.byKind)
                if (summary.kind == *kind) mine = summary.time.value();
            QVERIFY2(std::abs(mine / theirs - 1.0) <= 0.02, qPrintable(QString("%1: %2 us, the reference says %3")
                                                                           .arg(QString::fromStdString(name))
                                                                           .arg(mine * 1e6)
                                                                           .arg(theirs * 1e6)));
            ++compared;
        }
        QVERIFY(compared >= 5);
    }

    void blockOperators_data() {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<QString>("changes");
        QTest::addColumn<QString>("block");
        std::set<std::array<std::string, 3>> blocks;
        for (const CsvRow& row : operators()) blocks.insert({row.at("scenario"), row.at("changes"), row.at("block")});
        for (const auto& [id, changes, block] : blocks)
            QTest::newRow((id + ", " + changes + ", " + block).c_str())
                << QString::fromStdString(id) << QString::fromStdString(changes) << QString::fromStdString(block);
    }

    void blockOperators() {
        QFETCH(QString, scenario);
        QFETCH(QString, changes);
        QFETCH(QString, block);
        const std::string name = block.toStdString();
        const CsvRow* row = scenarioRow(scenario.toStdString());
        QVERIFY(row);
        DELTASCOPE_SIMULATE(ours, toScenario(*row, changes.toStdString()));
        const Block* built = findBlock(ours.step, name);
        QVERIFY(built);
        const SimulatedBlock& costs = ours.blocks[static_cast<std::size_t>(built - ours.step.blocks.data())];

        std::size_t next = 0;
        for (const CsvRow& line : operators()) {
            if (line.at("scenario") != row->at("id") || line.at("changes") != changes.toStdString() ||
                line.at("block") != name)
                continue;
            while (next < built->operators.size() && !isCompared(name, built->operators[next])) ++next;
            QVERIFY2(next < built->operators.size(), "the reference has more operators");
            const Operator& op = built->operators[next];
            const OperatorCost& cost = costs.costs[next];
            const std::string at =
                std::to_string(next) + ": " + std::string(op.module) + ' ' + std::string(nameOf(op.kind));
            QVERIFY2(nameOf(op.kind) == line.at("kind"), (at + ", the reference has " + line.at("kind")).c_str());

            const auto theirs = elementCounts(line.at("outputs"));
            const auto outputs = built->outputs(op);
            if (!theirs.empty()) QVERIFY2(outputs.size() == theirs.size(), at.c_str());
            for (std::size_t i = 0; i < theirs.size(); ++i)
                QVERIFY2(built->tensors[outputs[i]].elements() == theirs[i],
                         (at + " makes " + outputsOf(*built, op)).c_str());
            if (op.kind == OperatorKind::linear) {
                const auto inputs = elementCounts(line.at("inputs"));
                QVERIFY2(built->tensors[built->inputs(op)[0]].elements() == inputs[0], at.c_str());
                QVERIFY2(built->tensors[built->inputs(op)[1]].elements() == inputs[1], at.c_str());
            }
            // It reads no scales of the experts' weights: 256 experts of 2,048 columns are 1 % of the traffic.
            const double tolerance = op.kind == OperatorKind::grouped_matmul ? 0.0125 : 0.005;
            const auto part = [&](const char* column, Seconds mine) {
                const double expected = numberOf(line, column) * 1e-6;
                QVERIFY2(agrees(mine.value(), expected, tolerance),
                         qPrintable(QString("%1: %2 %3 us, the reference says %4")
                                        .arg(QString::fromStdString(at), column)
                                        .arg(mine.value() * 1e6)
                                        .arg(expected * 1e6)));
            };
            part("memory_us", cost.memory);
            part("matrix_us", cost.matrix);
            // It counts no FLOPs for SwiGLU, which is memory-bound either way.
            if (op.kind != OperatorKind::swiglu) part("vector_us", cost.vector);
            if (!isCommunication(op.kind)) part("launch_us", cost.launch);
            if (QTest::currentTestFailed()) return;
            ++next;
        }
        while (next < built->operators.size() && !isCompared(name, built->operators[next])) ++next;
        QCOMPARE(next, built->operators.size());
    }
};

QTEST_GUILESS_MAIN(TestReference)
#include "tst_reference.moc"
