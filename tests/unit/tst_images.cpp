// SPDX-License-Identifier: GPL-3.0-or-later
// Images by hand: the resize, image tokens in the prompt, the vision tower's operators and its own ranks.
#include "support/catalog.h"

#include "scenario/image_resize.h"

using namespace deltascope;
using namespace deltascope::test;

namespace {

ImageChoice image(std::int64_t height, std::int64_t width, std::int64_t count = 1) {
    return {count, height, width, {}, {}};
}

// The tower of 27B: 27 blocks, hidden 1152, 16 heads of 72, MLP 4304, patches of 16 merged 2x2 into H 5120.
Scenario seeing(std::int64_t count = 1) {
    Scenario s = scenarioOf("Qwen3.5-27B", Phase::prefill, 30, 0);
    s.image = image(720, 1280, count);
    return s;
}

std::int64_t callsIn(const Simulation& s, Part part, OperatorKind kind) {
    std::int64_t calls = 0;
    s.forEachOperator([&](OperatorRef ref) { calls += s.segment(ref).part == part && s.op(ref).kind == kind; });
    return calls;
}

bool visionLoaded(const Simulation& s) {
    for (const MemoryGroup& group : s.memory.ideal.groups)
        if (group.name == "vision tower") return group.loaded;
    return false;
}

} // namespace

class TestImages : public QObject {
    Q_OBJECT
private slots:
    void resize_data() {
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("newHeight");
        QTest::addColumn<int>("newWidth");
        QTest::addColumn<int>("patches");
        QTest::addColumn<int>("tokens");
        QTest::newRow("1080x1920") << 1080 << 1920 << 1088 << 1920 << 8160 << 2040;
        QTest::newRow("720x1280") << 720 << 1280 << 704 << 1280 << 3520 << 880;
        QTest::newRow("480x640") << 480 << 640 << 480 << 640 << 1200 << 300;
        QTest::newRow("224x224 grows") << 224 << 224 << 256 << 256 << 256 << 64;
        QTest::newRow("4096x4096 is the largest") << 4096 << 4096 << 4096 << 4096 << 65'536 << 16'384;
        QTest::newRow("4320x7680 shrinks") << 4320 << 7680 << 3072 << 5440 << 65'280 << 16'320;
        QTest::newRow("1x1") << 1 << 1 << 256 << 256 << 256 << 64;
    }

    void resize() {
        QFETCH(int, height);
        QFETCH(int, width);
        QFETCH(int, newHeight);
        QFETCH(int, newWidth);
        QFETCH(int, patches);
        QFETCH(int, tokens);
        const auto model = builtIn().findModel("Qwen3.5-27B");
        const auto resized = resizeImage(*model->vision, model->imageLimits, image(height, width));
        QVERIFY(resized);
        QCOMPARE(resized->height, std::int64_t{newHeight});
        QCOMPARE(resized->width, std::int64_t{newWidth});
        QCOMPARE(resized->patches(), std::int64_t{patches});
        QCOMPARE(resized->tokens, std::int64_t{tokens});
        const auto turned = resizeImage(*model->vision, model->imageLimits, image(width, height));
        QVERIFY(turned);
        QCOMPARE(turned->patches(), std::int64_t{patches});
    }

    void tiesGoToTheEvenMultiple() {
        const auto model = builtIn().findModel("Qwen3.5-27B");
        ImageChoice choice = image(48, 80); // 1.5 and 2.5 times 32
        choice.minPixels = 1024;
        const auto resized = resizeImage(*model->vision, model->imageLimits, choice);
        QVERIFY(resized);
        QCOMPARE(resized->height, std::int64_t{64});
        QCOMPARE(resized->width, std::int64_t{64});
    }

    void limitsOfTheChoice() {
        const auto model = builtIn().findModel("Qwen3.5-27B");
        ImageChoice choice = image(1080, 1920);
        choice.maxPixels = 500'000;
        const auto smaller = resizeImage(*model->vision, model->imageLimits, choice);
        QVERIFY(smaller);
        QVERIFY(smaller->height * smaller->width <= 500'000);
        choice.maxPixels.reset();
        choice.minPixels = 4'000'000;
        const auto larger = resizeImage(*model->vision, model->imageLimits, choice);
        QVERIFY(larger);
        QVERIFY(larger->height * larger->width >= 4'000'000);
    }

    void refusedImages_data() {
        QTest::addColumn<QList<qint64>>("choice"); // count, height, width, min, max; 0 for no limit
        QTest::addColumn<QString>("field");
        QTest::newRow("negative count") << QList<qint64>{-1, 100, 100, 0, 0} << "image";
        QTest::newRow("257 images") << QList<qint64>{257, 100, 100, 0, 0} << "image";
        QTest::newRow("no height") << QList<qint64>{1, 0, 100, 0, 0} << "image";
        QTest::newRow("negative width") << QList<qint64>{1, 100, -1, 0, 0} << "image";
        QTest::newRow("huge side") << QList<qint64>{1, 100'000, 100'000, 0, 0} << "image";
        QTest::newRow("thin") << QList<qint64>{1, 1, 201, 0, 0} << "image";
        QTest::newRow("limits crossed") << QList<qint64>{1, 100, 100, 4'000'000, 3'000'000} << "image";
        QTest::newRow("less than a patch") << QList<qint64>{1, 100, 100, 1, 1023} << "image";
        QTest::newRow("more tokens than a query holds") << QList<qint64>{256, 4096, 4096, 0, 0} << "query_length";
    }

    void refusedImages() {
        QFETCH(QList<qint64>, choice);
        QFETCH(QString, field);
        Scenario scenario = seeing();
        scenario.image = image(choice[1], choice[2], choice[0]);
        if (choice[3]) scenario.image->minPixels = choice[3];
        if (choice[4]) scenario.image->maxPixels = choice[4];
        const auto result = simulate(builtIn(), scenario);
        QVERIFY(!result);
        QCOMPARE(QString::fromStdString(result.error().subject), field);
        QVERIFY(!result.error().why.empty());
        QVERIFY(!result.error().accepted.empty());
    }

    void modelsThatDoNotSee() {
        Scenario scenario = seeing();
        scenario.model = "Qwen3-8B";
        const auto result = simulate(builtIn(), scenario);
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::contradictory);
        QCOMPARE(result.error().subject, std::string("image"));
        QVERIFY(result.error().why.find("Qwen3-8B has no vision tower") != std::string::npos);
    }

    void imageTokensJoinThePrompt() {
        DELTASCOPE_SIMULATE(one, seeing());
        QCOMPARE(one.scenario.tokens, std::int64_t{30 + 880 + 2}); // one opens, one closes an image
        DELTASCOPE_SIMULATE(two, seeing(2));
        QCOMPARE(two.scenario.tokens, std::int64_t{30 + 2 * 882});
        QCOMPARE(two.step.metadata.queryLengths, std::vector<std::int64_t>{30 + 2 * 882});
        QCOMPARE(two.scenario.images, std::int64_t{2});
    }

    void theTowerIsWholeByDefault() {
        Scenario scenario = seeing();
        scenario.parallel.tp = 2;
        scenario.quantization.linear = Scheme::w8a8Static;
        DELTASCOPE_SIMULATE(s, scenario);
        const Block& block = *findBlock(s.step, "vision block");
        QStringList products;
        for (const Operator* op : operatorsOf(block, OperatorKind::linear))
            products << QString::fromStdString(inputsOf(block, *op)); // never quantized
        QCOMPARE(products, (QStringList{"3520x1152 bf16, 1152x3456 bf16", "3520x1152 bf16, 1152x1152 bf16",
                                        "3520x1152 bf16, 1152x4304 bf16", "3520x4304 bf16, 4304x1152 bf16"}));
        QCOMPARE(callsIn(s, Part::vision, OperatorKind::all_reduce), 0);
        QCOMPARE(callsIn(s, Part::vision, OperatorKind::quantize), 0);
        QCOMPARE(callsIn(s, Part::vision, OperatorKind::attention), 27);
        QCOMPARE(callsIn(s, Part::vision, OperatorKind::patch_embedding), 1);
        QCOMPARE(s.parts.front().part, Part::vision);
    }

    void visionRanksSplitAttentionAndMlp() {
        Scenario scenario = seeing();
        scenario.parallel.tp = 2;
        scenario.parallel.visionTp = 2;
        DELTASCOPE_SIMULATE(s, scenario);
        const Block& block = *findBlock(s.step, "vision block");
        QStringList products;
        for (const Operator* op : operatorsOf(block, OperatorKind::linear))
            products << QString::fromStdString(inputsOf(block, *op));
        QCOMPARE(products, (QStringList{"3520x1152 bf16, 1152x1728 bf16", "3520x576 bf16, 576x1152 bf16",
                                        "3520x1152 bf16, 1152x2152 bf16", "3520x2152 bf16, 2152x1152 bf16"}));
        QCOMPARE(std::get<AttentionParams>(operatorsOf(block, OperatorKind::attention)[0]->params).queryHeads, 8.0);
        QCOMPARE(callsIn(s, Part::vision, OperatorKind::all_reduce), 54);
        // weights of the blocks' products are halved
        Scenario whole = seeing();
        whole.parallel.tp = 2;
        DELTASCOPE_SIMULATE(unsplit, whole);
        const double blockWeights = 27.0 * 2 * (1152 * 3456 + 1152 * 1152 + 2 * 1152 * 4304);
        const double splitBiases = 27.0 * 2 * (3456 + 4304);
        QCOMPARE(unsplit.memory.ideal.weights.value() - s.memory.ideal.weights.value(),
                 (blockWeights + splitBiases) / 2);
    }

    void attentionStaysInsideOneImage() {
        DELTASCOPE_SIMULATE(s, seeing(2));
        const Block& block = *findBlock(s.step, "vision block");
        const auto attention = operatorsOf(block, OperatorKind::attention);
        QCOMPARE(attention.size(), std::size_t{1});
        const auto& params = std::get<AttentionParams>(attention[0]->params);
        QCOMPARE(params.queryTokens, 7040.0);
        QCOMPARE(params.scorePairs, 7040.0 * 3520);
        QCOMPARE(workIn(s, "vision block", OperatorKind::attention)->extraLaunches, 1); // a kernel for each image
    }

    void imagesOfDifferentSizes() {
        Scenario scenario = seeing();
        scenario.image.reset();
        scenario.requests = {{2, 10, 0, Phase::prefill, image(480, 640)},
                             {1, 10, 0, Phase::prefill, image(720, 1280)},
                             {1, 10, 0, Phase::prefill, {}}};
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(s.scenario.images, std::int64_t{3});
        QCOMPARE(s.scenario.tokens, std::int64_t{40 + 2 * 302 + 882});
        const Block& block = *findBlock(s.step, "vision block");
        QCOMPARE(operatorsOf(block, OperatorKind::attention).size(), std::size_t{2});
        QVERIFY(visionLoaded(s));
    }

    void noImageNoTower() {
        Scenario scenario = seeing();
        scenario.image.reset();
        DELTASCOPE_SIMULATE(blind, scenario);
        QVERIFY(!findBlock(blind.step, "vision block"));
        QVERIFY(!visionLoaded(blind));
        scenario.image = image(720, 1280, 0);
        DELTASCOPE_SIMULATE(none, scenario);
        QVERIFY(!findBlock(none.step, "vision block"));
        DELTASCOPE_SIMULATE(sighted, seeing());
        QVERIFY(visionLoaded(sighted));
        Scenario decode = scenarioOf("Qwen3.5-27B", Phase::decode, 1, 2000);
        decode.image = image(720, 1280);
        DELTASCOPE_SIMULATE(later, decode);
        QVERIFY(!findBlock(later.step, "vision block"));
        QVERIFY(!later.notes.empty());
        QCOMPARE(later.scenario.tokens, std::int64_t{1});
    }

    // Qwen3-VL: three mergers more, whose features are added in the first three text layers.
    void deepstack() {
        Scenario scenario = scenarioOf("Qwen3-VL-8B-Instruct", Phase::prefill, 100, 0);
        scenario.image = image(480, 640);
        DELTASCOPE_SIMULATE(s, scenario);
        int mergers = 0;
        for (const Segment& segment : s.step.segments)
            mergers += s.step.blocks[segment.block].name == "vision deepstack merger";
        QCOMPARE(mergers, 3);
        for (std::int32_t layer = 0; layer < 5; ++layer) {
            const OperatorId id{Part::text, layer, "deepstack", OperatorKind::add, 0};
            QCOMPARE(s.find(id).has_value(), layer < 3);
        }
        DELTASCOPE_SIMULATE(plain, seeing());
        QVERIFY(!findBlock(plain.step, "vision deepstack merger"));
    }

    void prefixHitIsContext() {
        Scenario scenario = scenarioOf("Qwen3.5-27B", Phase::prefill, 1000, 0);
        scenario.prefixHit = 0.25;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(s.step.metadata.queryLengths, std::vector<std::int64_t>{750});
        QCOMPARE(s.step.metadata.positionStarts, std::vector<std::int64_t>{250});
        QVERIFY(s.step.metadata.hasPreviousState);
        scenario.prefixHit = 0.9999999;
        DELTASCOPE_SIMULATE(nearly, scenario);
        QCOMPARE(nearly.step.metadata.queryLengths, std::vector<std::int64_t>{1});
    }
};

QTEST_GUILESS_MAIN(TestImages)
#include "tst_images.moc"
