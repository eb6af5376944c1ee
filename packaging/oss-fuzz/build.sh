#!/bin/bash -eu
# Builds all fuzzers into $OUT as OSS-Fuzz asks for them, with its compiler, flags and engine, and their seeds.
# `make packages ONLY=oss_fuzz` runs this with an environment like OSS-Fuzz's.
cmake -S "$SRC/mallard" -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=None \
  -DMALLARD_BUILD_FUZZERS=ON -DMALLARD_SANITIZE="$SANITIZER" -DMALLARD_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -DMALLARD_ASSERTIONS=2 -DMALLARD_UNITY_BUILD=ALL -DMALLARD_BUILD_SHARED=OFF -DMALLARD_BUILD_EMBEDDED=OFF \
  -DMALLARD_BUILD_BENCHMARKS=OFF -DMALLARD_BUILD_EXAMPLES=OFF -DMALLARD_BUILD_TOOL=OFF \
  -DMALLARD_ZSTD_LIBRARY="$(find /usr/lib -name libzstd.a | head -n 1)"
cmake --build "$WORK/build" --target mallard_fuzzers -j "${JOBS:-$(nproc)}"
for fuzzer in "$WORK"/build/tests/fuzz/fuzz_*; do
  [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
  name=$(basename "$fuzzer")
  cp "$fuzzer" "$OUT/"
  seeds=$SRC/mallard/tests/fuzz/seeds/$name
  [ ! -d "$seeds" ] || (cd "$seeds" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
done
