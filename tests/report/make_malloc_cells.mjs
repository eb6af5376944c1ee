// Made-up cells of the micro-benchmarks of mallocs: all mallocs in one file.

const mallocs = { glibc: 1, mallard: 0.6, 'mallard-hardened': 0.8, jemalloc: 0.75,
  tcmalloc_minimal: 0.65, mimalloc: 0.58, tbbmalloc: 0.9 };
const chains = ['malloc', 'realloc', 'free', 'calloc', 'malloc-free', 'realloc-free', 'calloc-free',
  'malloc-realloc', 'calloc-realloc', 'malloc-realloc-free', 'calloc-realloc-free',
  'malloc-realloc-free-calloc'];
const threadCounts = [1, 2, 4, 8];

export function mallocCells(cell) {
  const each = (write) => {
    for (const [malloc, factor] of Object.entries(mallocs)) {
      write(factor, (at, figures, bench) => cell(at, 'AS1', 'global', figures, malloc, bench), malloc);
    }
  };
  const eachThread = (write) => each((factor, put, malloc) => {
    for (const threads of threadCounts) write(threads, factor * Math.max(1, threads / 4), put, malloc);
  });
  const sharing = (preserved) => () => eachThread((threads, factor, put, malloc) => {
    const shares = preserved.includes(malloc) && threads > 1 ? 3 : 1;
    put({ threads, size: 1, work: 'per-thread', iterations: 100, touches: 1000000 },
      { time: ['s', 0.2 * shares * Math.max(1, threads / 4)], rss: ['B', 4e6 + 1e5 * threads] });
  });
  return {
    churn: () => eachThread((threads, factor, put) => {
      for (const how of ['shared', 'private']) {
        put({ threads, sharing: how, spots: 16, objects: 100000 }, {
          time: ['s', 0.01 * factor * (how === 'shared' ? 1 + 0.3 * threads : 1)],
          time_with_threads: ['s', 0.0105 * factor], rss: ['B', 4e6 + 1e5 * threads] });
      }
    }),
    thrash: sharing([]),
    scratch: sharing(['glibc', 'tbbmalloc']),
    speed: () => eachThread((threads, factor, put) => {
      for (const chain of chains) {
        const parts = chain.split('-').map((part) =>
          ({ malloc: 20, realloc: 60, free: 12, calloc: 90 })[part]);
        const sum = parts.reduce((a, b) => a + b) * 1e-9 * (chain.includes('calloc')
          ? Math.sqrt(factor) : factor);
        put({ threads, chain, objects: 100000 }, { time: ['s', sum * 100000],
          per_op: ['s', sum / parts.length], rss: ['B', 20e6 * factor] });
      }
    }),
    memory: () => each((factor, put, malloc) => {
      for (const [producers, consumers] of [[1, 1], [4, 4]]) {
        const objects = 100000;
        const most = producers * consumers * objects * 108;
        put({ producers, consumers, objects }, { peak_rss: ['B', most * (1 + factor / 2)],
          end_rss: ['B', most * factor / 3], peak_dynamic: ['B', most * (1.3 + factor)],
          end_dynamic: ['B', most * (1.3 + factor)], time: ['s', 0.05 * factor] });
        for (let point = 0; point < 60; ++point) {
          const live = most * Math.min(1, 2 - point / 30, point / 30);
          const grown = most * Math.min(1, point / 30);
          const heap = ['glibc', 'tcmalloc_minimal'].includes(malloc) ? 1 : 0;
          put({ producers, consumers, objects, point }, {
            elapsed: ['s', point * 0.001 * factor], requested: ['B', Math.max(live, 0)],
            heap: ['B', heap * grown * 0.7], mmap: ['B', grown * (1.2 + factor - heap * 0.7)],
            mmap_so: ['B', 2e6], reserved_none: ['B', 6.4e7],
            total_dynamic: ['B', grown * (1.2 + factor)],
            total_dynamic_thesis: ['B', grown * (1.2 + factor) + 2e6],
            rss: ['B', 3e6 + (live + grown * factor) / 2] }, 'memory-series');
        }
      }
    }),
    larson: () => eachThread((threads, factor, put) =>
      put({ threads, min: 8, max: 1000, chunks: 5000, rounds: 100 },
        { throughput: ['1/s', 2.1e7 * threads / factor], rss: ['B', 2e7] })),
    'remote-free': () => eachThread((threads, factor, put) => {
      for (const block of [64, 1024]) {
        put({ threads, block, batch: 100 }, { time: ['s', 0.1 * factor],
          per_op: ['s', factor * 4e-8], rss: ['B', 8e6] });
      }
    }),
    'mixed-malloc': () => eachThread((threads, factor, put) =>
      put({ threads, live: 10000, low: 16, high: 65536 }, { time: ['s', 0.3 * factor],
        rss: ['B', 1e8 * factor], malloc_p50: ['s', 2.5e-8 * factor], malloc_p99: ['s', 4e-7 * factor],
        malloc_p999: ['s', 6e-6 * factor], free_p50: ['s', 1.5e-8 * factor],
        free_p99: ['s', 2e-7 * factor], free_p999: ['s', 3e-6 * factor],
        malloc_longest: ['s', 2e-4 * factor], free_longest: ['s', 1e-4 * factor] })),
  };
}
