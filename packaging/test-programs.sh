#!/bin/sh
# Real programs on the drop-in malloc: each does its work on the system's malloc and on ours, and has
# to end in the same way with the same output. Those that are not installed are left out.
# The same under `mallard record`, when what is given is the command and no library: there programs
# of other kinds (foreign-programs.sh) have to be recorded too, or named.
#
#   packaging/test-programs.sh LIBRARY          all
#   packaging/test-programs.sh LIBRARY short    those that take a second
set -u

library=$(realpath "${1:?usage: test-programs.sh LIBRARY|MALLARD [short]}") || exit 2
[ -r "$library" ] || { echo "$library: no such library" >&2; exit 2; }
short=${2:-}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
missing=0
skipped=
fewest=40  # of all, or most programs are not installed

# Or everything below would prove nothing.
case $library in
  *.so*)
    LD_PRELOAD=$library grep -qF "$library" /proc/self/maps || {
      echo "$library cannot be preloaded" >&2
      exit 1
    }
    ;;
  *)
    under="$library record --force"
    if ! $under -q -o "$work/trace" -- grep -qF libmallard-record.so /proc/self/maps ||
      ! [ -s "$work/trace" ]; then
      echo "$library cannot record" >&2
      exit 1
    fi
    ;;
esac

# check <name> <what it needs, by command> <function>: the function runs in an empty directory; its
# standard output is compared. Where a program is `expected`, a recording has a line with its name.
expected=
check() {
  for command in $2; do
    command -v "$command" >/dev/null || [ -r "$command" ] || {
      missing=$((missing + 1))
      skipped="$skipped $1"
      return
    }
  done
  for side in system mallard; do
    rm -rf "${work:?}/$side"
    mkdir "$work/$side"
    preload=
    by=
    if [ $side = mallard ]; then
      by=${under:-}
      if [ -z "$by" ]; then
        preload=$library
      elif [ -n "$expected" ]; then
        by="$by --"
      else
        by="$by -q -o $work/trace --"
      fi
    fi
    (cd "$work/$side" && $3) >"$work/$side.out" 2>"$work/$side.err"
    echo "exit code $?" >>"$work/$side.out"
  done
  if [ -z "$expected" ] && ! tail -n 1 "$work/system.out" | grep -q "exit code 0"; then
    skipped="$skipped $1(fails-by-itself)"
  elif [ -n "$expected" ] && { [ "$(wc -l <"$work/system.out")" -lt 2 ] ||
    tail -n 1 "$work/system.out" | grep -Eqx "exit code (1|2|12[5-7])"; }; then
    skipped="$skipped $1(fails-by-itself)"
  elif [ -n "$expected" ] && [ -n "${under:-}" ] &&
    ! grep -Eq "^mallard: (mallard\\.($expected)\\.[0-9]+\\.trace: [1-9][0-9]* events|([^ ]*/)?($expected) [^/]* recorded\$)" \
      "$work/mallard.err"; then
    failed=$((failed + 1))
    echo "FAILED  $1: neither recorded nor named: $expected"
    tail -n 20 "$work/mallard.err"
  elif cmp -s "$work/system.out" "$work/mallard.out"; then
    passed=$((passed + 1))
    echo "passed  $1"
  else
    failed=$((failed + 1))
    echo "FAILED  $1"
    diff "$work/system.out" "$work/mallard.out" | head -n 10
    tail -n 10 "$work/mallard.err"
  fi
}

# on <command…>: with the malloc of this side, or recorded.
on() {
  # shellcheck disable=SC2086
  LD_PRELOAD=$preload timeout 600 $by "$@"
}

sqlite_program() {
  on sqlite3 :memory: "
    CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<60000)
      INSERT INTO t SELECT i, hex(i*7919)||substr('xxxxxxxxxxxxxxxxxxxx', 1, i%20), i/3.0 FROM n;
    CREATE INDEX by_b ON t(b, c);
    UPDATE t SET b = b||'y' WHERE a%3 = 0;
    DELETE FROM t WHERE a%7 = 0;
    SELECT count(*), sum(length(b)), round(sum(c), 3), group_concat(DISTINCT length(b)) FROM t;
    SELECT b, count(*) FROM t GROUP BY substr(b, 1, 3) ORDER BY 2 DESC, 1 LIMIT 20;
    PRAGMA integrity_check;"
}

perl_program() {
  on perl -e '
    my %h; for my $i (1..60000) { my $k = join("-", map { ($i*$_) % 977 } 1..4); push @{$h{$k}}, "x" x ($i % 300); }
    for my $k (grep { /7/ } sort keys %h) { delete $h{$k} }
    my $s = 0; $s += length($_) for map { @$_ } values %h;
    my $t = join(",", sort keys %h); $t =~ s/(\d+)-(\d+)/$2:$1/g;
    print scalar(keys %h), " $s ", length($t), " ", unpack("%32C*", $t), "\n";'
}

# Names and dates are fixed, so the hashes are, too.
git_program() {
  export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z' GIT_COMMITTER_DATE='2024-01-01T00:00:00Z'
  export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
  on git -c init.defaultBranch=main init -q . || return
  for round in 1 2 3; do
    for i in $(seq 60); do seq "$((i * round))" "$((i * round + 500))" >"file$i"; done
    on git add . && on git commit -qm "round $round" || return
  done
  on git gc -q --aggressive && on git fsck --full && on git log --stat --format=%H && on git diff HEAD~2
}

sort_program() {
  seq 300000 | awk '{ print ($1 * 7919) % 1000003, "line", $1 }' >lines
  on sort --parallel=4 -S 20M -n lines | cksum
}

# compiler_program <compiler>
compiler_program() {
  cat >unit.cpp <<'UNIT'
#include <algorithm>
#include <map>
#include <regex>
#include <string>
std::map<std::string, int> count(const std::string& text) {
  std::map<std::string, int> out;
  const std::regex word("[a-z]+");
  for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i) ++out[i->str()];
  return out;
}
UNIT
  on "$1" -O2 -c unit.cpp -o unit.o && cksum <unit.o
}

c_compiler_program() {
  {
    for i in $(seq 400); do
      echo "int f$i(int a) { int s = $i; for (int j = 0; j < a; ++j) s = s * 31 + (j ^ $i); return s; }"
    done
    echo '#include <stdio.h>'
    printf '%s\n' 'int main(void) { printf("%d\n", f1(10) ^ f200(20) ^ f400(30)); return 0; }'
  } >unit.c
  on gcc -O2 -flto unit.c -o unit && on ./unit
}

python_program() {
  PYTHONMALLOC=malloc on python3 -c '
import json, re, threading, zlib
def work(seed, out):
    items = [{"n": i * seed % 9973, "s": "x" * (i % 200), "l": list(range(i % 30))} for i in range(20000)]
    text = json.dumps(items)
    back = json.loads(text)
    words = re.findall(r"x{5,}", text)
    out[seed] = (back == items, len(words), zlib.crc32(text.encode()))
out = {}
threads = [threading.Thread(target=work, args=(s, out)) for s in range(1, 5)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(out.items()))'
}

# The interpreter's own tests, of what allocates most, where they are installed.
python_tests() {
  python3 -c 'import test.test_list' 2>/dev/null || return 1
  PYTHONMALLOC=malloc on python3 -m test -q test_list test_dict test_set test_json test_zlib \
    test_deque test_itertools >tests.log 2>&1
  status=$?
  [ $status -eq 0 ] || tail -n 20 tests.log >&2
  return $status
}

ruby_program() {
  on ruby -e '
    threads = (1..3).map { |t| Thread.new { (1..40000).map { |i| "#{i * t % 997}" * (i % 20) } } }
    all = threads.flat_map(&:value)
    GC.start; GC.compact if GC.respond_to?(:compact)
    h = all.group_by(&:size).transform_values(&:count)
    puts h.sort.inspect, all.map(&:sum).sum'
}

lua_program() {
  on lua -e '
    local t = {}
    for i = 1, 200000 do t[i] = { name = ("k"):rep(i % 50) .. i, n = i * 7919 % 10007 } end
    for i = 1, #t, 3 do t[i] = false end
    collectgarbage()
    local sum, length = 0, 0
    for _, v in ipairs(t) do if v then sum = sum + v.n; length = length + #v.name end end
    print(sum, length)'
}

tcl_program() {
  echo 'for {set i 0} {$i < 100000} {incr i} { dict lappend d [expr {$i % 977}] [string repeat x [expr {$i % 40}]] }
    set n 0; dict for {k v} $d { incr n [string length $v] }; puts "$n [dict size $d]"' >program.tcl
  on tclsh program.tcl
}

node_program() {
  on node -e '
    const zlib = require("zlib");
    let sum = 0;
    for (let i = 0; i < 200; ++i) {
      const b = Buffer.alloc(10000 + i * 100, i);
      sum += zlib.inflateSync(zlib.deflateSync(b)).length;
    }
    const m = new Map();
    for (let i = 0; i < 200000; ++i) m.set("k" + i * 7919 % 100003, "v".repeat(i % 30));
    console.log(sum, m.size);'
}

redis_program() {
  socket=$PWD/socket
  on redis-server --port 0 --unixsocket "$socket" --save '' --activedefrag no --io-threads 2 \
    >server.log 2>&1 &
  server=$!
  for i in $(seq 50); do [ -S "$socket" ] && break; sleep 0.1; done
  redis-benchmark -s "$socket" -q -n 20000 -c 20 -P 8 -d 300 -r 5000 -t set,get,incr,lpush,lpop,sadd,hset,zadd,mset \
    >bench.log 2>&1 || echo "benchmark failed"
  for i in $(seq 500); do echo "SET fixed:$i $i"; done | redis-cli -s "$socket" | sort | uniq -c
  redis-cli -s "$socket" --raw GET fixed:77
  redis-cli -s "$socket" FLUSHALL
  redis-cli -s "$socket" DBSIZE
  redis-cli -s "$socket" SHUTDOWN NOSAVE
  wait $server
}

check sqlite sqlite3 sqlite_program
check perl perl perl_program
check git git git_program
check sort "sort awk" sort_program
check lua lua lua_program
if [ "$short" != short ]; then
  check g++ g++ "compiler_program g++"
  check clang++ clang++-19 "compiler_program clang++-19"
  check gcc gcc c_compiler_program
  check python python3 python_program
  check python-tests python3 python_tests
  check ruby ruby ruby_program
  check tcl tclsh tcl_program
  check node node node_program
  check redis "redis-server redis-cli redis-benchmark" redis_program
fi

# shellcheck source=packaging/foreign-programs.sh
. "$(dirname "$0")/foreign-programs.sh"

[ "$short" = short ] && fewest=12  # without root, new namespaces and lua
echo "$passed passed, $failed failed, $missing not installed${skipped:+; left out:$skipped}"
[ $((passed + failed)) -ge $fewest ] || echo "FAILED  fewer than $fewest programs were run"
[ "$failed" -eq 0 ] && [ "$passed" -ge $fewest ]
