#!/bin/sh
# A server under the malloc in question, and clients that are not. PRELOAD is the library; UNDER is
# what else the server is to be run by.
set -eu
socket=$(mktemp -u)
# shellcheck disable=SC2086
env ${PRELOAD:+LD_PRELOAD="$PRELOAD"} ${UNDER:-} redis-server --port 0 --unixsocket "$socket" --save '' \
  --appendonly no >/dev/null &
server=$!
until redis-cli -s "$socket" ping >/dev/null 2>&1; do sleep 0.05; done
redis-benchmark -s "$socket" -q -n 60000 -r 20000 -d 120 -t set,get,lpush,lpop,sadd,hset >/dev/null
redis-cli -s "$socket" shutdown nosave >/dev/null 2>&1 || true
wait $server
