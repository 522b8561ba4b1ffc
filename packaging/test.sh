#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what is missing, builds, and runs all tests without a display. The last line counts the test programs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/packaging/build.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 0700 "$work/runtime"
export XDG_RUNTIME_DIR="$work/runtime" QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8

echo "Testing"
status=0
ctest --test-dir "$root/build/release" --no-tests=error --output-on-failure -j "$(nproc)" \
  --output-junit "$work/result.xml" >"$work/log" 2>&1 || status=$?
[ "$status" -eq 0 ] || cat "$work/log"
count() { sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$work/result.xml" 2>/dev/null | head -n 1; }
tests=$(count tests) failures=$(count failures)
tests=${tests:-0} failures=${failures:-0}
echo "$((tests - failures)) passed, $failures failed"
exit "$status"
