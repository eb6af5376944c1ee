#!/bin/sh
# Counts, with callgrind, the instructions of each resource's hot paths, the return included:
# bench/instructions.sh [RESOURCE...]. Prints lines such as "resource multipool
# pairs_direct_allocate instructions 5".
set -eu
cd "$(dirname "$0")/.."
program=${PROGRAM:-build/release/bench/mallard_instructions}
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT

# count <resource> <loop>
count() {
  iterations=$(valgrind --tool=callgrind --callgrind-out-file="$counts" \
    --toggle-collect='*count_*' "$program" "$2" "$1" 2>/dev/null)
  callgrind_annotate --inclusive=yes --threshold=100 "$counts" |
    sed -nE 's/^ *([0-9,]+) .*count_([a-z]+_[a-z]+)[<(].*/\2 \1/p' | tr -d , | sort -u -k 1,1 |
    while read -r operation instructions; do
      echo "resource $1 ${2}_$operation instructions $(echo "$instructions $iterations" | awk '{printf "%.3g", $1 / $2}')"
    done
}

[ $# -gt 0 ] || set -- monotonic multipool adaptive_pool heap synchronized_multipool \
  synchronized_heap counting synchronized_counting
for resource in "$@"; do
  count "$resource" pairs
  count "$resource" batches
  case $resource in shared | synchronized*) count "$resource" pairs_with_threads ;; esac
  case $resource in multipool | adaptive_pool) count "$resource" mixed ;; esac
  case $resource in *heap) count "$resource" arrays ;; esac
  case $resource in synchronized_heap)
    for many in many_2000 many_8000 many_32000; do count "$resource" $many; done ;;
  esac
done
