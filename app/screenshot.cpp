// SPDX-License-Identifier: GPL-3.0-or-later
#include "screenshot.h"

#include <QBuffer>
#include <QPixmap>
#include <QSaveFile>
#include <QWidget>

namespace deltascope::ui {

Result<void> saveScreenshot(QWidget& widget, const QString& path) {
    const auto fail = [&](const QString& why) {
        return Error{ErrorCode::unreadable, "screenshot", path.toStdString(), why.toStdString(), {}, {}};
    };
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (!buffer.open(QIODevice::WriteOnly) || !widget.grab().toImage().save(&buffer, "PNG"))
        return fail(QStringLiteral("the picture could not be made"));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return fail(file.errorString());
    return {};
}

} // namespace deltascope::ui
