#!/bin/sh
# A release, step by step; see CONTRIBUTING.md.
#   packaging/release.sh cut          dates the newest part of CHANGELOG.md, to be committed
#   packaging/release.sh build FOLDER makes the source archive of HEAD, an SPDX list of what is in it, and
#                                     SHA256SUMS; the libraries are built of it twice and must be the same
#                                     bytes, and keep the interface of the newest tag
#   packaging/release.sh archive FILE the source archive alone
#   packaging/release.sh tag          tags HEAD, if CHANGELOG.md is dated
set -eu
cd "$(dirname "$0")/.."

version=$(sed -n 's/^project(mallard VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
stop() {
  echo "release: $*" >&2
  exit 1
}

# archive OUT.tar.gz: the same bytes for the same commit. The report is in it as it is compiled, so that
# neither node nor a network is needed.
archive() {
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  top=$folder/mallard-$version
  git archive --prefix="mallard-$version/" HEAD | tar -x -C "$folder"
  packages=$folder/packages
  mkdir "$packages"
  cp report/package.json report/package-lock.json report/.npmrc "$packages"
  (cd "$packages" && npm ci --ignore-scripts --loglevel=error >/dev/null)
  node report/build.mjs "$packages/node_modules" "$top/report/page_template.cpp"
  tar -c -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="$(git log -1 --format=%cI)" "mallard-$version" | gzip -n -9 >"$1"
  rm -rf "$folder"
}

# libraries ARCHIVE FOLDER: builds the libraries and mallocs of it.
libraries() {
  mkdir -p "$2"
  tar -xzf "$1" -C "$2"
  cmake -S "$2/mallard-$version" -B "$2/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMALLARD_BUILD_TOOL=OFF \
    -DMALLARD_BUILD_PROFILE=OFF -DMALLARD_BUILD_TESTS=OFF -DMALLARD_BUILD_BENCHMARKS=OFF \
    -DMALLARD_BUILD_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=/usr >/dev/null
  cmake --build "$2/build" >/dev/null
  DESTDIR="$2/root" cmake --install "$2/build" >/dev/null
}

build() {
  [ -z "$(git status --porcelain)" ] || stop "there are changes that are not committed"
  mkdir -p "$1"
  name=$1/mallard-$version
  archive "$name.tar.gz"
  twice=$(mktemp -d)
  trap 'rm -rf "$twice"' EXIT
  libraries "$name.tar.gz" "$twice/one"
  node packaging/spdx.mjs "$twice/one/mallard-$version" "$version" "$(git log -1 --format=%cI)" >"$name.spdx.json"
  libraries "$name.tar.gz" "$twice/another, with a longer name"
  diff -r "$twice/one/root" "$twice/another, with a longer name/root" ||
    stop "the libraries depend on the folder they are built in"
  if last=$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null); then
    command -v abidiff >/dev/null || stop "abidiff is missing (Debian: apt-get install abigail-tools)"
    mkdir "$twice/last"
    git archive --prefix="mallard-$version/" "$last" | gzip >"$twice/last.tar.gz"
    libraries "$twice/last.tar.gz" "$twice/last"
    library=$(cd "$twice/one/root" && find . -name 'libmallard.so.*' -type f)
    abidiff "$twice/last/root/$library" "$twice/one/root/$library" >"$name.abidiff" ||
      echo "release: the interface differs from $last, see $name.abidiff" >&2
  fi
  (cd "$1" && sha256sum "mallard-$version".* >SHA256SUMS)
  echo "In $1:"
  cat "$1/SHA256SUMS"
}

case ${1-}${2+ } in
  cut)
    grep -q "^## $version, not yet released$" CHANGELOG.md || stop "CHANGELOG.md has no '## $version, not yet released'"
    sed -i "s/^## $version, not yet released$/## $version, $(date -u +%Y-%m-%d)/" CHANGELOG.md
    ;;
  "archive ") archive "$2" ;;
  "build ") build "$2" ;;
  tag)
    grep -q "^## $version, 20" CHANGELOG.md || stop "CHANGELOG.md has no date for $version: packaging/release.sh cut"
    git tag -a "v$version" -m "Mallard $version"
    ;;
  *) stop "cut, archive FILE, build FOLDER or tag" ;;
esac
