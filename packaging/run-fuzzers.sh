#!/bin/sh
# Runs every libFuzzer target for some seconds each, one per processor at a time:
# packaging/run-fuzzers.sh 300
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
jobs=${JOBS:-$(nproc)}
build=build/fuzz

# Called for one program, it says what it did, or why it failed.
if [ "${2:-}" ]; then
  name=$(basename "$2")
  log=$build/$name.log
  mkdir -p "$build/corpus/$name"
  if ! "$2" -max_total_time="$seconds" -artifact_prefix="$build/" "$build/corpus/$name" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "run-fuzzers: $name failed, its input is in $build" >&2
    exit 1
  fi
  grep -E '^Done|^stat::number_of_executed' "$log" | sed "s/^/$name: /"
  exit 0
fi

cmake --preset fuzz >/dev/null
cmake --build $build --target mallard_fuzzers -j "$jobs"
fuzzers=$(find $build/tests/fuzz -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sort)
[ "$fuzzers" ] || { echo "run-fuzzers: no targets were built" >&2; exit 1; }
echo "$fuzzers" | xargs -P "$jobs" -n 1 "packaging/run-fuzzers.sh" "$seconds"
