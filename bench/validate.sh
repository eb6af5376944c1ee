#!/bin/sh
# Compares advice with the truth: predicted by replay, tried on the running program, and written by hand
# with each strategy.
#   bench/validate.sh [ROUNDS [PROGRAM...]]   e.g. bench/validate.sh 7 octree roads jq
# With 7 rounds it takes about two minutes for each of 22 examples and of up to ten programs. It can run
# in parts: without names it measures what has no result in OUT (default: results/validation). Named
# programs are measured anew; ROUNDS 0 measures nothing. Each run puts the tables of all results in OUT
# into docs/advise.md, with the commit and day of each row.
# It skips programs that are not installed. BUILD is the build folder (default: build/release). PARTS=hand
# or PARTS=advice measures one side alone, and keeps the other of an earlier run.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
build=$(realpath "${BUILD:-build/release}")
reps=${1:-7}
[ $# -eq 0 ] || shift
named=" $* "
out=${OUT:-results/validation}
parts=${PARTS:-advice hand}
mallard=$build/tools/mallard
measured="$(git rev-parse --short HEAD) $(date +%Y-%m-%d)"
mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# is_wanted <name>
is_wanted() {
  [ "$reps" -gt 0 ] || return 1
  case $named in
    "  ") [ ! -e "$out/$1.measured" ] ;;
    *" ${1#*-} "*) ;;
    *) return 1 ;;
  esac
}

# Writes one JSON file for each program; the table says what failed.
# advise <name> <command…>
advise() {
  name=$1
  shift
  echo "$name" >&2
  case $parts in *advice*) ;; *) return 0 ;; esac
  "$mallard" advise --quick --json -- "$@" >"$out/$name.json" 2>"$work/err" || true
  tail -n 1 "$work/err" >"$out/$name.err"
}

# Measures processor seconds, plain, with each resource that the place can have, and plain on each malloc, in
# turn. The first row has the names; the resource that suits the place is also bound by type.
# by_hand <name> <example>
by_hand() {
  name=$1 plain=${2}_plain own=${2}_by_hand typed=${2}_by_type scoped=${2}_in_scope
  case $parts in *hand*) ;; *) return 0 ;; esac
  usual=$(sed -n 's/.*memory<mallard::\([a-z_]*\)_resource>.*/\1/p' \
    "$root/examples/validation/${name#example-}.cpp" | head -n 1 | tr _ -)
  ways=$usual-by-type
  [ ! -x "$scoped" ] || ways="$ways malloc-scope"
  for strategy in monotonic multipool multipool-on-monotonic heap adaptive-pool \
      synchronized-multipool synchronized-heap; do
    if MALLARD_STRATEGY=$strategy "$own" 1 >/dev/null 2>&1; then ways="$ways $strategy"; fi
  done
  for malloc in mallard jemalloc tcmalloc mimalloc; do
    if "$mallard" doctor --library "$malloc" >"$work/$malloc.file" 2>/dev/null; then
      ways="$ways switch-malloc:$malloc"
    fi
  done
  echo "plain $ways" >"$out/$name.times"
  for _ in $(seq "$reps"); do
    for way in plain $ways; do
      program=$own strategy='' preload=''
      case $way in
        plain) program=$plain ;;
        malloc-scope) program=$scoped ;;
        switch-malloc:*) program=$plain preload=$(cat "$work/${way#*:}.file") ;;
        *-by-type) program=$typed ;;
        *) strategy=$way ;;
      esac
      MALLARD_STRATEGY=$strategy P=$preload bash -c \
        'TIMEFORMAT="%U %S"; time LD_PRELOAD=$P "$0" >/dev/null' "$program" 2>"$work/time"
      awk '{ printf "%s ", $1 + $2 }' "$work/time" >>"$out/$name.times"
    done
    echo >>"$out/$name.times"
  done
}

# Thresholds of the advice were tuned on the first line's programs, and on none of the others.
for example in request_server json_tree lru_cache graph tokenizer producers matrix word_count \
    mixed_sizes \
    documents entities expressions grid_paths json_requests log_parser octree order_book roads \
    sorted_words symbol_tables text_index time_series; do
  program=$build/examples/mallard_validation_$example
  [ -x "${program}_plain" ] && is_wanted "example-$example" || continue
  advise "example-$example" "${program}_plain"
  by_hand "example-$example" "$program"
  echo "$measured" >"$out/example-$example.measured"
done

add() {
  for needed in $1; do command -v "$needed" >/dev/null || return 0; done
  shift
  is_wanted "$1" || return 0
  advise "$@"
  echo "$measured" >"$out/$1.measured"
}
export PYTHONMALLOC=malloc
add clang++-19 program-clang clang++-19 -std=c++20 -c "$root/bench/programs/compile.cpp" -o compile.o
add python3 program-python "$(python3 -c 'import sys; print(sys.executable)')" \
  "$root/bench/programs/objects.py"
add sqlite3 program-sqlite sqlite3 :memory: ".read $root/bench/programs/speed.sql"
add git program-git git -C "$root" log --stat -n 300 --format=oneline
if command -v jq >/dev/null; then
  awk 'BEGIN { printf "["; for (i = 0; i < 60000; ++i)
    printf "%s{\"id\": %d, \"tags\": [\"a%d\", \"b\"], \"nested\": {\"x\": %d}}", i ? "," : "", i, i, i
    print "]" }' >list.json
  add jq program-jq jq -c '[.[] | {id, n: (.tags | length)}] | length' list.json
fi
add "redis-server redis-benchmark" program-redis "$root/bench/programs/redis.sh"
add lua5.4 program-lua lua5.4 "$root/bench/programs/objects.lua"
add perl program-perl perl "$root/bench/programs/objects.pl"
add ruby program-ruby ruby "$root/bench/programs/objects.rb"
if command -v xmllint >/dev/null; then
  awk 'BEGIN { print "<list>"; for (i = 0; i < 200000; ++i)
    printf "<item number=\"%d\"><name>item %d</name></item>\n", i, i; print "</list>" }' >list.xml
  add xmllint program-xmllint xmllint --noout list.xml
fi

node "$root/bench/validate.mjs" "$out" >"$work/tables"
cat "$work/tables"
"$root/bench/put_table.sh" "$root/docs/advise.md" validation "$work/tables"
