#!/bin/sh
# Makes a folder with which gcc links for machines that have an older glibc than this one: packaging/wheel/old-glibc.sh
# VERSION FOLDER, then LDFLAGS="-BFOLDER -LFOLDER".
#
# zig, from PyPI, knows the names of each glibc and makes libraries of nothing but these, the objects that a program
# begins with, and those functions that were not in the shared library then. shim.c has what gcc's own libraries call of
# a newer one.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] || { echo "old-glibc: a version, like 2.28, and a folder" >&2; exit 1; }
mkdir -p "$2"
folder=$(cd "$2" && pwd)
"$here/../zig.sh" "$(uname -m)-linux-gnu.$1" "$folder/zig"
cd "$folder"
echo 'int main(void) { return 0; }' >main.c
ZIG_GLOBAL_CACHE_DIR=$folder/zig/cache
export ZIG_GLOBAL_CACHE_DIR
linked=$(ZIG_VERBOSE_LINK=1 zig/cc -fPIE -pie main.c -o main -lm -lpthread -ldl -lrt 2>&1 | tail -n 1)
for file in $linked; do
  case $file in
    */crt1.o | */Scrt1.o | */lib*.so.* | */libc_nonshared.a) cp "$file" . ;;
  esac
done
for library in m pthread dl rt; do ln -sf lib$library.so.* lib$library.so; done
cc -O2 -fPIC -fvisibility=hidden -c "$here/shim.c" -o shim.o
ar rcs libshim.a shim.o
# The place of gcc's -lc. What newer glibcs have in it was in libraries of its own.
echo "GROUP ( $folder/libc.so.6 $folder/libshim.a $folder/libc_nonshared.a" \
  "AS_NEEDED ( $folder/libpthread.so.0 $folder/libdl.so.2 $folder/librt.so.1 $folder/libld.so.2 ) )" >libc.so
for file in Scrt1.o libc.so.6 libpthread.so libdl.so libc_nonshared.a; do
  [ -e "$file" ] || { echo "old-glibc: zig made no $file" >&2; exit 1; }
done
