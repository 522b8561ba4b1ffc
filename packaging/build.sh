#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# packaging/build.sh [TARGET...]: installs what is missing and builds the release preset into build/release.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/packaging/dependencies.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Configuring build/release"
if ! (cd "$root" && cmake --preset release) >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
echo "Building ${*:-everything}"
cmake --build "$root/build/release" -j "$(nproc)" ${1:+--target "$@"}
