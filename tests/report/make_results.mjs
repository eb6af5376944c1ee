// Writes a result file as `mallard bench density` would, with made-up but plausible figures. The
// same arguments give the same file. For tests of the report only.
//
//   node make_results.mjs OUT.jsonl [--cpu NAME] [--mode fair|paper] [--sizes 6,10,14]
//                         [--seed N] [--fail DS/SIZE/STRATEGY/PEER/HEAP] [--ds DS1,DS2]

import { parseArgs } from 'node:util';

import { measure, randomNumbers, writeResults } from './made_up.mjs';

const { values: options, positionals: [out] } = parseArgs({
  allowPositionals: true,
  options: {
    cpu: { type: 'string', default: 'Example CPU 3.0 GHz' },
    mode: { type: 'string', default: 'fair' },
    sizes: { type: 'string', default: '6,10,14' },
    seed: { type: 'string', default: '1' },
    fail: { type: 'string', default: '' },
    ds: { type: 'string', default: '' },
  },
});

const random = randomNumbers(Number(options.seed));

const leaves = 2 ** 21;
const repetitions = 5;

// Nanoseconds per leaf outside the allocator, and allocations per leaf.
const structures = [
  { work: 0.7, calls: 0.002 }, { work: 34, calls: 1 }, { work: 6, calls: 1 },
  { work: 70, calls: 2 }, { work: 0.6, calls: 0.01 }, { work: 38, calls: 1 },
  { work: 7, calls: 1 }, { work: 78, calls: 2 }, { work: 0.8, calls: 0.02 },
  { work: 40, calls: 1 }, { work: 8, calls: 1 }, { work: 84, calls: 2 },
].map((one, at) => ({ ...one, id: `DS${at + 1}`, strings: at % 2 === 1 }))
  .filter(({ id }) => options.ds === '' || options.ds.split(',').includes(id));

const names = [...Array(14).keys()].map((n) => `AS${n + 1}`).concat('AS3n', 'AS4n', 'AS5n', 'AS6n');

/** Nanoseconds of one allocation and deallocation. */
function allocatorCost(strategy, peer, heap, strings, size) {
  const n = parseInt(strategy.slice(2), 10);
  const aged = heap === 'aged' ? 1.9 + size / 12 : 1;
  const virtualCall = n > 1 && [2, 5, 6, 9, 10, 13, 14].includes(n) ? 1.6 : 0;
  const wink = n > 3 && n % 2 === 0 ? 0.62 : 1;
  const spill = strings && size >= 14 ? 9 : 0;
  if (n <= 2) return (strings ? 32 : 19) * aged + virtualCall;
  if (n <= 6) {
    const faults = strategy.endsWith('n') ? { mallard: 0.4, std: 14, boost: 8 }[peer] : 0;
    return ({ mallard: 1.4, std: 2.9, boost: 3.4 }[peer] + virtualCall + faults + spill) * wink;
  }
  const pool = { mallard: 4.6, std: 26, boost: 9.5 }[peer] * (strings ? 1.7 : 1);
  const backed = n >= 11 ? 0.72 : 1 + (aged - 1) * 0.06;
  return (pool * backed + virtualCall + spill) * wink;
}

function cell(structure, size, strategy, peer, heap) {
  const key = { kind: 'cell', bench: 'density', at: { ds: structure.id, size }, strategy, peer, heap };
  if ([structure.id, size, strategy, peer, heap].join('/') === options.fail) {
    return { ...key, status: 'failed', error: 'killed by signal 9 <out of memory>' };
  }
  const cost = allocatorCost(strategy, peer, heap, structure.strings, size);
  const typical = 1e-9 *
    (structure.work * (heap === 'aged' ? 1.05 : 1) + structure.calls * cost);
  // Noise is one-sided: interruptions only ever cost time.
  const seconds = Array.from({ length: repetitions },
    () => typical * (1 + 0.03 * random() + (random() > 0.9 ? 0.08 * random() : 0)));
  const each = (unit, make) => measure(unit, Array.from({ length: repetitions }, make));
  const resident = (strategy === 'AS1' || strategy === 'AS2' ? 8 : 11) * 2 ** 20 +
    2 ** size * (structure.strings ? 560 : 40) * (heap === 'aged' ? 1.3 : 1);
  return { ...key, status: 'ok', checksum: '5f3a', measures: {
    time: measure('s', seconds),
    setup: each('s', () => 0.01 + 0.001 * random()),
    rss: each('B', () => Math.round(resident * (1 + 0.004 * random()))),
    base_rss: each('B', () => 4 * 2 ** 20),
    minor_faults: each('count', () => Math.round(resident / 4096 * (0.2 + 0.1 * random()))),
    major_faults: each('count', () => 0),
    runs: each('count', () => leaves / 2 ** size),
  } };
}

const sizes = options.sizes.split(',').map(Number);
const heaps = ['clean', 'aged'];
const cells = [];
for (const structure of structures) {
  for (const size of sizes) {
    for (const heap of heaps) {
      for (const strategy of names) {
        const peers = strategy === 'AS1' ? ['global']
          : strategy === 'AS2' ? ['std', 'boost'] : ['mallard', 'std', 'boost'];
        for (const peer of peers) cells.push(cell(structure, size, strategy, peer, heap));
      }
    }
  }
}
writeResults(out, options.cpu, { bench: 'density', mode: options.mode, heaps,
  command: `mallard bench density --sizes ${options.sizes} --mode ${options.mode} --json results.jsonl`,
  parameters: { scale: leaves / 2 ** 27, leaves } }, cells);
