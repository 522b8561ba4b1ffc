#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# packaging/run.sh [--build-only] [arguments of deltascope]
# Installs what is missing, builds the programs, and opens the window. With --screenshot no display is needed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

buildOnly=false
if [ "${1:-}" = "--build-only" ]; then
  buildOnly=true
  shift
fi

"$root/packaging/build.sh" deltascope deltascope-cli deltascope-bench
if $buildOnly; then
  echo "Built in $root/build/release/bin"
  exit 0
fi

if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]; then
  case " $* " in
    *" --screenshot"* | *" --help "* | *" --version "*) export QT_QPA_PLATFORM=offscreen ;;
    *)
      echo "There is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set)." >&2
      echo "Without one, draw it into a file: packaging/run.sh --screenshot window.png" >&2
      exit 1
      ;;
  esac
fi
if [ -z "${XDG_RUNTIME_DIR:-}" ]; then
  XDG_RUNTIME_DIR=$(mktemp -d)
  export XDG_RUNTIME_DIR
  trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
fi
echo "Starting deltascope"
"$root/build/release/bin/deltascope" "$@"
