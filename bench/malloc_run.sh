#!/bin/sh
# Measures all mallocs that are found and holds ours against its goals: bench/malloc_run.sh [directory]
# Some seven minutes on two cores. A shorter run: REPS=1 SHARE=8 bench/malloc_run.sh
# MALLOCS="name=path.so..." measures these besides, BENCHES="churn speed..." only some.
set -eu
cd "$(dirname "$0")/.."
out=${1:-results}
bin=build/release
mkdir -p "$out"

# Each bench at the chapter's numbers of threads where nothing else is said; SHARE divides the work.
share=${SHARE:-1}
files=""
more=""
for one in ${MALLOCS-}; do more="$more --allocator $one"; done
measure() {
  bench=$1
  shift
  case " ${BENCHES-$bench} " in *" $bench "*) ;; *) return 0 ;; esac
  # A failed cell is in the file and a missed goal; the others are to be measured all the same.
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
