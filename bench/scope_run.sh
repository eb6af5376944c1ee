#!/bin/sh
# Compares a scope of the malloc with a resource by hand, on the programs of examples/validation.
#   bench/scope_run.sh [REPETITIONS]
# Prints processor seconds, the median of interleaved runs: plain on the C library's malloc and on ours,
# with a scope, and by hand; then the scope's part of the gain by hand, beside either malloc. With
# INSTRUCTIONS=1 it prints millions of instructions (callgrind) of one run. Programs do a tenth of their
# usual work, or less. BUILD is the build folder (default: build/release).
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${BUILD:-build/release}")
reps=${1:-10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure <preload> <program> <amount>
measure() {
  if [ "${INSTRUCTIONS:-0}" = 1 ]; then
    valgrind --tool=callgrind --trace-children=yes --callgrind-out-file="$work/out.%p" \
      env LD_PRELOAD="$1" "$2" "$3" >/dev/null 2>"$work/log" ||
      { cat "$work/log" >&2; exit 1; }
    cat "$work"/out.* | awk '/^(totals|summary):/ { if ($2 > most) most = $2 } END { print most / 1e6 }'
    rm -f "$work"/out.*
  else
    LD_PRELOAD="$1" bash -c 'TIMEFORMAT="%U %S"; time "$0" >/dev/null' "$2" 2>"$work/time"
    awk '{ print $1 + $2 }' "$work/time"
  fi
}
median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

[ "${INSTRUCTIONS:-0}" = 1 ] && reps=1
printf '%-16s %9s %9s %9s %9s %14s %14s\n' program plain mallard scope 'by hand' \
  'of gain' 'beside ours'
for entry in request_server:30000 json_tree:120 lru_cache:200000 graph:6 tokenizer:100 \
    word_count:200000 mixed_sizes:200000; do
  example=${entry%:*}
  program=$build/examples/mallard_validation_$example
  [ -x "${program}_in_scope" ] || { echo "${program}_in_scope is not built" >&2; exit 1; }
  for _ in $(seq "$reps"); do
    amount=${entry#*:}
    measure "" "${program}_plain" "$amount" >>"$work/plain"
    measure "$build/src/malloc/libmallard-malloc.so" "${program}_plain" "$amount" >>"$work/ours"
    measure "" "${program}_in_scope" "$amount" >>"$work/scope"
    measure "" "${program}_by_hand" "$amount" >>"$work/hand"
  done
  for what in plain ours scope hand; do median <"$work/$what" >"$work/$what.median"; done
  paste "$work/plain.median" "$work/ours.median" "$work/scope.median" "$work/hand.median" |
    awk -v name="$example" '
      function part(from) { return from > $4 ? sprintf("%.0f %%", 100 * (from - $3) / (from - $4)) : "-" }
      { printf "%-16s %9.3f %9.3f %9.3f %9.3f %14s %14s\n", name, $1, $2, $3, $4, part($1), part($2) }'
  rm -f "$work"/plain "$work"/ours "$work"/scope "$work"/hand
done
