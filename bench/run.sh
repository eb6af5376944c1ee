#!/bin/sh
# Measures everything that the goals name, and checks the goals: bench/run.sh [directory]
# A shorter run: REPS=3 SCALE=1/1024 bench/run.sh; a larger one: LINKS=2^23 bench/run.sh DIRECTORY
set -eu
cd "$(dirname "$0")/.."
out=${1:-results}
bin=build/release
mkdir -p "$out"

# Only the cells that the goals compare. Those of DS5-DS12 at 2^14 are one run at any scale.
$bin/tools/mallard bench density --sizes 6,10,14 --heap clean,aged --reps "${REPS:-5}" \
  --strategies AS1,AS3,AS3n,AS4,AS5,AS7,AS8,AS9,AS11,AS12 --peer-strategies AS3,AS5,AS7 \
  --scale "${SCALE:-1/256}" --json "$out/goals.jsonl" --resume

{ $bin/bench/mallard_footprint; bench/instructions.sh multipool; } >"$out/counts.txt"

$bin/tools/mallard bench locality --links "${LINKS:-2^21}" --subsystem 4,6,8,10,12,14,16,18 \
  --accesses 8 --repeats 4 --strategies AS1,AS7,AS9 --reps "${REPS:-5}" --json "$out/locality.jsonl" \
  --resume
$bin/tools/mallard bench utilization --total "${TOTAL:-30}" --strategies AS1,AS7,AS9 \
  --reps "${REPS:-5}" --json "$out/utilization.jsonl" --resume
$bin/tools/mallard bench contention --threads 1,2,4,8 --strategies AS1,AS7,AS9,sync,mutex \
  --reps "${REPS:-5}" --json "$out/contention.jsonl" --resume

# Boost's containers with extended allocators, and their goals.
bench/container_run.sh "$out" || true

# The mallocs, and their goals.
bench/malloc_run.sh "$out" || true

$bin/tools/mallard claims --statements bench/goals.json "$out/goals.jsonl" "$out/locality.jsonl" \
  "$out/utilization.jsonl" "$out/contention.jsonl"
