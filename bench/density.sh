#!/bin/sh
# Compares the heap's share of programs' time (D) with the truth: bench/density.sh [PROGRAM...]
# Without names it measures the programs that have no row in OUT (default: results/density). A named
# program, such as jq or "pairs, 1 thread, 0.6", is measured anew; `none` measures nothing. The table of
# all rows in OUT goes into docs/dims.md.
# Eight programs measure the truth themselves, between two figures. For six others the lower bound is what
# callgrind counts, their own instructions in the heap's operations. The upper bound adds all of the
# system's time: callgrind does not see the pages that malloc touches first. "as it is" is sampled without
# the recorder, as by `mallard advise`; "recorded" is the estimate of `mallard dims`. Two threads of a
# program know nothing of each other: for the other one's share of the time each meets it in the heap (C).
# BUILD is the build folder (default: build/release).
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${BUILD:-build/release}")
out=${OUT:-results/density}
mkdir -p "$out"
measured="$(git rev-parse --short HEAD), $(date +%Y-%m-%d)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
named=$(printf '%s\n' "$@")

# is_wanted <name>
is_wanted() {
  if [ -z "$named" ]; then [ ! -e "$out/$1" ]; else printf '%s\n' "$named" | grep -qxF "$1"; fi
}

# row <name> <truth> <command>...
row() {
  name=$1
  truth=$2
  shift 2
  said=$("$build/bench/mallard_heap_sampler" "$@" 2>"$work/log" | awk '{ printf "%s (%s to %s)", $1, $2, $3 }')
  "$build/tools/mallard" record --force -o "$work/trace" -- "$@" >"$work/log" 2>&1
  recorded=$("$build/tools/mallard" dims --json "$work/trace" | python3 -c '
import json, sys
all = json.load(sys.stdin)
heap = all["heap"]
print("%.3f (%.3f to %.3f)" % (heap["share"], heap["low"], heap["high"]) if heap else "-", end=" | ")
print("%.3f" % all["program"]["C"]["scaled"] if all["threads"] > 2 else "-")')
  echo "| $name | $truth | $said | $recorded | $measured |" | tee "$out/$name"
}

while read -r how share threads; do
  name="$how, $threads thread$([ "$threads" = 1 ] || echo s), $share"
  is_wanted "$name" || continue
  "$build/bench/mallard_heap_share" "$how" "$share" 1 "$threads" 2>"$work/truth" >"$work/log"
  set -- "$build/bench/mallard_heap_share" "$how" "@$(awk '{ print $3 }' "$work/truth")" 2 "$threads"
  "$@" 2>"$work/truth" >"$work/log"
  row "$name" "$(awk '{ print $1 " to " $2 }' "$work/truth")" "$@"
done <<END
pairs 0.15 1
pairs 0.6 1
batches 0.3 1
batches 0.69 2
batches 0.3 2
pairs 0.15 2
zeroed 0.4 1
mapped 0.5 1
END

# of_callgrind <name> <command>...
of_callgrind() {
  name=$1
  shift
  command -v "$1" >"$work/log" || return 0
  is_wanted "$name" || return 0
  valgrind -q --tool=callgrind --callgrind-out-file="$work/calls" "$@" >"$work/log" 2>&1 || true
  # The medians of five runs.
  system=$(for _ in 1 2 3 4 5; do
      bash -c 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1' - "$@"
    done 2>&1 | awk '{ print $2 / ($1 + $2) }' | sort -n | sed -n 3p)
  truth=$(callgrind_annotate --inclusive=yes --threshold=100 "$work/calls" | tr -d , |
    awk -v kernel="$system" '/PROGRAM TOTALS/ { all = $1 }
         $0 ~ /:(malloc|free|calloc|realloc|posix_memalign|aligned_alloc) / { sum += $1 }
         END { if (!all) exit 1
               own = sum / all * (1 - kernel)
               printf "%.3f to %.3f", own, own + kernel }')
  row "$name" "$truth" "$@"
}

python3 - "$work" <<'END'
import json, random, sys
random.seed(1)
rows = [{"id": i, "name": "n%d" % random.randrange(10**6), "values": [random.random() for _ in range(8)]}
        for i in range(60000)]
json.dump(rows, open(sys.argv[1] + "/rows.json", "w"))
with open(sys.argv[1] + "/rows.xml", "w") as out:
    out.write("<rows>")
    for row in rows:
        out.write("<row id='%d'><name>%s</name>%s</row>" % (
            row["id"], row["name"], "".join("<v>%f</v>" % v for v in row["values"])))
    out.write("</rows>")
END
of_callgrind sqlite3 sqlite3 :memory: ".read bench/programs/speed.sql"
of_callgrind jq jq -c "[.[] | {id, n: (.values | add)}] | length" "$work/rows.json"
of_callgrind git git log --stat -n 300
# A script may be what starts it.
of_callgrind python3 "$(python3 -c 'import sys; print(sys.executable)')" bench/programs/objects.py
of_callgrind perl perl bench/programs/objects.pl
of_callgrind xmllint xmllint --noout "$work/rows.xml"

{
  printf '\n| program | truth | as it is | recorded | C, recorded | measured |\n|---|---|---|---|---|---|\n'
  cat "$out"/*
  echo
} >"$work/table"
bench/put_table.sh docs/dims.md density "$work/table"
