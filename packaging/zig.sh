#!/bin/sh
# zig's compilers as commands that CMake takes: packaging/zig.sh TARGET FOLDER, where TARGET is like x86_64-linux-musl
# or x86_64-linux-gnu.2.28. zig has the C libraries of its targets, old ones of glibc too, and comes from PyPI.
set -eu
[ $# -eq 2 ] || { echo "zig: a target and a folder, for the commands" >&2; exit 1; }
mkdir -p "$2"
folder=$(cd "$2" && pwd)
python=$folder/venv/bin/python
if ! "$python" -m ziglang version >/dev/null 2>&1; then
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" -q install --disable-pip-version-check ziglang==0.17.1
fi
# zig adds checks of undefined behaviour to whatever is not optimised, unless it is told not to, and links musl
# statically: what is preloaded needs the shared one.
case $1 in
  *musl*) dynamic=" -dynamic" ;;
  *) dynamic= ;;
esac
for command in c++ cc ar ranlib objcopy; do
  options=
  case $command in
    c++ | cc) options=" -target $1 -fno-sanitize=undefined$dynamic" ;;
  esac
  printf '#!/bin/sh\nexec "%s" -m ziglang %s%s "$@"\n' "$python" "$command" "$options" >"$folder/$command"
  chmod +x "$folder/$command"
done
