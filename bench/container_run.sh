#!/bin/sh
# Measures the benches of extended allocators and checks their goals:
# bench/container_run.sh [directory]
set -eu
cd "$(dirname "$0")/.."
out=${1:-results}
bin=build/release
mkdir -p "$out"

for bench in expand-forward expand-backward shrink burst adaptive-pool realloc mixed; do
  $bin/tools/mallard bench $bench --reps "${REPS:-5}" --json "$out/$bench.jsonl" --resume
done

$bin/tools/mallard claims --statements bench/goals.json "$out/expand-forward.jsonl" "$out/expand-backward.jsonl" \
  "$out/shrink.jsonl" "$out/burst.jsonl" "$out/adaptive-pool.jsonl" "$out/mixed.jsonl"
