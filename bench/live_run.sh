#!/bin/sh
# Measures the cost of counting for `mallard live`: bench/live_run.sh [repetitions]
# Prints nanoseconds, and with valgrind instructions, that counting adds to an operation (an allocation
# or a free). BUILD is the build folder (default: build/release). Goal: 10 ns.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${BUILD:-build/release}")
reps=${1:-5}
library=$("$build/tools/mallard" live --library)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

least() { sort -n "$1" | head -n 1; }
# instructions <file of callgrind>: an operation; 4000 rounds of 512
instructions() { awk '/^(totals|summary):/ { t = $2 } END { printf "%.1f", t / (4000 * 512) }' "$1"; }
counted="valgrind -q --tool=callgrind --collect-atstart=no --toggle-collect=*one_round*"

# row <title> <program> <frames> <threads>
row() {
  program=$build/bench/$2
  : >"$work/with"
  : >"$work/without"
  for _ in $(seq "$reps"); do  # interleaved
    "$program" "$3" "$4" >>"$work/without"
    LD_PRELOAD=$library "$program" "$3" "$4" >>"$work/with"
  done
  ns=$(echo "$(least "$work/with") $(least "$work/without")" | awk '{ printf "%.1f", $1 - $2 }')
  count=
  if command -v valgrind >/dev/null && [ "$4" = 1 ]; then
    # shellcheck disable=SC2086
    $counted --callgrind-out-file="$work/without.cg" "$program" "$3" "$4" >"$work/log" 2>&1
    # shellcheck disable=SC2086
    LD_PRELOAD=$library $counted --callgrind-out-file="$work/with.cg" "$program" "$3" "$4" \
      >"$work/log" 2>&1
    count=$(echo "$(instructions "$work/with.cg") $(instructions "$work/without.cg")" |
      awk '{ printf "%.1f", $1 - $2 }')
  fi
  printf '%-36s %8s %13s\n' "$1" "$ns" "$count"
}

echo "what counting adds to an operation"
printf '%-36s %8s %13s\n' "frames below the thread's beginning" ns instructions
row "8 frames" mallard_record_events 8 1
row "24 frames" mallard_record_events 24 1
row "8 frames, two threads" mallard_record_events 8 2
