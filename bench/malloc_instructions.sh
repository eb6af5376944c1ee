#!/bin/sh
# Counts, with callgrind, instructions per call of malloc and free, for all installed mallocs.
#   bench/malloc_instructions.sh [NAME | NAME=PATH.so]...
# Prints a table, or with COUNTS=1 one count a line. BUILD is the build folder (default: build/release).
set -eu
cd "$(dirname "$0")/.."
. bench/malloc_libraries.sh
build=${BUILD:-build/release}
program=$build/bench/mallard_malloc_instructions
[ -x "$program" ] || { echo "$program is not built" >&2; exit 1; }
counts=$(mktemp -d)
trap 'rm -rf "$counts"' EXIT

libraries=$(choose_libraries "$build" "$@")
echo "$libraries" | while read -r name path; do
  preload=
  [ "$path" = - ] || preload=--trace-children=yes
  # Valgrind itself must not run on the library: the program is started by env.
  if ! valgrind -q --tool=callgrind --collect-atstart=no $preload \
    --callgrind-out-file="$counts/$name" \
    ${preload:+env LD_PRELOAD="$path"} "$program" </dev/null >"$counts/log" 2>&1; then
    echo "$name: callgrind failed:" >&2
    cat "$counts/log" >&2
    continue
  fi
  # The dump's number of instructions belongs to the trigger above it.
  # shellcheck disable=SC2010  # names of ours, to be sorted by their numbers
  for part in $(ls "$counts" | grep "^$name\\.[0-9]*$" | sort -t. -k2 -n); do
    awk -v name="$name" '
      /^desc: Trigger: Client Request:/ { what = $5; calls = $7; collections = $9 }
      /^(totals|summary):/ { total = $2 }
      END { if (calls) print what, name, total, calls, collections }' "$counts/$part"
  done
done | awk '
  $1 == "nothing" { empty[$2] = $3 / $5; next }
  { print $1, "instructions", $2, sprintf("%.0f", ($3 - empty[$2] * $5) / $4) }
' | pivot
