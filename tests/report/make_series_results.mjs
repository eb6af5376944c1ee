// Writes a result file as the benches other than density would, with made-up but plausible figures.
// The same arguments give the same file. For tests of the report only.
//
//   node make_series_results.mjs OUT.jsonl BENCH [--cpu NAME] [--malloc NAME] [--seed N]
//
// BENCH: locality, shuffles (locality by number of shuffles), utilization, contention, false-sharing;
// of arrays and nodes: expand-forward, expand-backward, shrink, realloc, burst, adaptive-pool, mixed;
// of mallocs (all of them in one file): churn, thrash, scratch, speed, memory, larson, remote-free,
// mixed-malloc.

import { parseArgs } from 'node:util';

import { measure, randomNumbers, writeResults } from './made_up.mjs';
import { articleCells } from './make_article_cells.mjs';
import { mallocCells } from './make_malloc_cells.mjs';

const { values: options, positionals: [out, what] } = parseArgs({
  allowPositionals: true,
  options: {
    cpu: { type: 'string', default: 'Example CPU 3.0 GHz' },
    malloc: { type: 'string', default: 'glibc' },
    seed: { type: 'string', default: '1' },
  },
});
const bench = what === 'shuffles' ? 'locality' : what;
const { malloc } = options;

const random = randomNumbers(Number(options.seed));

/** A measure whose samples are a little above `figure`. */
const above = (unit, figure) => measure(unit, Array.from({ length: 5 }, () => figure * (1 + 0.04 * random())));

const lines = [];
function cell(at, strategy, peer, figures, under = malloc, of = bench) {
  const key = { kind: 'cell', bench: of, at, strategy, peer, heap: 'clean', malloc: under };
  lines.push(typeof figures === 'string' ? { ...key, status: 'failed', error: figures }
    : { ...key, status: 'ok', measures: Object.fromEntries(Object.entries(figures)
      .map(([name, [unit, figure]]) => [name, above(unit, figure)])) });
}

const mallocFactor = { glibc: 1, jemalloc: 1.12, tcmalloc: 0.9 }[malloc] ?? 1;
const libraryFactor = { global: 1, mallard: 1, std: 2.4, boost: 1.5 };
const libraries = ['mallard', 'std', 'boost'];
const local = (names) => names.flatMap((strategy) => libraries.map((peer) => [strategy, peer]));
const contenders = (names) => [['AS1', 'global'], ...local(names)];

/** The factor by which access is slower after the shuffle. */
function degradation(exponent, most, accesses, strategy, peer) {
  if (exponent === most) return 1;
  const ridge = Math.exp(-(((exponent - most + 3) / 4) ** 2));
  const impatience = 1 / (1 + accesses / 6);
  const bare = 1 + 17 * ridge + 11 * impatience * Math.min(1, exponent / 4 + 0.3);
  return strategy === 'AS1' ? bare : 1 + 0.09 * (bare - 1) * libraryFactor[peer];
}

function listCell(at, most, [strategy, peer]) {
  const { links, subsystem, accesses, shuffles } = at;
  const factor = strategy === 'AS1' ? mallocFactor : libraryFactor[peer];
  const before = links * 40e-9 * (1 + 3 / accesses);
  const saturation = shuffles === 0 ? 0 : 1 - 0.4 ** shuffles;
  const slower = 1 + saturation * (degradation(subsystem, most, accesses, strategy, peer) - 1);
  cell(at, strategy, peer, {
    create: ['s', links * 20e-9 * factor], access_before: ['s', before],
    shuffle: ['s', shuffles * links * 90e-9 * factor], access_after: ['s', before * slower],
    degradation: ['ratio', slower], bytes_per_node: ['B', strategy === 'AS1' ? 32 : 25.5 * factor],
    rss: ['B', links * 34], empty_share: ['ratio', subsystem === 0 ? 0.35 : 0.001],
    steps: ['count', links * 256] });
}

const write = {
  locality() {
    for (const subsystem of [0, 2, 6, 10, 12, 14, 16, 18, 19, 20, 21]) {
      for (const accesses of [256, 64, 16, 8, 2, 1]) {
        for (const one of contenders(['AS7', 'AS9'])) {
          listCell({ links: 2 ** 21, subsystem, accesses, shuffles: 5, variant: 'code' }, 21, one);
        }
      }
    }
  },
  shuffles() {
    for (const subsystem of [0, 1, 2, 3, 4, 5, 6, 7]) {
      for (const shuffles of [0, 1, 2, 3, 5, 9]) {
        for (const one of contenders(['AS7'])) {
          listCell({ links: 1e7, subsystem, accesses: 10, shuffles, variant: 'code' }, 7, one);
        }
      }
    }
  },
  utilization() {
    const rows = [30, 32].flatMap((total) => [[total, 15, 10], [total, 18, 10], [total, 20, 10],
      [total, 20, 12], [total, 20, 13], [total, 20, 15]]);
    for (const [total, active, block] of rows) {
      const at = { total, active, block };
      const blocks = 2 ** (total - block);
      cell(at, 'AS1', 'global', { time: ['s', blocks * 22e-9 * mallocFactor],
        rss: ['B', 2 ** active + 4e6] });
      cell(at, 'AS2', 'global', { time: ['s', blocks * 23e-9 * mallocFactor],
        rss: ['B', 2 ** active + 4e6] });
      for (const [strategy, peer] of local(['AS3', 'AS5', 'AS7', 'AS9', 'AS11', 'AS13'])) {
        const monotonic = strategy === 'AS3' || strategy === 'AS5';
        if (monotonic && total >= 32) {
          cell(at, strategy, peer, 'out of memory <limit 5 GB>');
          continue;
        }
        const each = monotonic ? 30e-9 + 2 ** block * 0.08e-9 : 7e-9 * libraryFactor[peer];
        cell(at, strategy, peer, { time: ['s', blocks * each],
          rss: ['B', monotonic ? 2 ** total : 2 ** active + 6e6] });
      }
    }
  },
  contention() {
    for (const threads of [1, 2, 4, 8]) {
      const crowd = Math.max(1, threads / 4);
      for (const [iterations, block] of [[15, 6], [15, 8], [19, 8]]) {
        const count = 2 ** iterations;
        const at = (form) => ({ iterations, block, threads, form });
        const figures = (nanoseconds) => ({ time: ['s', count * nanoseconds * 1e-9 * crowd],
          rss: ['B', 6e6 + 1e5 * threads] });
        cell(at('own'), 'AS1', 'global', figures(30 * mallocFactor));
        cell(at('own'), 'AS2', 'global', figures(31 * mallocFactor));
        for (const [strategy, peer] of local(['AS3', 'AS5', 'AS7', 'AS9', 'AS11', 'AS13'])) {
          const each = strategy === 'AS3' || strategy === 'AS5' ? 22 : 6.5 * libraryFactor[peer];
          cell(at('own'), strategy, peer, figures(each));
        }
        for (const form of threads % 2 ? ['shared'] : ['shared', 'handoff']) {
          const extra = form === 'handoff' ? 1.7 : 1;
          cell(at(form), 'AS1', 'global', figures(31 * extra * mallocFactor));
          for (const peer of libraries) {
            cell(at(form), 'sync', peer,
              figures(extra * (14 + 30 * (threads - 1) * (libraryFactor[peer] - 1))));
          }
          cell(at(form), 'mutex', 'mallard', figures(extra * (24 + 55 * (threads - 1))));
        }
      }
    }
  },
  'false-sharing'() {
    for (const threads of [1, 2, 4]) {
      const time = (form, strategy, peer, seconds) =>
        cell({ form, threads }, strategy, peer, { time: ['s', seconds] });
      time('shared array', 'AS1', 'global', threads === 1 ? 0.1 : 0.31);
      time('local variable', 'AS1', 'global', 0.1 / threads);
      time('objects of one allocator', 'AS1', 'global', threads === 1 ? 0.12 : 0.2);
      for (const [strategy, peer] of local(['AS3', 'AS7'])) {
        time('arena per thread', strategy, peer, 0.101 / threads);
        time('objects of one allocator', strategy, peer, threads === 1 ? 0.12 : 0.26);
        time('objects of own arenas', strategy, peer, 0.12 / threads);
      }
    }
  },
  ...articleCells(cell),
  ...mallocCells(cell),
};
write[what]();

writeResults(out, options.cpu, { bench, heaps: ['clean'], parameters: {}, malloc,
  command: `mallard bench ${bench}${malloc === 'glibc' ? '' : ` --malloc ${malloc}`}` }, lines);
