#!/bin/sh
# Builds and runs every test in the configurations that CI covers, and sums the results up.
# One configuration alone: packaging/run-tests.sh asan
set -u
cd "$(dirname "$0")/.."

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

# suite <preset> <cmake arguments…>: builds everything and runs its tests, counted one by one.
suite() {
  preset=$1
  shift
  log=build/$preset/test.log
  echo
  echo "== $preset"
  if ! { cmake --preset "$preset" "$@" >/dev/null && cmake --build --preset "$preset" -j "$jobs"; }; then
    failed=$((failed + 1))
    echo "== FAILED: $preset does not build"
    return
  fi
  ctest --preset "$preset" -j "$jobs" --no-tests=error >"$log" 2>&1
  status=$?
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
  [ "$status" -eq 0 ] || sed -n '/[0-9]*\/[0-9]* Test.*Failed/,$p' "$log" | tail -n 200
}

format_is_clean() {
  clang-format-19 --dry-run --Werror $(git ls-files '*.hpp' '*.cpp')
}

presets=${*:-"format release asan tsan ci fuzz"}
for preset in $presets; do
  case $preset in
    format) run "formatting" format_is_clean ;;
    fuzz) run "fuzzers, briefly" packaging/run-fuzzers.sh 10 ;;
    release) suite release -DMALLARD_WERROR=ON ;;
    *) suite "$preset" ;;
  esac
done

echo
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
