#!/bin/sh
# Measures the cost of recording, per event and for real programs beside heaptrack (Debian: apt-get
# install heaptrack): bench/record_run.sh [repetitions]
# It skips programs that are not installed. BUILD is the build folder (default: build/release).
set -eu
cd "$(dirname "$0")/.."
root=$PWD
build=$(realpath "${BUILD:-build/release}")
reps=${1:-5}
mallard=$build/tools/mallard
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

echo "nanoseconds an event, what it costs without a recorder taken off; goals: 40 (one thread) and"
echo "50 (two) with frame pointers, 110 without"
printf '%-28s %8s %8s %8s\n' "frames, threads" "8, 1" "24, 1" "8, 2"
# events <title> <program> <options…>
events() {
  title=$1
  program=$2
  shift 2
  printf '%-28s' "$title"
  for shape in "8 1" "24 1" "8 2"; do
    best=
    base=
    for _ in $(seq "$reps"); do
      # shellcheck disable=SC2086
      base="$base $("$program" $shape)"
      # shellcheck disable=SC2086
      best="$best $("$mallard" record -q --force -o events.trace "$@" -- "$program" $shape)"
    done
    printf ' %8s' "$(echo "$base/$best" | awk -F/ '{
      n = split($1, b, " "); m = split($2, r, " ")
      low = b[1]; for (i = 2; i <= n; ++i) if (b[i] < low) low = b[i]
      least = r[1]; for (i = 2; i <= m; ++i) if (r[i] < least) least = r[i]
      printf "%.1f", least - low }')"
  done
  echo
}
events "with frame pointers" "$build/bench/mallard_record_events_fp"
events "without" "$build/bench/mallard_record_events"
events "without, no stacks" "$build/bench/mallard_record_events" --sample-stacks 0
events "without, dropping" "$build/bench/mallard_record_events" --drop

if command -v valgrind >/dev/null; then
  echo
  echo "instructions of the calls of mallard/profile.hpp when nobody records; goal: 4 each"
  # The difference of two numbers of rounds leaves out everything else that the program does.
  counted() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/bench/mallard_profile_idle" \
      "$1" "$2" 2>&1 | sed -n 's/.*Collected : //p'
  }
  a_round() { echo "$(counted "$1" 101000) $(counted "$1" 1000)" | awk '{ print ($1 - $2) / 100000 }'; }
  loop=$(a_round none)
  echo "a scope, entered and left: $(echo "$(a_round scope) $loop" | awk '{ print $1 - $2 }')"
  echo "pause: $(echo "$(a_round pause) $loop" | awk '{ print $1 - $2 }')"
fi

if ! command -v heaptrack >/dev/null; then
  echo "heaptrack is not installed: nothing to compare with" >&2
  exit 0
fi
echo
list=$work/programs
add() {
  for needed in $1; do command -v "$needed" >/dev/null || return 0; done
  echo "$2" >>"$list"
}
add clang++-19 "clang clang++-19 -std=c++20 -c $root/bench/programs/compile.cpp -o compile.o"
# The interpreter itself, since python3 may be a script. Its objects come from malloc.
export PYTHONMALLOC=malloc
add python3 "python $(python3 -c 'import sys; print(sys.executable)') $root/bench/programs/objects.py"
add sqlite3 "sqlite sqlite3 :memory: '.read $root/bench/programs/speed.sql'"
add "redis-server redis-benchmark" "redis +$root/bench/programs/redis.sh"
add git "git git -C $root --no-pager log --stat -n 150"
"$build/bench/mallard_record_programs" "$reps" "$list" "$mallard"
