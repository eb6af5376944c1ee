// Made-up cells of the benches of arrays that grow in place, of bursts and of pools.

const columns = ['std@std', 'std@boost', 'v1@mallard', 'v2-none@mallard', 'v2-fwd@mallard',
  'v2-bwd@mallard', 'v2@mallard', 'v1@boost', 'v2-none@boost', 'v2@boost']
  .map((name) => name.split('@'));

/** Seconds of 10^8 insertions at the end, by how an array gets its room. */
function filling(strategy, peer, elements) {
  const moving = 0.35 * Math.log10(elements);
  const calling = 5 / elements * (peer === 'boost' ? 1.6 : 1);
  if (strategy === 'v2' || strategy === 'v2-fwd') return 0.5 + 0.1 * moving + calling;
  return 0.5 + moving * (strategy === 'v2-bwd' ? 0.9 : 1) + calling;
}

function arrays(cell, backward) {
  for (const [elements, iterations] of [[10, 1e7], [100, 1e6], [1000, 1e5], [10000, 1e4]]) {
    for (const type of ['int', 'pod64', 'string']) {
      for (const [strategy, peer] of columns) {
        const grows = strategy === 'v2' || strategy === (backward ? 'v2-bwd' : 'v2-fwd');
        const heavy = { int: 1, pod64: 3, string: 5 }[type];
        cell({ elements, iterations, type, ...(backward ? {} : { form: 'alone' }) }, strategy, peer, {
          time: ['s', heavy * filling(backward && grows ? 'v2-bwd' : strategy, peer, elements)],
          calls: ['count', (strategy === 'v1' ? 6 : 4) * Math.log10(elements)],
          ...(grows ? { success: ['ratio', Math.min(0.92, elements / 4000)] } : {}),
          capacity: ['count', elements * 1.2], rss: ['B', 5e6 + elements * 40] });
      }
    }
    if (!backward) {
      cell({ elements, iterations, type: 'int', form: 'alone' }, 'realloc', 'global', {
        time: ['s', 0.45], calls: ['count', 4], rss: ['B', 5e6] });
    }
  }
}

/** Nanoseconds a node, by whether nodes come one by one. */
function perNode(strategy, peer, range) {
  const one = { std: 18, v1: 20, adaptive1: 15, fast_pool: 8, pool: 11 }[strategy];
  const base = one ?? 6 + 14 / range;
  return base * (peer === 'boost' ? 1.15 : 1);
}

const pools = [['v1', 'mallard'], ['v2', 'mallard'], ['adaptive', 'mallard'], ['node', 'mallard'],
  ['v1', 'boost'], ['v2', 'boost'], ['adaptive1', 'boost'], ['adaptive', 'boost'], ['node', 'boost'],
  ['fast_pool', 'boost'], ['pool', 'std'], ['std', 'boost']];
const keepsAll = (strategy) => ['node', 'fast_pool', 'pool'].includes(strategy);

export const articleCells = (cell) => ({
  'expand-forward': () => arrays(cell, false),
  'expand-backward': () => arrays(cell, true),
  shrink() {
    for (const [elements, iterations] of [[500, 10000], [2000, 1000], [10000, 100]]) {
      for (const [strategy, peer] of [['std', 'std'], ['std', 'boost'], ['v1', 'mallard'],
        ['v2', 'mallard'], ['v1', 'boost'], ['v2', 'boost']]) {
        const moves = strategy === 'v2' ? 0 : elements * 0.4e-9;
        cell({ elements, iterations, type: 'int' }, strategy, peer, {
          time: ['s', elements / 5 * iterations * (20e-9 + moves)], rss_after: ['B', 4e6],
          ...(strategy === 'v2' ? { success: ['ratio', 0.98] } : {}) });
      }
    }
  },
  realloc() {
    for (const step of ['x1.5', '+1M']) {
      for (const bytes of [2 ** 20, 2 ** 24, 2 ** 28]) {
        for (const [strategy, peer, factor] of [['realloc', 'global', 1], ['v2', 'mallard', 0.6],
          ['v1', 'mallard', 3], ['v2', 'boost', 1.2]]) {
          cell({ step, bytes }, strategy, peer, { time: ['s', bytes * 1e-10 * factor],
            moved: ['count', strategy === 'v2' ? 0 : 12], success: ['ratio', 0.9] });
        }
      }
    }
  },
  burst() {
    const elements = 2e6;
    for (const range of [10, 100, 1000, 10000]) {
      for (const container of ['list', 'stable_vector']) {
        for (const [strategy, peer] of pools) {
          const inserted = perNode(strategy, peer, range) * elements * 1e-9;
          cell({ range, container, elements }, strategy, peer, { insert: ['s', inserted],
            erase: ['s', inserted * 0.7],
            calls: ['count', strategy === 'v2' ? 2 * elements / range : 2 * elements] });
        }
      }
    }
  },
  'adaptive-pool'() {
    const elements = 2e6;
    for (const range of [1, 10, 100, 1000, 10000]) {
      for (const [strategy, peer] of pools) {
        const inserted = perNode(strategy, peer, range) * elements * 1e-9;
        const held = keepsAll(strategy) ? 24 * elements : strategy.startsWith('ad') ? 16384 : 0;
        cell({ range, elements }, strategy, peer, { insert: ['s', inserted],
          erase: ['s', inserted * 0.8], in_use_after_erase: ['B', held],
          held_after_erase: ['B', held + 65536], rss_after_erase: ['B', 5e6 + held],
          overhead: ['ratio', strategy === 'v1' ? 0.33 : 0.012] });
      }
    }
  },
  mixed() {
    for (const live of [10, 14, 18]) {
      for (const [strategy, peer, factor] of [['AS1', 'global', 1], ['heap', 'mallard', 0.7],
        ['dlmalloc', 'boost', 1.4], ['pool', 'std', 1.1]]) {
        cell({ live, low: 16, high: 65536 }, strategy, peer, { time: ['s', factor * live / 10],
          rss: ['B', 2 ** live * 8000] });
      }
    }
  },
});
