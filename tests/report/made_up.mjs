// What made-up result files have in common.

import { writeFileSync } from 'node:fs';

/** Evenly distributed numbers in [0, 1): xorshift, so that files do not depend on the engine. */
export function randomNumbers(seed) {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    return state / 2 ** 32;
  };
}

/** A measure of five samples. */
export function measure(unit, samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  return { unit, samples, median: sorted[2], ci_low: sorted[0], ci_high: sorted[4] };
}

export function writeResults(file, cpu, run, cells) {
  const line = { kind: 'run', schema: 2, version: '0.1.0', date: '2026-01-02T03:04:05Z',
    machine: { cpu, cores: 4, memory_bytes: 16 * 2 ** 30, kernel: 'Linux 6.1.0', page_bytes: 4096,
      transparent_hugepages: 'madvise', l1d_bytes: 2 ** 15, l2_bytes: 2 ** 20, l3_bytes: 2 ** 25 },
    build: { compiler: 'gcc 12.2.0', flags: '-O3 -DNDEBUG', build_type: 'Release', assertions: false },
    mode: 'fair', repetitions: 5, seed: 1, skipped: [],
    peers: [{ name: 'std', version: 'libstdc++ 12.2.0' }, { name: 'boost', version: '1.81' }], ...run };
  writeFileSync(file, [line, ...cells].map((one) => `${JSON.stringify(one)}\n`).join(''));
}
