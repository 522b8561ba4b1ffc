# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the `calibration` section of a device file in place of the one it has, and leaves every other line alone."""

import os
import textwrap


def number(value):
    """A figure with four digits, as short as it can be written; a whole number below ten million in full."""
    if value == int(value) and abs(value) < 1e7:
        return str(int(value))
    text = f"{value:.4g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    elif abs(value) >= 1e6:
        exponent = 3 * (len(str(int(abs(value)))) // 3)
        exponent = exponent if abs(value) >= 10**exponent else exponent - 3
        text = f"{value / 10**exponent:.4g}e{exponent}"
    return text


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def listed(values):
    return "[" + ", ".join(v if isinstance(v, str) else number(v) for v in values) + "]"


def ranges(key, value):
    inner = ", ".join(f"{name}: {listed(ends)}" for name, ends in value.items())
    return f"      {key}: {{{inner}}}"


def table_lines(table):
    lines = ["      table:", "        axes:"]
    for axis in table["axes"]:
        lines.append(f"          - {{of: {listed(axis['of'])}, points: {listed(axis['points'])}}}")
    if table.get("unit", 1) != 1:
        lines.append(f"        unit: {number(table['unit'])}")
    lines.append("        values: |")
    return lines + textwrap.wrap(" ".join(str(v) for v in table["values"]), 118, initial_indent=" " * 10,
                                 subsequent_indent=" " * 10)


def rule_lines(rule):
    lines = [f"    - kinds: {listed(rule['kinds'])}"]
    for key in ("dtype", "phase"):
        if key in rule:
            lines.append(f"      {key}: {rule[key]}")
    for key in ("where", "seen"):
        if rule.get(key):
            lines.append(ranges(key, rule[key]))
    for key in ("compute_efficiency", "memory_efficiency", "link_efficiency", "constant_s", "floor_s"):
        if key in rule:
            lines.append(f"      {key}: {number(rule[key])}")
    if rule.get("terms"):
        lines.append("      terms:")
        for term in rule["terms"]:
            scales = f", scales_with: {term['scales_with']}" if "scales_with" in term else ""
            lines.append(f"        - {{per: {listed(term['per'])}, rate: {number(term['rate'])}{scales}}}")
    if "table" in rule:
        lines += table_lines(rule["table"])
    if "included_in" in rule:
        lines.append(f"      included_in: {rule['included_in']}")
    if rule.get("provenance", "calibrated") != "calibrated":
        lines.append(f"      provenance: {rule['provenance']}")
    if "scatter" in rule:
        lines.append(f"      scatter: {{p10: {number(rule['scatter'][0])}, p90: {number(rule['scatter'][1])}}}")
    lines.append(f"      source: {quoted(rule['source'])}")
    return lines


def section_lines(section):
    lines = ["calibration:"]
    if "scaled_from" in section:
        lines.append(f"  scaled_from: {section['scaled_from']}")
    if "scaled" in section:
        low, high = section["scaled"]
        lines.append(f"  scaled: {{p10: {number(low)}, p90: {number(high)}}}")
    if "uncalibrated" in section:
        low, high = section["uncalibrated"]
        lines.append(f"  uncalibrated: {{p10: {number(low)}, p90: {number(high)}}}")
    if "remark" in section:
        lines.append("  remark: >-")
        lines += textwrap.wrap(section["remark"], 116, initial_indent="    ", subsequent_indent="    ")
    if section.get("rules"):
        lines.append("  rules:")
        for rule in section["rules"]:
            lines += rule_lines(rule)
    return lines


def write_section(path, section):
    """Puts `section` at the end of the device file, in place of a `calibration` section that stands there."""
    with open(path, encoding="utf-8") as file:
        kept = []
        inside = False
        for line in file.read().split("\n"):
            if line.startswith("calibration:"):
                inside = True
            elif inside and line and not line.startswith((" ", "#")):
                inside = False
            if not inside:
                kept.append(line)
    text = "\n".join(kept).rstrip("\n") + "\n" + "\n".join(section_lines(section)) + "\n"
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)
    return len(text)
