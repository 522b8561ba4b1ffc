// SPDX-License-Identifier: GPL-3.0-or-later
// Colours and type of every view, in a light and a dark set. Operator classes keep their colour everywhere; differences
// are blue and orange with a sign, never red against green.
#pragma once

#include "base/operator_kind.h"
#include "catalog/model_config.h"
#include "memory/memory.h"

#include <QColor>
#include <QFont>
#include <QPalette>

namespace deltascope::ui {

enum class ThemeChoice { system, light, dark };

struct Theme {
    bool dark = false;
    QColor window, panel, border, text, mutedText, accent, accentText, grid, selection, warning, ghost;
    QColor faster, slower; ///< of a difference against the baseline

    [[nodiscard]] QColor classColor(OperatorClass cls) const;
    [[nodiscard]] QColor layerColor(LayerType type) const;
    /// Colour of a memory group ("KV cache", "activation peak", a weight group's name ...); stable for unknown names
    /// too.
    [[nodiscard]] QColor memoryColor(std::string_view group) const;
    /// Black or white, whichever reads better on `background`.
    [[nodiscard]] static QColor textOn(const QColor& background);
    [[nodiscard]] QPalette palette() const;
};

/// The theme in use. Views read it in paint and on QEvent::PaletteChange.
[[nodiscard]] const Theme& theme();
/// Sets the application palette and theme().
void applyTheme(ThemeChoice choice);

/// Monospaced digits of the application's size, for figures.
[[nodiscard]] QFont figureFont();

} // namespace deltascope::ui
