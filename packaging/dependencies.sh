#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian 12 packages that building, testing and running need; installs those that are missing.
set -euo pipefail

packages=(
  build-essential cmake ninja-build ccache
  qt6-base-dev qt6-svg-dev libqcustomplot-dev   # window and charts
  libyaml-cpp-dev nlohmann-json3-dev libcli11-dev # files and command line
  fonts-dejavu-core
)

# Names of the packages above that dpkg does not list as installed.
missing() {
  local installed
  installed=$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "${packages[@]}" 2>/dev/null | sed -n 's/^ii *//p')
  printf '%s\n' "${packages[@]}" | grep -vxF "${installed:-none}" || true
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is not a Debian system. Needed are what these packages hold: ${packages[*]}" >&2
  exit 0
fi
wanted=$(missing)
[ -n "$wanted" ] || exit 0

asRoot=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "Missing packages: $(echo $wanted). Install them as root: apt-get install $(echo $wanted)" >&2
    exit 1
  }
  asRoot=(sudo)
fi
echo "Installing $(echo $wanted)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # one word per package
if ! { "${asRoot[@]}" apt-get update &&
  "${asRoot[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $wanted; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "The packages could not be installed." >&2
  exit 1
fi
