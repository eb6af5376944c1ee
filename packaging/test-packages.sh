#!/bin/sh
# Builds each package and has it do the main job where nothing else of ours is: packaging/test-packages.sh [wheel]
# [musl_wheel] [deb] [conan] [rust] [release] [site] [oss_fuzz] [machines] [vcpkg]; without names, all but vcpkg.
# Debian's packages are installed in a root of their own (needs root and debootstrap); the wheel for musl installs its
# dynamic linker.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# in_root FOLDER COMMAND…: in a root of its own, without the environment of this one.
in_root() {
  folder=$1
  shift
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$folder" "$@"
}

# main_job COMMAND…: the command records a program and measures it.
main_job() {
  (cd "$work" && "$@" --version && "$@" record --force -o trace.mlt -- sort /etc/passwd >/dev/null 2>&1 &&
    "$@" dims trace.mlt | grep -q 'allocations' && "$@" top trace.mlt | grep -q 'sort+0x' &&
    "$@" report trace.mlt --force -o page.html >/dev/null && "$@" doctor >/dev/null)
}

# names_and_tries MALLARD: functions have names, also of a program that runs already, and other mallocs are tried.
names_and_tries() {
  cat >"$work/keys.cpp" <<'END'
#include <unistd.h>

#include <string>
#include <vector>
[[gnu::noinline]] std::size_t make_keys(int round) {
  std::vector<std::string> keys;
  for (int i = 0; i < 100; ++i) keys.push_back("a key of more than sixteen letters " + std::to_string(i * round));
  return keys.size();
}
int main(int count, char**) {
  std::size_t made = 0;
  if (count > 1) alarm(60);  // also if the test ends before
  for (int i = 0; i < 20000 || count > 1; ++i) made += make_keys(i);
  return made == 0;
}
END
  g++ -O2 -g -o "$work/keys" "$work/keys.cpp"
  (cd "$work" && "$1" record --force -o keys.mlt -- ./keys >/dev/null 2>&1 && "$1" top keys.mlt | grep -q make_keys &&
    "$1" advise --quick --force -- ./keys 2>/dev/null | grep -q make_keys)
  "$work/keys" for-a-minute &
  (cd "$work" && "$1" record --force --pid $! --for 1 -o keys.mlt >/dev/null 2>&1 &&
    "$1" top keys.mlt | grep -q make_keys)
  kill $!
}

# The wheel, of 6 MB at most, in a machine of this kind, and in an older one where nothing but Python is.
test_wheel() {
  packaging/wheel/build.sh "$work/wheel"
  wheel=$(ls "$work"/wheel/*manylinux_2_28*.whl)
  [ "$(stat -c %s "$wheel")" -le 6000000 ] || { echo "wheel: $(stat -c %s "$wheel") bytes"; return 1; }
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" -q install --disable-pip-version-check "$wheel"
  main_job "$work/venv/bin/mallard"
  main_job "$work/venv/bin/python" -m mallard
  names_and_tries "$work/venv/bin/mallard"
  root=$work/bullseye
  debootstrap --variant=minbase --include=python3-pip bullseye "$root" >"$work/debootstrap.log" ||
    { tail "$work/debootstrap.log"; return 1; }
  cp "$wheel" "$root/root"
  cat >"$root/root/first-answer" <<'END'
set -e
cd /root
pip3 -q install --no-index --disable-pip-version-check ./*.whl
mallard record -o trace.mlt -- sort /etc/passwd >/dev/null 2>&1
mallard dims trace.mlt | grep -q allocations
mallard advise --quick -o advice.html -- perl -e '$h{$_ % 60000} = "x" x ($_ % 100) for 1 .. 1000000' >advice.txt
grep -qi 'leave\|switch\|give' advice.txt
END
  mount -t proc proc "$root/proc"
  if in_root "$root" sh /root/first-answer; then status=0; else status=1; fi
  umount "$root/proc"
  return "$status"
}

# The wheel for musl, of which the C library alone is needed, under a program that zig links with musl.
test_musl_wheel() {
  packaging/install-deps.sh musl
  packaging/wheel/build.sh --musl "$work/musl"
  python3 -m zipfile -e "$work"/musl/*musllinux_1_2_*.whl "$work/musl"
  [ ! -e "$work/musl/mallard/bin" ]
  for library in "$work"/musl/mallard/lib/libmallard-malloc*.so; do
    needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
    [ "$needed" = libc.so ] || { echo "musl_wheel: $library needs $needed"; return 1; }
  done
  cat >"$work/musl/main.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern size_t malloc_usable_size(void*);
extern int mallard_trim(void) __attribute__((weak));
int main(void) {
  if (mallard_trim == NULL) return 1;
  for (size_t bytes = 1; bytes < 10 << 20; bytes += bytes / 3 + 1) {
    char* block = malloc(bytes);
    memset(block, 1, malloc_usable_size(block));
    block = realloc(block, 2 * bytes);
    if (block[bytes - 1] != 1) return 2;
    free(block);
  }
  puts("runs");
  return 0;
}
END
  build/zig-musl/cc -O1 "$work/musl/main.c" -o "$work/musl/main"
  found=$(cd "$work/musl" && python3 -m mallard doctor --library mallard)
  [ "$(LD_PRELOAD=$found "$work/musl/main")" = runs ]
  if (cd "$work/musl" && python3 -m mallard record -- true 2>says); then return 1; fi
  grep -qx "mallard: the command needs glibc.*LD_PRELOAD=$found ./program" "$work/musl/says"
}

# check_packages FILE…: lintian finds no error and no warning. It also fails, without a word, on hints that its own
# screens mask; these are printed here.
check_packages() {
  lintian --fail-on error,warning "$@" || {
    echo "deb: lintian ended with status $?; with the hints that are masked or overridden it found:"
    lintian --show-overrides "$@" || true
    df -h "$work"
    return 1
  }
}

test_deb() {
  # Packages of debug information take as long to pack as a third of the build, and nothing here reads them.
  DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-} noautodbgsym" packaging/deb.sh "$work/deb"
  check_packages "$work"/deb/*.changes
  root=$work/root
  debootstrap --variant=minbase bookworm "$root" >"$work/debootstrap.log" || { tail "$work/debootstrap.log"; return 1; }
  mkdir "$root/deb" "$root/autopkgtest"
  cp "$work"/deb/*.deb "$root/deb"
  cp packaging/debian/tests/* "$root/autopkgtest"
  in_root "$root" sh -ec '
    apt-get install -y -qq --no-install-recommends /deb/*.deb cmake g++ make pkg-config >/install.log 2>&1 ||
      { tail /install.log; exit 1; }
    if mallard record -- true 2>/says; then exit 1; fi
    grep -qx "mallard: /proc is not mounted.*" /says'
  mount -t proc proc "$root/proc"
  if in_root "$root" sh -ec 'for test in library command; do /autopkgtest/$test; done'; then status=0; else status=1; fi
  umount "$root/proc"
  return "$status"
}

test_conan() {
  python3 -m venv "$work/conan"
  "$work/conan/bin/pip" -q install --disable-pip-version-check conan
  CONAN_HOME=$work/home
  export CONAN_HOME
  "$work/conan/bin/conan" profile detect >/dev/null 2>&1
  for shared in True False; do
    "$work/conan/bin/conan" create packaging/conan -s compiler.cppstd=20 -o "mallard/*:shared=$shared" \
      >"$work/conan.log" 2>&1 || { tail -n 30 "$work/conan.log"; return 1; }
  done
  rm -rf packaging/conan/test_package/build packaging/conan/test_package/CMakeUserPresets.json
}

# vcpkg's port by vcpkg's own tool, which is no package of Debian: VCPKG_ROOT is a clone of vcpkg after its
# bootstrap-vcpkg.sh.
test_vcpkg() {
  [ -x "${VCPKG_ROOT-}/vcpkg" ] || {
    echo "vcpkg: VCPKG_ROOT has to be a clone of vcpkg in which bootstrap-vcpkg.sh was run" >&2
    return 1
  }
  for root in buildtrees packages install; do set -- "$@" "--x-$root-root=$work/vcpkg/$root"; done
  "$VCPKG_ROOT/vcpkg" install 'mallard[malloc]' --editable --overlay-ports=packaging/vcpkg "$@" \
    >"$work/vcpkg.log" 2>&1 || { tail -n 30 "$work/vcpkg.log"; return 1; }
  if grep -i 'warning: ' "$work/vcpkg.log"; then return 1; fi
  mkdir "$work/vcpkg/program"
  cat >"$work/vcpkg/program/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX)
find_package(mallard CONFIG REQUIRED)
add_executable(program main.cpp)
target_link_libraries(program PRIVATE mallard::mallard mallard::malloc)
END
  cat >"$work/vcpkg/program/main.cpp" <<'END'
#include <mallard/malloc/malloc.h>
#include <mallard/multipool.hpp>

#include <cstdlib>
#include <memory_resource>
#include <string>
#include <vector>
int main() {
  mallard::multipool_resource pool;
  std::pmr::vector<std::pmr::string> words(1000, std::pmr::string(100, 'x', &pool), &pool);
  void* const block = std::malloc(1000);
  return words.back().size() == 100 && mallard_alignment(block) >= 16 ? 0 : 1;
}
END
  cmake -S "$work/vcpkg/program" -B "$work/vcpkg/build" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$VCPKG_ROOT/scripts/buildsystems/vcpkg.cmake" \
    -DVCPKG_INSTALLED_DIR="$work/vcpkg/install" >/dev/null
  cmake --build "$work/vcpkg/build" >/dev/null
  "$work/vcpkg/build/program"
}

# The crate as it would be uploaded, then a program of somebody else's on it.
test_rust() {
  packaging/rust/crate.sh "$work/crate"
  (cd "$work/crate" && cargo package --quiet --allow-dirty --no-verify && cargo test --quiet) >"$work/rust.log" 2>&1 ||
    { tail -n 30 "$work/rust.log"; return 1; }
  tar xzf "$work"/crate/target/package/*.crate -C "$work"
  cargo new --quiet --vcs none "$work/program"
  (cd "$work/program" && cargo add --quiet --path "$work"/mallard-malloc-*/ 2>/dev/null && cat >src/main.rs <<'END' && cargo run --quiet)
#[global_allocator]
static GLOBAL: mallard_malloc::Mallard = mallard_malloc::Mallard;

fn main() {
    let block = vec![1u8; 50 << 20];
    assert!(mallard_malloc::unfreed_bytes() >= block.len());
}
END
}

test_release() {
  packaging/release.sh build "$work/release"
  (cd "$work/release" && sha256sum -c --quiet SHA256SUMS)
}

# The strict site of the documents, and that its check of links sees a broken one and a page of the network.
test_site() {
  make --no-print-directory site
  cp -r results/site "$work/site"
  printf '<a href="nowhere.html">a</a><a href="faq.html#nothing">b</a><img src="https://mallard.invalid/x.png">' \
    >>"$work/site/index.html"
  if node packaging/site/check.mjs "$work/site" 2>"$work/problems"; then return 1; fi
  for problem in 'nowhere.html is no file' 'faq.html#nothing is no heading' 'from the network'; do
    grep -q "index.html: .*$problem" "$work/problems" || { cat "$work/problems"; return 1; }
  done
}

# OSS-Fuzz's script, with its environment but clang of this machine; each fuzzer runs on its seeds.
test_oss_fuzz() {
  mkdir "$work/src" "$work/out" "$work/fuzz"
  ln -s "$PWD" "$work/src/mallard"
  SRC=$work/src OUT=$work/out WORK=$work/fuzz SANITIZER=address LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
    CC=clang-19 CXX=clang++-19 CFLAGS='-O1 -fsanitize=address -fsanitize=fuzzer-no-link' \
    CXXFLAGS='-O1 -fsanitize=address -fsanitize=fuzzer-no-link' packaging/oss-fuzz/build.sh >"$work/fuzz.log" 2>&1 ||
    { tail -n 30 "$work/fuzz.log"; return 1; }
  fuzzers=0
  for fuzzer in "$work"/out/fuzz_*; do
    [ -x "$fuzzer" ] || continue
    mkdir "$work/seeds"
    [ ! -e "${fuzzer}_seed_corpus.zip" ] || unzip -q "${fuzzer}_seed_corpus.zip" -d "$work/seeds"
    "$fuzzer" -runs=500 -max_len=4096 "$work/seeds" >"$work/fuzz.log" 2>&1 || { tail -n 30 "$work/fuzz.log"; return 1; }
    rm -r "$work/seeds"
    fuzzers=$((fuzzers + 1))
  done
  [ "$fuzzers" -ge 10 ] || { echo "oss_fuzz: $fuzzers fuzzers alone were built"; return 1; }
}

# The libraries and the mallocs for other machines, with the tests that run here.
test_machines() {
  for machine in riscv64 musl; do
    make --no-print-directory "$machine" >"$work/$machine.log" 2>&1 || { tail -n 30 "$work/$machine.log"; return 1; }
  done
}

[ $# -gt 0 ] || set -- wheel musl_wheel deb conan rust release site oss_fuzz machines
for what in "$@"; do
  echo "== $what"
  "test_$what"
done
echo "all of these do the main job: $*"
