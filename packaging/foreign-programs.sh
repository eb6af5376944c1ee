# Programs of all kinds that others made, for test-programs.sh: each has to end by itself as it ends
# recorded, and the recording has to name the program that matters: its trace, or why there is none.
# shellcheck shell=sh disable=SC2016,SC2034,SC2154  # programs of other languages stand in quotes; variables are the other file's

# foreign <name> <what it needs, by command> <file name, as a pattern, of the program that is to be recorded or
# named> <command…>: where one program only starts another, the other.
foreign() {
  expected=$3
  needed=$2
  called=$1
  shift 3
  check "$called" "$needed" "$*"
  expected=
}

bash_program() {
  on bash -c 'a=(); for i in {1..5000}; do a+=("x$i"); done; echo ${#a[@]}; echo "${a[*]}" | md5sum; exit 3'
}

dash_program() {
  on dash -c 'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); s="$s$i"; done; echo ${#s}; kill -TERM $$'
}

zsh_program() { on zsh -fc 'typeset -A m; for i in {1..3000}; do m[$i]=x$i; done; echo ${#m}; print -l ${(ok)m} | md5sum'; }
ksh_program() { on ksh -c 'for i in $(seq 2000); do a[$i]=$((i * i)); done; echo ${#a[@]} $(echo ${a[99]} | tr 0-9 a-j)'; }
tcsh_program() { on tcsh -f -c 'set n = 0; foreach i (`seq 500`); @ n += $i; end; echo $n'; }
busybox_program() { on busybox sh -c 'seq 1000 | busybox sort -r | busybox md5sum; exit 4'; }
static_child_program() { on sh -c 'busybox seq 10; exec busybox expr 6 \* 7'; }

# Processes of every kind that Python makes: forked, forked by a server of forks, and started anew.
python_processes() {
  cat >work.py <<'PY'
import multiprocessing, os, subprocess, sys
def square(n): return n * n
if __name__ == "__main__":
    for way in "fork", "forkserver", "spawn":
        with multiprocessing.get_context(way).Pool(2) as pool: print(way, sum(pool.map(square, range(500))))
    print(subprocess.run([sys.executable, "-c", "print(len('x' * 5)); raise SystemExit(9)"]).returncode, flush=True)
    os.execvp("expr", ["expr", "1", "+", "2"])
PY
  on python3 work.py
}

perl_processes() {
  on perl -e '$| = 1; for (1..4) { if (!fork) { my @a = map { "x" x $_ } 1..2000; exit @a & 127 } }
    my %s; while (wait > 0) { $s{$? >> 8}++ } print join(",", %s), "\n"; print `echo inside`; kill 9, $$'
}

php_program() { on php -r '$a = []; for ($i = 0; $i < 50000; ++$i) $a[] = str_repeat("x", $i % 50); echo count($a), " ", md5(implode($a)), "\n"; exit(5);'; }
guile_program() { on guile --no-auto-compile -c '(display (length (let loop ((i 0) (l (list))) (if (= i 100000) l (loop (+ i 1) (cons (number->string i) l)))))) (newline)'; }
sbcl_program() { on sbcl --noinform --no-sysinit --no-userinit --eval '(progn (print (length (loop for i below 100000 collect (format nil "~a" i)))) (terpri) (sb-ext:exit :code 7))'; }
ocaml_program() {
  echo 'let () = let l = List.init 50000 string_of_int in print_int (String.length (String.concat "," l)); print_newline ()' >p.ml
  on ocaml p.ml
}
awk_program() { on gawk 'BEGIN { for (i = 0; i < 50000; ++i) a[i * 7919 % 10007] = a[i % 77] i % 10; n = asorti(a, b); print n, b[n]; exit 6 }'; }
bc_program() { echo 'scale=300; 4*a(1)' | on bc -l; }
jq_program() { on jq -nc '[range(20000) | {n: ., s: ("x" * (. % 20))}] | [length, (map(.n) | add)], "[x]"'; }
xml_program() {
  { echo '<a>'; for i in $(seq 3000); do echo "<b n=\"$i\">$i</b>"; done; echo '</a>'; } >a.xml
  on xmllint --xpath 'sum(//b/@n)' a.xml
}

java_program() {
  cat >Words.java <<'JAVA'
import java.util.*; import java.util.concurrent.*;
public class Words {
  public static void main(String[] a) throws Exception {
    var pool = Executors.newFixedThreadPool(3); var all = new ArrayList<Future<Integer>>();
    for (int t = 1; t < 7; ++t) { final int s = t; all.add(pool.submit(() -> { var m = new HashMap<String, Integer>();
      for (int i = 0; i < 60000; ++i) m.merge("k" + i * s % 997, 1, Integer::sum); return m.size(); })); }
    int sum = 0; for (var f : all) sum += f.get(); pool.shutdown(); System.out.println(sum); System.exit(8);
  }
}
JAVA
  on javac Words.java && on java Words
}

go_program() {
  cat >main.go <<'GO'
package main
import ("fmt"; "os")
func main() { m := map[int]string{}; for i := 0; i < 50000; i++ { m[i*7919%10007] = fmt.Sprint(i) }; fmt.Println(len(m), m[77]); os.Exit(3) }
GO
  CGO_ENABLED=0 GOFLAGS=-mod=mod GOCACHE=$work/go go build -o go_static main.go || return
  on sh -c ./go_static
}

cgo_program() {
  cat >main.go <<'GO'
package main
// #include <stdlib.h>
// static int fill(void) { int n = 0; for (int i = 1; i < 5000; ++i) { char* p = malloc(i); p[0] = 1; n += p[0]; free(p); } return n; }
import "C"
import "fmt"
func main() { done := make(chan C.int); for i := 0; i < 4; i++ { go func() { done <- C.fill() }() }; n := 0; for i := 0; i < 4; i++ { n += int(<-done) }; fmt.Println(n) }
GO
  CGO_ENABLED=1 GOCACHE=$work/go go build -o go_dynamic main.go || return
  on ./go_dynamic
}

rust_program() {
  cat >main.rs <<'RUST'
use std::collections::HashMap;
fn main() {
    let threads: Vec<_> = (1..4u64).map(|t| std::thread::spawn(move || {
        let mut m = HashMap::new();
        for i in 0..40000u64 { m.entry(i * t % 997).or_insert_with(Vec::new).push(i.to_string()); }
        m.values().map(|v| v.len()).sum::<usize>() })).collect();
    println!("{}", threads.into_iter().map(|t| t.join().unwrap()).sum::<usize>());
    std::process::exit(11);
}
RUST
  on rustc -O main.rs -o rust_main && on ./rust_main
}

c_program() {
  cat >own.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) { long n = 0; for (int i = 1; i < 20000; ++i) { char* p = malloc(i); memset(p, i, i); n += p[i / 2] & 1; free(p); }
  printf("%s %ld\n", argc > 1 ? argv[1] : "-", n); return 12; }
C
}
jemalloc_inside() { c_program; gcc own.c -o with_jemalloc "$jemalloc" -lm -lpthread -ldl -lstdc++ || return; on sh -c './with_jemalloc "[1]"'; }
jemalloc_preloaded() { c_program; gcc own.c -o plain || return; on sh -c 'LD_PRELOAD=libjemalloc.so.2 ./plain "a b"'; }
tcmalloc_linked() { c_program; gcc own.c -o with_tcmalloc -Wl,--no-as-needed -ltcmalloc_minimal || return; on sh -c ./with_tcmalloc; }
musl_child() { c_program; musl-gcc own.c -o of_musl || return; on sh -c './of_musl 1'; }
musl_directly() { c_program; musl-gcc own.c -o of_musl || return; on ./of_musl '[]' ''; }
musl_static() { c_program; musl-gcc -static own.c -o static_musl || return; on sh -c ./static_musl; }
other_machine() { on sh -c '/lib32/libc.so.6 >/dev/null; echo $?'; }
wrapper_program() {
  c_program; gcc own.c -o wrapped || return
  printf '#!/bin/sh\nexec "$(dirname "$0")/wrapped" "$@"\n' >start.sh && chmod +x start.sh
  on ./start.sh 'x  y' '[z]'
}
emptied_environment() { c_program; gcc own.c -o lonely || return; on env -i ./lonely alone; }
emptied_with_path() { c_program; gcc own.c -o lonely || return; on sh -c 'unset LD_PRELOAD; ./lonely alone'; }

bwrap_program() { on bwrap --unshare-user --unshare-pid --ro-bind / / --proc /proc --dev /dev sh -c 'echo inside; seq 500 | sort -n | tail -n 1; exit 5'; }
unshare_program() { on unshare -Ur sh -c 'id -u; seq 300 | sort | md5sum'; }
pid_namespace() { on unshare --fork --pid --mount-proc sh -c 'echo $$; seq 300 | sort | md5sum'; }
setpriv_program() { on setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'id -u; seq 300 | sort | md5sum'; }
su_program() { on su -s /bin/sh nobody -c 'id -un; exit 21'; }
sudo_program() { on sudo -n -u nobody sh -c 'id -un; exit 22'; }
# The recorder is not root here, which gains no rights from a file.
setuid_child() {
  chmod a+rX .. && chown nobody . || return
  by="setpriv --reuid=65534 --regid=65534 --clear-groups $by"
  on test -r "$library" 2>/dev/null || return
  on sh -c 'umount /nowhere 2>/dev/null; echo $?'
}
chroot_program() { mkdir root && cp "$(command -v busybox)" root/ && on chroot root /busybox echo deep; }
prlimit_program() { on sh -c 'ulimit -v 2000000; exec sort --version' | head -n 1; }

# Who waits records what goes on when the program itself has ended.
daemon_program() {
  by=${by:+${by% --} --wait --}
  on sh -c 'setsid sh -c "sleep 0.3; seq 1000 | sort -n >sorted" & exit 0'
  for i in $(seq 50); do [ -s sorted ] && break; sleep 0.1; done
  sleep 0.2
  md5sum <sorted
}
background_program() {
  by=${by:+${by% --} --wait --}
  on start-stop-daemon --start --background --pidfile pid --make-pidfile --exec "$(command -v perl)" -- \
    -e 'open my $f, ">", "'"$PWD"'/written"; print $f "x" x 1000; close $f'
  echo $?
  for i in $(seq 50); do [ -s written ] && break; sleep 0.1; done
  wc -c <written
}
memcached_program() {
  chmod a+rX .. && chown nobody .
  on memcached -u nobody -P "$PWD/pid" -s "$PWD/socket" -t 3 -m 32 &
  server=$!
  for i in $(seq 100); do [ -S socket ] && break; sleep 0.1; done
  perl -MIO::Socket::UNIX -e '$s = IO::Socket::UNIX->new(Peer => "socket") or die;
    for (1..2000) { print $s "set k$_ 0 0 5\r\nabcde\r\n"; <$s> } print $s "get k77\r\nget k78\r\n"; print scalar <$s> for 1..6'
  kill "$(cat pid)"
  wait $server
}
nginx_program() {
  printf 'daemon on; pid %s; error_log %s; worker_processes 2; events {}\nhttp { access_log off; server { listen unix:%s; location / { root %s; } } }\n' \
    "$PWD/pid" "$PWD/log" "$PWD/socket" "$PWD" >conf
  seq 20000 >page
  chmod -R a+rX . ..
  on nginx -c "$PWD/conf" -g "user root;"
  echo $?
  for i in $(seq 30); do curl -s --unix-socket socket http://x/page | md5sum; done | uniq -c
  kill -QUIT "$(cat pid)"
  for i in $(seq 50); do [ -e pid ] || break; sleep 0.1; done
  [ ! -e pid ] && echo ended
}
# Attached to under load, by the same command.
attached_redis() {
  redis-server --port 0 --unixsocket "$PWD/socket" --save '' --io-threads 2 >server.log 2>&1 &
  server=$!
  for i in $(seq 100); do [ -S socket ] && break; sleep 0.1; done
  recorder=
  if [ -n "$by" ]; then
    "$library" record --pid $server --for 2 &
    recorder=$!
  fi
  for round in 1 2 3; do
    redis-benchmark -s socket -q -n 20000 -c 20 -P 8 -d 300 -r 5000 -t set,get,lpush,lpop,zadd >>bench.log 2>&1 || echo failed
  done
  for i in $(seq 200); do echo "SET fixed:$i $i"; done | redis-cli -s socket | sort | uniq -c
  [ -z "$recorder" ] || wait $recorder
  redis-cli -s socket --raw GET fixed:77
  redis-cli -s socket SHUTDOWN NOSAVE
  wait $server
}
curl_program() {
  seq 10000 >page
  on curl -s "file://$PWD/page" | md5sum
  on curl -s "file://$PWD/nothing"
}
postgres_program() {
  for postgres in /usr/lib/postgresql/*/bin; do :; done
  mkdir data && chown nobody . data
  setpriv --reuid=65534 --regid=65534 --clear-groups "$postgres/initdb" -D data -A trust --no-sync >initdb.log 2>&1 || return
  echo 'SELECT count(*), sum(length(repeat(i::text, 3))) FROM generate_series(1, 20000) i' |
    on setpriv --reuid=65534 --regid=65534 --clear-groups "$postgres/postgres" --single -D data postgres
}

chromium_program() {
  echo '<p id=a></p><script>a.textContent = Array.from({length: 5000}, (_, i) => "x" + i).join("").length</script>' >page.html
  on chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --dump-dom "file://$PWD/page.html"
}
npm_program() { echo '{"name":"x","version":"1.2.3","scripts":{"go":"echo $((6 * 7)); exit 0"}}' >package.json; on npm run --silent --offline go; }

gdb_program() { c_program; gcc -g own.c -o debugged || return; on gdb -batch -nx -ex run -ex 'info program' ./debugged </dev/null | grep -v -e process -e Thread -e libthread -e libmallard; }
strace_program() { on strace -f -qq -e trace=none sh -c 'seq 200 | sort | md5sum; exit 13'; }
valgrind_program() { c_program; gcc own.c -o checked || return; on valgrind -q --error-exitcode=77 ./checked v; }
tmux_program() {
  by=${by:+${by% --} --wait --}
  on tmux -L "t$$" -f /dev/null new-session -d 'seq 100 | sort -n | tail -n 1 >out'
  for i in $(seq 50); do [ -s out ] && break; sleep 0.1; done
  cat out
}
vim_program() { seq 2000 >text; on vim -Nu NONE -es -c '%s/7/seven/g' -c 'sort' -c wq text; md5sum <text; }
make_program() {
  printf 'all: $(patsubst %%,f%%,1 2 3 4 5 6 7 8)\nf%%:\n\t@seq $* 200 | sort -n | md5sum >$@\n' >Makefile
  on make -s -j4 && cat f*
}
cmake_program() { printf 'cmake_minimum_required(VERSION 3.20)\nproject(p C)\nadd_executable(p own.c)\n' >CMakeLists.txt; c_program; on cmake -G Ninja -B b . >log 2>&1 && on ninja --quiet -C b && on b/p built; }
archive_program() { for i in $(seq 50); do seq "$i" 3000 >"f$i"; done; on tar --sort=name --mtime=@0 -cf - f* | on xz -T2 -c | on zstd -q -c | on sh -c 'zstd -dc | xz -dc | md5sum'; }
picture_program() { on convert -size 200x200 gradient:red-blue -blur 0x3 -resize 50% rgb:- | md5sum; }
w3m_program() { echo '<h1>a</h1><table><tr><td>b<td>c</table>' >a.html; on w3m -dump a.html; }

# Those that every machine has come first; they are the short list.
foreign bash bash bash bash_program
foreign dash dash dash dash_program
foreign perl-processes perl echo perl_processes
foreign emptied-environment gcc lonely emptied_environment
foreign without-preload gcc lonely emptied_with_path
foreign wrapper gcc wrapped wrapper_program
foreign other-user setpriv sh setpriv_program
foreign user-namespace unshare sh unshare_program
foreign daemon setsid sort daemon_program
foreign little-room sort sort prlimit_program
if [ "$short" != short ]; then
  foreign zsh zsh zsh zsh_program
  foreign ksh ksh ksh ksh_program
  foreign tcsh tcsh tcsh tcsh_program
  foreign busybox busybox busybox busybox_program
  foreign static-child busybox busybox static_child_program
  foreign python-processes python3 python3 python_processes
  foreign php php php php_program
  foreign guile guile guile guile_program
  foreign sbcl sbcl sbcl sbcl_program
  foreign ocaml ocaml ocaml ocaml_program
  foreign gawk gawk gawk awk_program
  foreign bc bc bc bc_program
  foreign jq jq jq jq_program
  foreign xmllint xmllint xmllint xml_program
  foreign java "java javac" java java_program
  foreign go go go_static go_program
  foreign cgo "go gcc" go_dynamic cgo_program
  foreign rust rustc rust_main rust_program
  foreign pid-namespace unshare sh pid_namespace
  foreign su su sh su_program
  foreign sudo sudo sh sudo_program
  foreign setuid-child "setpriv umount" umount setuid_child
  foreign chroot "chroot busybox" busybox chroot_program
  foreign bwrap bwrap sh bwrap_program
  foreign background start-stop-daemon perl background_program
  foreign memcached "memcached perl" memcached memcached_program
  foreign nginx "nginx curl" nginx nginx_program
  foreign curl curl curl curl_program
  foreign postgres psql postgres postgres_program
  foreign chromium chromium chromium chromium_program
  foreign npm npm sh npm_program
  foreign gdb "gdb gcc" debugged gdb_program
  foreign strace strace sort strace_program
  foreign valgrind "valgrind gcc" "memcheck-.*-linux" valgrind_program
  foreign tmux tmux sort tmux_program
  foreign vim vim vim vim_program
  foreign make make sort make_program
  foreign cmake "cmake ninja gcc" cc1 cmake_program
  foreign archive "tar xz zstd" xz archive_program
  foreign convert convert "(convert|magick)" picture_program
  foreign w3m w3m w3m w3m_program
  if [ -n "${under:-}" ]; then
    foreign attached-redis "redis-server redis-cli redis-benchmark" redis-server attached_redis
    foreign musl-child musl-gcc of_musl musl_child
    foreign musl musl-gcc of_musl musl_directly
    foreign musl-static musl-gcc static_musl musl_static
    foreign other-machine /lib32/libc.so.6 libc.so.6 other_machine
    jemalloc=$(gcc -print-file-name=libjemalloc.a)
    foreign jemalloc-inside "gcc $jemalloc" with_jemalloc jemalloc_inside
    foreign jemalloc-preloaded gcc plain jemalloc_preloaded
    foreign tcmalloc-linked gcc with_tcmalloc tcmalloc_linked
  fi
fi
