#!/bin/sh
# Prints a table of the machine's memory that each installed malloc holds.
#   bench/malloc_probes.sh [NAME | NAME=PATH.so]...
# PROBES="tiny threads" selects probes; BUILD is the build folder (default: build/release).
set -eu
cd "$(dirname "$0")/.."
. bench/malloc_libraries.sh
build=${BUILD:-build/release}
program=$build/bench/mallard_malloc_probes
probes=${PROBES:-tiny starts freed fragmented phases threads short-threads remote growing forks one-large two-large long-frees freed-elsewhere frees-of-a-size refused waves buffers rounds}
[ -x "$program" ] || { echo "$program is not built" >&2; exit 1; }

libraries=$(choose_libraries "$build" "$@")
for probe in $probes; do
  echo "$libraries" | while read -r name path; do
    preload=$path
    [ "$path" != - ] || preload=
    # Each probe has its own process; a failed one leaves its cells empty.
    LD_PRELOAD=$preload timeout 120 "$program" "$probe" </dev/null |
      while read -r what value unit; do echo "$what $unit $name $value"; done ||
      true
  done
done | pivot
