// SPDX-License-Identifier: GPL-3.0-or-later
#include "key_sheet.h"

#include "panels/look.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollArea>

namespace deltascope::ui {
namespace {

using Keys = QList<QPair<QString, QString>>;

QString plain(QString text) {
    text.remove(QLatin1Char('&'));
    if (text.endsWith(QChar(0x2026))) text.chop(1);
    return text;
}

void gather(const QMenu& menu, Keys& keys) {
    for (const QAction* action : menu.actions()) {
        if (action->menu() != nullptr) gather(*action->menu(), keys);
        QStringList shortcuts;
        for (const QKeySequence& key : action->shortcuts()) shortcuts << key.toString(QKeySequence::NativeText);
        if (!shortcuts.isEmpty()) keys.append({shortcuts.join(QStringLiteral(" or ")), plain(action->text())});
    }
}

} // namespace

QList<QPair<QString, Keys>> KeySheet::keysOf(const QMenuBar& menus) {
    QList<QPair<QString, Keys>> sheet;
    for (const QAction* action : menus.actions()) {
        if (action->menu() == nullptr) continue;
        Keys keys;
        gather(*action->menu(), keys);
        if (!keys.isEmpty()) sheet.append({plain(action->text()), keys});
    }
    return sheet;
}

KeySheet::KeySheet(const QMenuBar& menus, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Keys"));
    auto* content = new QWidget;
    auto* grid = new QGridLayout(content);
    grid->setHorizontalSpacing(18);
    grid->setVerticalSpacing(3);
    int row = 0;
    for (const auto& [menu, keys] : keysOf(menus)) {
        grid->addWidget(makeCaption(menu), row++, 0, 1, 2);
        for (const auto& [key, what] : keys) {
            auto* label = new QLabel(key);
            label->setFont(scaledFont(1.0, QFont::DemiBold));
            grid->addWidget(label, row, 0);
            grid->addWidget(new QLabel(what), row++, 1);
        }
        grid->setRowMinimumHeight(row++, 6);
    }
    grid->addWidget(makeCaption(tr("Sliders and fields")), row++, 0, 1, 2);
    for (const auto& [key, what] :
         {QPair(tr("Arrows, PgUp, PgDn, Home, End"), tr("Move the slider that has the focus")),
          QPair(tr("64k, 1M"), tr("Short for 65,536 and 1,048,576 in a field"))}) {
        auto* label = new QLabel(key);
        label->setFont(scaledFont(1.0, QFont::DemiBold));
        grid->addWidget(label, row, 0);
        grid->addWidget(new QLabel(what), row++, 1);
    }
    grid->setRowStretch(row, 1);

    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(scroll);
    column->addWidget(buttons);
    resize(content->sizeHint().width() + 60, 560);
}

} // namespace deltascope::ui
