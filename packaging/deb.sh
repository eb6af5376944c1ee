#!/bin/sh
# Builds Debian's packages of HEAD: packaging/deb.sh FOLDER. Needs debhelper and what packaging/debian/control
# says; see docs/using.md.
set -eu
[ "${1:-}" != --help ] || { echo "usage: packaging/deb.sh FOLDER"; exit 0; }
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { echo "deb: one folder, for the packages" >&2; exit 1; }
if ! command -v dh >/dev/null || ! command -v dpkg-buildpackage >/dev/null; then
  echo "deb: needs Debian's packages debhelper and dpkg-dev" >&2
  exit 1
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
packaging/release.sh archive "$out/source.tar.gz"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$out/source.tar.gz" -C "$work"
rm "$out/source.tar.gz"
cd "$work"/mallard-*
mv packaging/debian debian
dpkg-buildpackage -us -uc -b >"$out/build.log" 2>&1 || { tail -n 40 "$out/build.log" >&2; exit 1; }
mv "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo "$out"
ls "$out"/*.deb
