#!/bin/sh
# The crate as it is published, with the sources that it compiles: packaging/rust/crate.sh FOLDER
set -eu
cd "$(dirname "$0")/../.."
[ $# -eq 1 ] || { echo "crate: one folder" >&2; exit 2; }
mkdir -p "$1/vendor/src"
version=$(sed -n 's/^project(mallard VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
sed "s/^version = .*/version = \"$version\"/" packaging/rust/Cargo.toml >"$1/Cargo.toml"
cp -r packaging/rust/build.rs packaging/rust/src packaging/rust/tests LICENSE "$1"
cp -r include "$1/vendor"
cp -r src/core src/malloc src/os src/pages src/unwind "$1/vendor/src"
