#!/bin/sh
# Builds and runs every test in the configurations that CI covers, and sums the results up.
# Some of it alone: packaging/run-tests.sh [<configuration>...] [<suite>...], where a suite is a folder
# of tests/, in the configurations that are named or else in `dev`.
set -u
cd "$(dirname "$0")/.." || exit 1

# ccache knows what was compiled before, in this tree or a clone of it.
if command -v ccache >/dev/null 2>&1; then
  export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
fi

jobs=${JOBS:-$(nproc)}
passed=0
failed=0

# run <what> <command…>: one step that passes or fails as a whole.
run() {
  what=$1
  shift
  echo
  echo "== $what"
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "== FAILED: $what"
  fi
}

# compiled_only <preset> <suite>: the preset compiles the suite for warnings, and has no test of it.
compiled_only() {
  sed -n 's/^MALLARD_COMPILED_SUITES:[A-Z]*=//p' "build/$1/CMakeCache.txt" | tr ';' '\n' | grep -qx "$2"
}

# tests_of <preset> [<suite>]: builds the suite, or everything, and has its tests run while the next
# of these is built: many of them wait, for a browser or for threads.
tests_of() {
  echo
  echo "== $*: build"
  # lld, if it is there, links in a fifth of the time. Elsewhere the usual linker is tested.
  lld=/usr/lib/llvm-19/bin
  linker=
  case $1 in
    gcc | asan | tsan) [ ! -x $lld/ld.lld ] || linker="-B$lld -fuse-ld=lld" ;;
  esac
  if ! { cmake --preset "$1" -DMALLARD_WERROR=ON ${linker:+"-DCMAKE_EXE_LINKER_FLAGS=$linker"} >/dev/null && cmake --build --preset "$1" -j "$jobs" ${2:+--target "tests/$2/all"}; }; then
    failed=$((failed + 1))
    echo "== FAILED: $* does not build"
    return
  fi
  finish_tests
  if [ -n "${2:-}" ] && compiled_only "$1" "$2"; then
    echo "== $*: compiled without a warning; this preset does not run it"
    passed=$((passed + 1))
    return
  fi
  running=$*
  # The preset knows which tests are not for it; a suite is run whole.
  if [ -n "${2:-}" ]; then where="--test-dir build/$1/tests/$2"; else where="--preset $1"; fi
  log=build/$1/test${2:+-$2}.log
  # More of them than processors, and whatever hangs is ended.
  # shellcheck disable=SC2086  # two words
  ctest $where -j "$((jobs * 2))" --timeout 300 --no-tests=error --output-on-failure \
    >"$log" 2>&1 &
  tests=$!
}

# Prints the failing tests' output that says why.
output_of_failed() {
  grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test .* Passed )|^\[ +(RUN|OK) |^\[-+\]' "$log"
}

# Waits for the tests that run, if any do, and counts them one by one.
running=
trap '[ -z "$running" ] || kill "$tests"; exit 130' INT TERM
finish_tests() {
  [ -n "$running" ] || return 0
  wait "$tests"
  status=$?
  echo
  echo "== $running: tests"
  running=
  grep -E '^ *[0-9]+/[0-9]+ Test.*(\*\*\*|Failed)' "$log"
  line=$(grep -E 'tests passed, [0-9]+ tests? failed out of' "$log")
  echo "$line"
  bad=$(echo "$line" | sed -E 's/.*, ([0-9]+) tests? failed.*/\1/')
  all=$(echo "$line" | sed -E 's/.*out of ([0-9]+).*/\1/')
  if [ -z "$all" ]; then
    failed=$((failed + 1))
    cat "$log"
    return
  fi
  passed=$((passed + all - bad))
  failed=$((failed + bad))
  [ "$status" -eq 0 ] || output_of_failed | tail -n 200
}

format_is_clean() {
  git ls-files -z '*.hpp' '*.cpp' | xargs -0 clang-format-19 --dry-run --Werror
}

configurations=
suites=
for word in "$@"; do
  case $word in
    format) configurations="$configurations $word" ;;
    *)
      if [ -d "tests/$word" ]; then
        suites="$suites $word"
      elif cmake --list-presets | grep -q "^ *\"$word\""; then
        configurations="$configurations $word"
      else
        echo "run-tests: '$word' is neither a preset nor a folder of tests/" >&2
        exit 2
      fi
      ;;
  esac
done
if [ -n "$suites" ]; then
  configurations=${configurations:-dev}
else
  configurations=${configurations:-format gcc asan ci tsan}
fi

for configuration in $configurations; do
  case $configuration in
    format) run "formatting" format_is_clean ;;
    *)
      if [ -z "$suites" ]; then
        tests_of "$configuration"
      fi
      for suite in $suites; do
        tests_of "$configuration" "$suite"
        finish_tests
      done
      ;;
  esac
done
finish_tests

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
