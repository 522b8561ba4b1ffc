// SPDX-License-Identifier: GPL-3.0-or-later
#include "options.h"

#include <array>
#include <functional>

namespace deltascope::ui {
namespace {

struct Flag {
    const char* name;
    const char* argument; ///< null: a switch
    const char* help;
    std::function<std::optional<Error>(Options&, const QString&)> set;
};

Error refuse(const char* name, const QString& value, const char* accepted) {
    return {ErrorCode::usage, std::string("--") + name, value.toStdString(), "is not understood", accepted, {}};
}

std::optional<Error> setSize(Options& options, const QString& value) {
    const QStringList sides = value.toLower().split(QLatin1Char('x'));
    bool widthOk = false;
    bool heightOk = false;
    const QSize size(sides.value(0).toInt(&widthOk), sides.value(1).toInt(&heightOk));
    if (sides.size() != 2 || !widthOk || !heightOk || size.width() < 320 || size.height() < 240 ||
        size.width() > 16384 || size.height() > 16384)
        return refuse("size", value, "WIDTHxHEIGHT from 320x240 to 16384x16384");
    options.size = size;
    options.sizeGiven = true;
    return std::nullopt;
}

std::optional<Error> setTheme(Options& options, const QString& value) {
    if (value == QLatin1String("light"))
        options.theme = ThemeChoice::light;
    else if (value == QLatin1String("dark"))
        options.theme = ThemeChoice::dark;
    else if (value == QLatin1String("system"))
        options.theme = ThemeChoice::system;
    else
        return refuse("theme", value, "light, dark or system");
    return std::nullopt;
}

std::optional<Error> setScale(Options& options, const QString& value) {
    bool ok = false;
    options.scale = value.toInt(&ok);
    if (!ok || options.scale < 1 || options.scale > 8) return refuse("scale", value, "1 to 8");
    return std::nullopt;
}

auto store(QString Options::*member) {
    return [member](Options& options, const QString& value) -> std::optional<Error> {
        options.*member = value;
        return std::nullopt;
    };
}

auto raise(bool Options::*member) {
    return [member](Options& options, const QString&) -> std::optional<Error> {
        options.*member = true;
        return std::nullopt;
    };
}

const std::array<Flag, 10>& flags() {
    static const std::array<Flag, 10> all{{
        {"screenshot", "FILE", "render the window into a PNG without a display, and exit", store(&Options::screenshot)},
        {"tab", "NAME", "open on this tab: timeline, layers, memory or operators", store(&Options::tab)},
        {"size", "WxH", "size of the window in logical pixels", setSize},
        {"scale", "N", "device pixels per logical one in a screenshot, 1 to 8", setScale},
        {"theme", "NAME", "light, dark or system", setTheme},
        {"scenario", "FILE", "open this scenario file", store(&Options::scenario)},
        {"baseline", "WHAT", "pin a baseline: w4a8, full, or a scenario file", store(&Options::baseline)},
        {"select", "ID", "select an operator, as text/12/linear_attn.in_proj/linear/0", store(&Options::selection)},
        {"help", nullptr, "print this and exit", raise(&Options::help)},
        {"version", nullptr, "print the version and exit", raise(&Options::version)},
    }};
    return all;
}

} // namespace

Result<Options> parseOptions(const QStringList& arguments) {
    Options options;
    bool onlyFiles = false;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        const QString& argument = arguments[i];
        if (onlyFiles || !argument.startsWith(QLatin1Char('-')) || argument == QLatin1String("-")) {
            options.files << argument;
            continue;
        }
        if (argument == QLatin1String("--")) {
            onlyFiles = true;
            continue;
        }
        const QString name =
            argument == QLatin1String("-h") ? QStringLiteral("help") : argument.mid(2).section('=', 0, 0);
        const Flag* flag = nullptr;
        for (const Flag& candidate : flags())
            if (name == QLatin1String(candidate.name)) flag = &candidate;
        if (flag == nullptr || (!argument.startsWith(QLatin1String("--")) && argument != QLatin1String("-h")))
            return Error{ErrorCode::usage, argument.toStdString(), {}, "there is no such option", "see --help", {}};
        QString value;
        if (flag->argument != nullptr) {
            if (argument.contains(QLatin1Char('=')))
                value = argument.section('=', 1);
            else if (i + 1 < arguments.size())
                value = arguments[++i];
            else
                return Error{ErrorCode::usage, argument.toStdString(), {}, "a value is missing", flag->argument, {}};
        }
        if (auto error = flag->set(options, value)) return *error;
    }
    return options;
}

QString usageText() {
    QString text = QStringLiteral("Usage: deltascope [options] [FILE ...]\n\n"
                                  "Shows what one inference step of a language model costs in time and memory.\n"
                                  "A FILE is a model's config.json or folder, a device, an engine or a scenario.\n\n"
                                  "Options:\n");
    for (const Flag& flag : flags()) {
        QString name = QStringLiteral("  --%1").arg(QLatin1String(flag.name));
        if (flag.argument != nullptr) name += QLatin1Char(' ') + QLatin1String(flag.argument);
        text += name.leftJustified(22) + QLatin1String(flag.help) + QLatin1Char('\n');
    }
    return text;
}

} // namespace deltascope::ui
