#!/bin/sh
# Measures all mallocs found, and checks the goals of ours: bench/malloc_run.sh [directory]
# It takes some seven minutes on two cores. A shorter run: REPS=1 SHARE=8 bench/malloc_run.sh
# MALLOCS="name=path.so..." adds mallocs, BENCHES="churn speed..." selects benches.
set -eu
cd "$(dirname "$0")/.."
out=${1:-results}
bin=build/release
mkdir -p "$out"

# Each bench runs at the chapter's numbers of threads by default; SHARE divides the work.
share=${SHARE:-1}
files=""
more=""
for one in ${MALLOCS-}; do more="$more --allocator $one"; done
measure() {
  bench=$1
  shift
  case " ${BENCHES-$bench} " in *" $bench "*) ;; *) return 0 ;; esac
  # A failed cell is recorded and misses its goal; the other benches still run.
  # shellcheck disable=SC2086
  $bin/tools/mallard bench "$bench" "$@" $more --reps "${REPS:-5}" --json "$out/$bench.jsonl" --resume ||
    true
  files="$files $out/$bench.jsonl"
}

measure churn --objects $((400000 / share))
measure thrash --scale "1/$((50 * share))"
measure scratch --scale "1/$((50 * share))"
measure speed --scale "1/$((2 * share))"
measure memory --scale "1/$share"
measure larson --threads 1,2,8,48 --scale "1/$((10 * share))"
measure remote-free --threads 1,2,4 --scale "1/$((2 * share))"
measure mixed-malloc --threads 1,2,4 --scale "1/$((5 * share))"

# shellcheck disable=SC2086
$bin/tools/mallard claims --statements bench/goals.json $files
