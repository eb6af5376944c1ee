#!/bin/sh
# Checks a program against its budget in a job of any CI, and leaves what there is to look at:
#   packaging/action/check.sh BUDGET FOLDER [BASE-TRACE] -- COMMAND...
# FOLDER gets heap.trace, the trace; heap.html, its page; and, if there is a BASE-TRACE, diff.md: what grew since.
# The status is that of `mallard check`: 0 if all rules are kept, also where a page or a diff cannot be made.
set -u
[ $# -ge 2 ] || { echo "check.sh: BUDGET FOLDER [BASE-TRACE] -- COMMAND..." >&2; exit 2; }
budget=$1 folder=$2 base=
shift 2
[ "${1-}" = -- ] || { base=${1-}; [ $# -eq 0 ] || shift; }
[ "${1-}" = -- ] && [ $# -gt 1 ] || { echo "check.sh: no command" >&2; exit 2; }
shift

mkdir -p "$folder" || exit
rm -f "$folder/heap.trace" "$folder/heap.html" "$folder/diff.md"
format=text
[ -z "${GITHUB_ACTIONS-}" ] || format=github
mallard check --budget "$budget" --format "$format" --keep "$folder/heap.trace" -- "$@"
status=$?
[ -f "$folder/heap.trace" ] || exit "$status"
mallard report "$folder/heap.trace" --force -o "$folder/heap.html" >/dev/null || rm -f "$folder/heap.html"
if [ -n "$base" ] && [ -f "$base" ]; then
  {
    echo "### Heap, beside the base branch"
    echo
    mallard diff "$base" "$folder/heap.trace" --format markdown
  } >"$folder/diff.md" || rm -f "$folder/diff.md"
fi
exit "$status"
