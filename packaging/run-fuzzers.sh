#!/bin/sh
# Runs every libFuzzer target for some seconds each: packaging/run-fuzzers.sh 300
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
build=build/fuzz

cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=clang++-19 \
  -DMALLARD_BUILD_FUZZERS=ON -DMALLARD_BUILD_BENCHMARKS=OFF -DMALLARD_BUILD_EXAMPLES=OFF \
  -DMALLARD_BUILD_SHARED=OFF -DMALLARD_BUILD_TOOL=OFF -DMALLARD_SANITIZE=address,undefined >/dev/null
cmake --build $build --target mallard_fuzzers -j "${JOBS:-$(nproc)}"

found=0
for fuzzer in $build/tests/fuzz/fuzz_*; do
  [ -x "$fuzzer" ] && [ -f "$fuzzer" ] || continue
  found=$((found + 1))
  name=$(basename "$fuzzer")
  mkdir -p "$build/corpus/$name"
  log=$build/$name.log
  if ! "$fuzzer" -max_total_time="$seconds" -artifact_prefix="$build/" "$build/corpus/$name" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "run-fuzzers: $name failed, its input is in $build" >&2
    exit 1
  fi
  grep -E '^Done|^stat::number_of_executed' "$log" | sed "s/^/$name: /"
done
[ "$found" -gt 0 ] || { echo "run-fuzzers: no targets were built" >&2; exit 1; }
