# shellcheck shell=sh
# To be sourced: lists this machine's mallocs, one "name path" a line; ours are from the build folder.
# "glibc -" is the malloc that runs when nothing is preloaded.

# first_file <pattern…>: the first file that exists.
first_file() {
  for candidate in "$@"; do
    [ -f "$candidate" ] && echo "$candidate" && return
  done
}

malloc_libraries() {
  build=$1
  echo "glibc -"
  for pair in mallard=libmallard-malloc mallard-hardened=libmallard-malloc-hardened; do
    path=$(find "$build" -name "${pair#*=}.so" -print 2>/dev/null | head -n 1)
    [ -z "$path" ] || echo "${pair%%=*} $(realpath "$path")"
  done
  for pair in jemalloc=libjemalloc.so.2 tcmalloc_minimal=libtcmalloc_minimal.so.4 \
    mimalloc=libmimalloc.so.2 tbbmalloc=libtbbmalloc_proxy.so.2; do
    path=$(first_file /usr/local/lib/"${pair#*=}" /usr/lib/*-linux-gnu/"${pair#*=}" /usr/lib64/"${pair#*=}")
    [ -z "$path" ] || echo "${pair%%=*} $path"
  done
}

# choose_libraries <build> <argument…>: all installed mallocs, or the named ones, or name=path.
choose_libraries() {
  build=$1
  shift
  if [ $# -eq 0 ]; then
    malloc_libraries "$build"
    return
  fi
  for wanted in "$@"; do
    case $wanted in
      *=*) echo "${wanted%%=*} $(realpath "${wanted#*=}")" ;;
      *)
        malloc_libraries "$build" | grep "^$wanted " || {
          echo "no malloc named $wanted here" >&2
          return 1
        }
        ;;
    esac
  done
}

# pivot: makes a table of lines "row unit column value", in their order; with COUNTS=1 prints one count
# a line.
pivot() {
  if [ -n "${COUNTS-}" ]; then
    awk '{ print "malloc", $3, $1, $2, $4 }'
    return
  fi
  awk '{
    row = $1 " (" $2 ")"
    if (!(row in seen_row)) { seen_row[row]; rows[++row_count] = row }
    if (!($3 in seen_column)) { seen_column[$3]; columns[++column_count] = $3 }
    value[row, $3] = $4
  }
  END {
    printf "%-30s", ""
    for (c = 1; c <= column_count; ++c) printf " %16s", columns[c]
    print ""
    for (r = 1; r <= row_count; ++r) {
      printf "%-30s", rows[r]
      for (c = 1; c <= column_count; ++c) {
        cell = value[rows[r], columns[c]]
        printf " %16s", cell == "" ? "FAILED" : cell
      }
      print ""
    }
  }'
}
