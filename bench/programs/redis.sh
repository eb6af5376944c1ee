#!/bin/sh
# A server under the malloc in question, and clients that are not. PRELOAD is the library.
set -eu
socket=$(mktemp -u)
env ${PRELOAD:+LD_PRELOAD="$PRELOAD"} redis-server --port 0 --unixsocket "$socket" --save '' \
  --appendonly no >/dev/null &
server=$!
until redis-cli -s "$socket" ping >/dev/null 2>&1; do sleep 0.05; done
redis-benchmark -s "$socket" -q -n 60000 -r 20000 -d 120 -t set,get,lpush,lpop,sadd,hset >/dev/null
redis-cli -s "$socket" shutdown nosave >/dev/null 2>&1 || true
wait $server
