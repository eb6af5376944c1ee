#!/bin/sh
# Measures the hook of `mallard whatif` where no route matches: bench/whatif_run.sh [repetitions]
# Prints nanoseconds, and with valgrind instructions, that the hook adds to an allocation and its free.
# BUILD is the build folder (default: build/release).
set -eu
cd "$(dirname "$0")/.."
bench=$(realpath "${BUILD:-build/release}")/bench
reps=${1:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A function that none of these programs has, and sizes that none requests.
by_function='there_is_no_such_function=heap'
by_size='size:1000000-=heap'

# least <file>
least() { sort -n "$1" | head -n 1; }

# instructions <file of callgrind>: per pair; 4000 rounds of 256
instructions() { awk '/^(totals|summary):/ { t = $2 } END { printf "%.0f", t / (4000 * 256) }' "$1"; }
counted="valgrind -q --tool=callgrind --collect-atstart=no --toggle-collect=*one_round*"

# row <title> <how stacks are found> <route> <program> <frames> <threads>
row() {
  program=$bench/$4
  : >"$work/with"
  : >"$work/without"
  for _ in $(seq "$reps"); do  # interleaved
    "$program" "$5" "$6" >>"$work/without"
    "$bench/mallard_whatif_hook" "$2" "$3" "$program" "$5" "$6" >>"$work/with"
  done
  # The program prints nanoseconds of one operation; a pair is two.
  ns=$(echo "$(least "$work/with") $(least "$work/without")" | awk '{ printf "%.1f", 2 * ($1 - $2) }')
  count=
  if command -v valgrind >/dev/null && [ "$6" = 1 ]; then
    # shellcheck disable=SC2086
    $counted --callgrind-out-file="$work/without.cg" "$program" "$5" "$6" >"$work/log" 2>&1
    # shellcheck disable=SC2086
    "$bench/mallard_whatif_hook" "$2" "$3" \
      $counted --callgrind-out-file="$work/with.cg" "$program" "$5" "$6" >"$work/log" 2>&1
    count=$(($(instructions "$work/with.cg") - $(instructions "$work/without.cg")))
  fi
  printf '%-44s %8s %13s\n' "$1" "$ns" "$count"
}

echo "what the hook adds to an allocation and its free where no route matches"
printf '%-44s %8s %13s\n' "frames below the thread's beginning" ns instructions
row "a route by size alone" frame-pointers "$by_size" mallard_record_events_fp 8 1
row "by function, frame pointers, 8" frame-pointers "$by_function" mallard_record_events_fp 8 1
row "by function, frame pointers, 24" frame-pointers "$by_function" mallard_record_events_fp 24 1
row "by function, frame pointers, 8, two threads" frame-pointers "$by_function" \
  mallard_record_events_fp 8 2
row "by function, tables, 8" tables "$by_function" mallard_record_events 8 1
row "by function, tables, 24" tables "$by_function" mallard_record_events 24 1
