// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/theme.h"

#include "theme/style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace deltascope::ui {
namespace {

using ClassColors = std::array<QRgb, operatorClassCount>;

// Okabe and Ito's set, which people with any colour vision can tell apart, on a white ground; greys for the two classes
// that carry the least meaning.
constexpr ClassColors lightClasses{0xff0072b2, 0xff009e73, 0xffd55e00, 0xff9aa3b0, 0xffcc79a7,
                                   0xff56b4e9, 0xfff0e442, 0xffe69f00, 0xff5d6776};
// The same hues, lifted until each has at least 4:1 against the dark panel and keeps its distance from its neighbours.
constexpr ClassColors darkClasses{0xff3f95dc, 0xff22b58b, 0xfff0743a, 0xff7d8796, 0xffd98bb9,
                                  0xff86d0f8, 0xffeee36a, 0xfff2b134, 0xffa9b1bd};

struct NamedColor {
    std::string_view name;
    QRgb light, dark;
};
// Memory takes the colour of the operators that use it: linear attention and its states are greens, full attention and
// its cache oranges, the MLP blue.
constexpr std::array memoryColors{
    NamedColor{"linear attention", 0xff009e73, 0xff22b58b},
    NamedColor{"recurrent state", 0xff66c5ab, 0xff7ad9bd},
    NamedColor{"convolution state", 0xffa6ded0, 0xffb4ecdd},
    NamedColor{"full attention", 0xffd55e00, 0xfff0743a},
    NamedColor{"KV cache", 0xffee9b57, 0xfff8b083},
    NamedColor{"MLP", 0xff0072b2, 0xff3f95dc},
    NamedColor{"experts", 0xff0072b2, 0xff3f95dc},
    NamedColor{"shared expert", 0xff4f9fcb, 0xff6fb3e8},
    NamedColor{"router", 0xff8cc0dc, 0xff9bcbf0},
    NamedColor{"embedding", 0xff5d6776, 0xffa9b1bd},
    NamedColor{"lm_head", 0xff7d8796, 0xff8c96a5},
    NamedColor{"RoPE tables", 0xffc2c9d2, 0xff5b6472},
    NamedColor{"norms and convolutions", 0xff9aa3b0, 0xff7d8796},
    NamedColor{"vision tower", 0xffcc79a7, 0xffd98bb9},
    NamedColor{"MTP head", 0xffe69f00, 0xfff2b134},
    NamedColor{"activation peak", 0xff56b4e9, 0xff86d0f8},
    NamedColor{"graphs and runtime", 0xffb79f66, 0xffc9b37e},
    NamedColor{"buffers of collectives", 0xff998ec3, 0xffb3a8dd},
    NamedColor{"free", 0xffe9edf2, 0xff2a303a},
    NamedColor{"usable", 0xffe9edf2, 0xff2a303a},
    NamedColor{"kept back", 0xffcbd2dc, 0xff434b58},
};

Theme lightTheme() {
    Theme t;
    t.window = QColor(0xf3, 0xf5, 0xf8);
    t.panel = QColor(0xff, 0xff, 0xff);
    t.border = QColor(0xd5, 0xdb, 0xe3);
    t.text = QColor(0x1d, 0x25, 0x30);
    t.mutedText = QColor(0x5f, 0x6a, 0x79);
    t.accent = QColor(0x00, 0x72, 0xb2);
    t.accentText = QColor(0xff, 0xff, 0xff);
    t.grid = QColor(0xe6, 0xea, 0xf0);
    t.selection = QColor(0x10, 0x15, 0x1c);
    t.warning = QColor(0xa8, 0x4b, 0x00);
    t.ghost = QColor(0x8b, 0x95, 0xa3);
    t.faster = QColor(0x00, 0x72, 0xb2);
    t.slower = QColor(0xc2, 0x54, 0x00);
    return t;
}

Theme darkTheme() {
    Theme t;
    t.dark = true;
    t.window = QColor(0x14, 0x17, 0x1c);
    t.panel = QColor(0x1c, 0x20, 0x27);
    t.border = QColor(0x36, 0x3e, 0x4a);
    t.text = QColor(0xe6, 0xea, 0xf0);
    t.mutedText = QColor(0x9a, 0xa5, 0xb4);
    t.accent = QColor(0x4a, 0xa3, 0xe6);
    t.accentText = QColor(0x0b, 0x10, 0x16);
    t.grid = QColor(0x2a, 0x30, 0x3a);
    t.selection = QColor(0xff, 0xff, 0xff);
    t.warning = QColor(0xf5, 0xb0, 0x41);
    t.ghost = QColor(0x76, 0x80, 0x8e);
    t.faster = QColor(0x6b, 0xb8, 0xf0);
    t.slower = QColor(0xf5, 0x9a, 0x56);
    return t;
}

Theme& current() {
    static Theme instance = lightTheme();
    return instance;
}

/// Relative luminance of WCAG 2.
double luminance(const QColor& color) {
    const auto linear = [](double channel) {
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

bool systemIsDark() {
    // Before Qt 6.5 the colour scheme of the desktop shows only in the palette that its platform theme delivers.
    static const bool dark = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    return dark;
}

} // namespace

QColor Theme::classColor(OperatorClass cls) const {
    return QColor((dark ? darkClasses : lightClasses)[static_cast<std::size_t>(cls)]);
}

QColor Theme::layerColor(LayerType type) const {
    return classColor(type == LayerType::linearAttention ? OperatorClass::linearAttention
                                                         : OperatorClass::fullAttention);
}

QColor Theme::memoryColor(std::string_view group) const {
    const auto* found = std::find_if(memoryColors.begin(), memoryColors.end(),
                                     [&](const NamedColor& entry) { return entry.name == group; });
    if (found != memoryColors.end()) return QColor(dark ? found->dark : found->light);
    // FNV-1a: the same hue in every run and on every platform.
    std::uint32_t hash = 2166136261U;
    for (const char c : group) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return QColor::fromHsl(static_cast<int>(hash % 360U), 90, dark ? 160 : 140);
}

QColor Theme::textOn(const QColor& background) {
    // At equal contrast ratio light text on a saturated ground reads better than dark text, so white is kept down to
    // 3:1.
    constexpr double whiteFrom = 1.05 / 3.0 - 0.05;
    return luminance(background) <= whiteFrom ? QColor(Qt::white) : QColor(Qt::black);
}

QPalette Theme::palette() const {
    QPalette p;
    const QColor disabled = dark ? QColor(0x66, 0x70, 0x7e) : QColor(0x9b, 0xa4, 0xb0);
    const QColor raised = dark ? QColor(0x28, 0x2e, 0x38) : QColor(0xfb, 0xfc, 0xfd);
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, panel);
    p.setColor(QPalette::AlternateBase, dark ? QColor(0x21, 0x26, 0x2e) : QColor(0xf7, 0xf9, 0xfb));
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, mutedText);
    p.setColor(QPalette::Button, raised);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, Qt::white);
    p.setColor(QPalette::ToolTipBase, panel);
    p.setColor(QPalette::ToolTipText, text);
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, accentText);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::Light, dark ? QColor(0x33, 0x3a, 0x45) : QColor(Qt::white));
    p.setColor(QPalette::Midlight, dark ? QColor(0x2d, 0x33, 0x3d) : QColor(0xee, 0xf1, 0xf5));
    p.setColor(QPalette::Mid, border);
    p.setColor(QPalette::Dark, dark ? QColor(0x0d, 0x0f, 0x13) : QColor(0xb4, 0xbc, 0xc8));
    p.setColor(QPalette::Shadow, dark ? QColor(Qt::black) : QColor(0x80, 0x8a, 0x98));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, disabled);
    p.setColor(QPalette::Disabled, QPalette::Highlight, border);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, disabled);
    return p;
}

const Theme& theme() { return current(); }

void applyTheme(ThemeChoice choice) {
    const bool system = systemIsDark();
    const bool dark = choice == ThemeChoice::dark || (choice == ThemeChoice::system && system);
    static bool applied = false;
    const bool inUse = applied && current().dark == dark;
    current() = dark ? darkTheme() : lightTheme();
    if (qApp == nullptr || inUse) return; // a palette that is set makes every widget polish and paint itself again
    if (!applied) QApplication::setStyle(new Style);
    applied = true;
    // No style sheet for the application: it would stand between every widget and its style, and doubles the time to
    // the first paint.
    QApplication::setPalette(current().palette());
    QToolTip::setPalette(current().palette());
}

QFont figureFont() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const QFont application = QGuiApplication::font();
    if (application.pointSizeF() > 0.0)
        font.setPointSizeF(application.pointSizeF());
    else
        font.setPixelSize(application.pixelSize());
    return font;
}

} // namespace deltascope::ui
