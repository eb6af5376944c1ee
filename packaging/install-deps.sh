#!/bin/sh
# Installs what building and testing needs from Debian's packages; quiet when all is there.
# `install-deps.sh demo`: what building the command alone needs; with command: also pipx. With aarch64, riscv64 or musl:
# also what builds and tests for these; with packages, what packaging/test-packages.sh needs; with programs, the
# programs of packaging/test-programs.sh.
set -eu

command="g++ cmake ninja-build ca-certificates nodejs npm libcli11-dev libfmt-dev nlohmann-json3-dev libzstd-dev
  zlib1g-dev libsqlite3-dev"
packages="$command make ccache git chromium valgrind
  clang-19 clang-format-19 clang-tidy-19 lld-19 libclang-rt-19-dev libc++-19-dev libc++abi-19-dev
  libgtest-dev libgmock-dev libboost-container1.81-dev libboost-json1.81-dev sqlite3"
foreign=""
case ${1:-} in
  demo) packages="$command make" ;;
  command) packages="$command pipx" ;;
  aarch64)
    foreign=arm64
    packages="$packages g++-aarch64-linux-gnu qemu-user-static binfmt-support
      libc6:arm64 libstdc++6:arm64 libgtest-dev:arm64 libgmock-dev:arm64
      libfmt-dev:arm64 libzstd-dev:arm64 zlib1g-dev:arm64 libsqlite3-dev:arm64"
    ;;
  riscv64) packages="$packages g++-riscv64-linux-gnu qemu-user-static" ;;
  musl) packages="$packages musl python3-venv" ;;
  packages)
    packages="$packages abigail-tools cargo debhelper debootstrap dpkg-dev g++-riscv64-linux-gnu lintian musl
      pkg-config python3-venv qemu-user-static rustc unzip zip"
    ;;
  programs)
    packages="$packages bc bubblewrap busybox-static curl dash gawk gdb golang-go guile-3.0 imagemagick jq ksh
      libc6-i386 libgoogle-perftools-dev libjemalloc-dev libjemalloc2 libxml2-utils lua5.4 memcached musl-tools
      nginx-light ocaml-nox openjdk-17-jdk-headless php-cli postgresql procps python3 redis-server ruby rustc sbcl
      strace sudo tcl tcsh tmux vim w3m xz-utils zsh zstd"
    ;;
  '') ;;
  *)
    echo "install-deps: '$1' is none of demo, command, aarch64, riscv64, musl, packages, programs" >&2
    exit 2
    ;;
esac

missing=""
for package in $packages; do
  case $package in
    # A newer node than Debian's is as good, wherever it came from.
    nodejs) command -v node >/dev/null 2>&1 && continue ;;
    npm) command -v npm >/dev/null 2>&1 && continue ;;
    # So are other makers' compilers, and a server that has more in its package.
    golang-go) command -v go >/dev/null 2>&1 && continue ;;
    cargo) command -v cargo >/dev/null 2>&1 && continue ;;
    rustc) command -v rustc >/dev/null 2>&1 && continue ;;
    openjdk-*) command -v javac >/dev/null 2>&1 && continue ;;
    gdb | nginx-light) command -v "${package%-light}" >/dev/null 2>&1 && continue ;;
    # The peer is measured in whatever version is there.
    libboost-container*) ls /usr/include/boost/container/pmr/*.hpp >/dev/null 2>&1 && continue ;;
    libboost-json*) ls /usr/include/boost/json.hpp >/dev/null 2>&1 && continue ;;
  esac
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
    missing="$missing $package"
done
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
elif [ -n "$missing" ]; then
  echo "install-deps: these Debian packages are missing and need root to install:$missing" >&2
  exit 1
else
  as_root=false
fi

if [ -n "$missing" ]; then
  echo "Installing from Debian:$missing"
  log=$(mktemp)
  # shellcheck disable=SC2086  # a list of words
  if ! { { [ -z "$foreign" ] || $as_root dpkg --add-architecture "$foreign"; } &&
    $as_root apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "install-deps: apt-get failed" >&2
    exit 1
  fi
  rm -f "$log"
fi

# Tests start programs of the other machine, which the kernel gives to qemu.
formats=/proc/sys/fs/binfmt_misc
if [ "$foreign" = arm64 ] && [ ! -e "$formats/qemu-aarch64" ]; then
  if ! { { [ -e "$formats/register" ] || $as_root mount -t binfmt_misc binfmt_misc "$formats"; } &&
    $as_root update-binfmts --enable qemu-aarch64; }; then
    echo "install-deps: the kernel does not give programs for aarch64 to qemu (binfmt_misc)" >&2
    exit 1
  fi
fi
