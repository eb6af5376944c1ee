#!/bin/sh
# Counts, with callgrind, a program's instructions by type with an installed library at each level of
# assertions: bench/assertions.sh [OPTION...]. OPTIONs are for the compiler; the default is pkg-config's
# for `mallard`. Prints lines such as "level 0 multipool pairs 14.0".
set -eu
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2046  # a list of words
[ $# -gt 0 ] || set -- $(pkg-config --cflags --libs mallard)

# count <name> <option>
count() {
  # shellcheck disable=SC2086  # lists of words
  ${CXX:-g++} -std=c++20 -O2 $2 bench/assertions.cpp $options -o "$folder/program"
  for resource in multipool adaptive_pool synchronized_heap; do
    for loop in nodes pairs random; do
      valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="*count_$loop*" \
        "$folder/program" $loop $resource 2>&1 |
        awk -v what="$1 $resource $loop" '/Collected/ {printf "%s %.1f\n", what, $4 / 20000}'
    done
  done
}

options=$*
count "level 0" ""
count "level 0, NDEBUG" -DNDEBUG
count "level 1" -DMALLARD_ASSERTIONS=1
count "level 2" -DMALLARD_ASSERTIONS=2
