#!/bin/sh
# Runs real programs on all installed mallocs: bench/malloc_programs.sh [repetitions] [name…]
# It skips programs that are not installed. BUILD is the build folder (default: build/release).
set -eu
cd "$(dirname "$0")/.."
. bench/malloc_libraries.sh
build=${BUILD:-build/release}
reps=${1:-5}
[ $# -eq 0 ] || shift
list=$(mktemp)
trap 'rm -f "$list"' EXIT
add() {
  for needed in $1; do command -v "$needed" >/dev/null || return 0; done
  echo "$2" >>"$list"
}
# The compiler proper: the driver only starts it.
compiler=$(g++ -print-prog-name=cc1plus 2>/dev/null || true)
[ -x "$compiler" ] && add g++ "compile $compiler -quiet -O1 -std=c++20 bench/programs/compile.cpp \
-imultiarch $(g++ -print-multiarch) -D_GNU_SOURCE -o /dev/null"
add python3 "python python3 bench/programs/objects.py"
add python3 "python-malloc env PYTHONMALLOC=malloc python3 bench/programs/objects.py"
add sqlite3 "sqlite sqlite3 :memory: '.read bench/programs/speed.sql'"
add "redis-server redis-benchmark" "redis +bench/programs/redis.sh"
add ruby "ruby ruby bench/programs/objects.rb"
add lua5.4 "lua lua5.4 bench/programs/objects.lua"
add perl "perl perl bench/programs/objects.pl"
add git "git git --no-pager log --stat -n 150"
# shellcheck disable=SC2046
"$build/bench/mallard_malloc_programs" "$reps" "$list" \
  $(choose_libraries "$build" "$@" | sed 's/ /=/')
