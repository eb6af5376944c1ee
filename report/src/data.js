// The results, indexed so that any cell is found at once.

import { Series } from './series.js';
import { geometricMean, speedUp } from './stats.js';

const key = (...parts) => parts.join('|');

/** One machine, build and mode: the cells that may be compared with each other. */
export class Dataset {
  #cells = new Map();

  constructor(raw, model) {
    this.label = raw.label;
    this.runs = raw.runs;
    /** The newest source speaks for all: machine, build and mode are the same in each. */
    this.run = raw.runs[raw.runs.length - 1];
    /** The newest of Benchmark I, for its number of leaf insertions; undefined without one. */
    this.densityRun = raw.runs.filter(({ bench }) => bench === 'density').at(-1);
    this.claims = raw.claims;
    const all = raw.cells.map((row) =>
      Object.fromEntries(row.map((value, at) => [model.cell_fields[at], value])));
    /** The other benches by name. */
    this.series = Object.fromEntries([...new Set(raw.series.map(({ bench }) => bench))]
      .map((bench) => [bench, new Series(bench, raw.series.filter((one) => one.bench === bench))]));
    this.mallocs = [...new Set([...all, ...raw.series].map(({ malloc }) => malloc))].sort();
    /** The malloc that the tables are of; the others appear beside it, by AS1 alone. */
    this.home = this.mallocs.includes('glibc') ? 'glibc' : this.mallocs[0];
    this.cells = all.filter(({ malloc }) => malloc === this.home);
    this.otherCells = all.filter(({ malloc }) => malloc !== this.home);
    for (const cell of this.cells) {
      this.#cells.set(key(cell.ds, cell.size, cell.strategy, cell.peer, cell.heap), cell);
    }
    const present = (field) => new Set(this.cells.map((cell) => cell[field]));
    const [structures, strategies, peers, heaps] =
      ['ds', 'strategy', 'peer', 'heap'].map(present);
    this.structures = model.structures.filter(({ id }) => structures.has(id));
    this.strategies = model.strategies.filter(({ id }) => strategies.has(id));
    this.peers = ['mallard', 'std', 'boost'].filter((peer) => peers.has(peer));
    this.heaps = ['clean', 'aged'].filter((heap) => heaps.has(heap));
    this.sizes = [...present('size')].sort((a, b) => a - b);
    this.measured = [...all, ...raw.series].filter((cell) => cell.status === 'ok').length;
    this.failed = all.length + raw.series.length - this.measured;
    /** Heaps of all benches. */
    this.allHeaps = ['clean', 'aged'].filter((heap) =>
      heaps.has(heap) || raw.series.some((cell) => cell.heap === heap));
    /** strategy@peer pairs in the order of the tables. */
    this.contenders = this.strategies.flatMap(({ id }) =>
      ['global', ...this.peers]
        .filter((peer) => this.cells.some((cell) => cell.strategy === id && cell.peer === peer))
        .map((peer) => ({ strategy: id, peer })));
    /** Holes in the tables: an interrupted run, or files that cover different parts. */
    this.missing = this.contenders.length * this.structures.length * this.sizes.length *
      this.heaps.length - this.cells.length;
  }

  /** The cell, failed or not; undefined when it was not run. */
  find(ds, size, strategy, peer, heap) {
    return this.#cells.get(key(ds, size, strategy, peer, heap));
  }

  /**
   * The cell of a column of the tables. The global heap belongs to no library, and the standard
   * library's new_delete_resource stands in where a library has none of its own.
   */
  column(ds, size, strategy, peer, heap) {
    const peers = strategy === 'AS1' ? ['global'] : strategy === 'AS2' ? [peer, 'std'] : [peer];
    return peers.map((name) => this.find(ds, size, strategy, name, heap)).find(Boolean);
  }

  /** [AS1 under another malloc, AS1 under the home one] wherever both have a median. */
  globalPairs(malloc, heap) {
    return this.otherCells.filter((cell) => cell.strategy === 'AS1' && cell.malloc === malloc &&
      cell.heap === heap && isMeasured(cell)).map((cell) => [cell, this.baseline(cell)])
      .filter(([, base]) => isMeasured(base));
  }

  /** The same cell under the global heap, against which speed-ups are taken. */
  baseline(cell) {
    return this.find(cell.ds, cell.size, 'AS1', 'global', cell.heap);
  }

  /** [cell of a, cell of b] for each structure and size where both have a median. */
  pairs(a, b, heap, structures = this.structures) {
    const found = [];
    for (const { id } of structures) {
      for (const size of this.sizes) {
        const first = this.find(id, size, a.strategy, a.peer, heap);
        const second = this.find(id, size, b.strategy, b.peer, heap);
        if (isMeasured(first) && isMeasured(second)) found.push([first, second]);
      }
    }
    return found;
  }

  /** Geometric mean of how many times faster a is than b (by default: than the global heap). */
  meanSpeedUp(a, heap, { over = globalHeap, structures } = {}) {
    return geometricMean(this.pairs(a, over, heap, structures).map(([x, y]) => speedUp(x, y)));
  }
}

export const globalHeap = { strategy: 'AS1', peer: 'global' };
export const isMeasured = (cell) => cell !== undefined && cell.status === 'ok';
export const contenderName = ({ strategy, peer }) =>
  peer === 'global' ? strategy : `${strategy}@${peer}`;

/**
 * Everything the page shows, read from the JSON block inside the page itself: `datasets` of results, or
 * one `recording`.
 */
export function loadModel() {
  const model = JSON.parse(document.getElementById('mallard-data').textContent);
  if (model.datasets) model.datasets = model.datasets.map((raw) => new Dataset(raw, model));
  return model;
}
