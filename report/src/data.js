// The results, indexed so that any cell is found at once.

import { nameBenches } from './names.js';
import { Series } from './series.js';
import { geometricMean, speedUp } from './stats.js';

const key = (...parts) => parts.join('|');

/** Whether a cell is of a data structure: such cells make the heat maps. */
const ofStructure = ({ at }) => 'ds' in at;

/** A cell of a data structure with seconds for all leaf insertions of its run. */
function wholeRun(cell, leaves) {
  const { time, rss, base_rss, minor_faults, major_faults, runs } = cell.measures ?? {};
  return { ...cell, ...cell.at, leaves, runs: runs?.median, median: time?.median * leaves,
    ci_low: time?.ci_low * leaves, ci_high: time?.ci_high * leaves,
    seconds: (time?.samples ?? []).map((one) => one * leaves), rss_bytes: rss?.median,
    base_rss_bytes: base_rss?.median, minor_faults: minor_faults?.median,
    major_faults: major_faults?.median };
}

/** One machine, build and mode: the cells that may be compared with each other. */
export class Dataset {
  #cells = new Map();

  constructor(raw, model) {
    this.label = raw.label;
    this.runs = raw.runs;
    /** The newest source speaks for all: machine, build and mode are the same in each. */
    this.run = raw.runs[raw.runs.length - 1];
    const structureCells = raw.cells.filter(ofStructure);
    const others = raw.cells.filter((cell) => !ofStructure(cell));
    /** The newest with data structures, for its number of leaf insertions; undefined without one. */
    this.structureRun = raw.runs.filter(({ bench }) =>
      structureCells.some((cell) => cell.bench === bench)).at(-1);
    this.claims = raw.claims;
    const leaves = this.structureRun?.parameters?.leaves ?? 1;
    const all = structureCells.map((cell) => wholeRun(cell, leaves));
    /** The other benches by name. */
    this.series = Object.fromEntries([...new Set(others.map(({ bench }) => bench))]
      .map((bench) => [bench, new Series(bench, others.filter((one) => one.bench === bench))]));
    this.mallocs = [...new Set([...all, ...others].map(({ malloc }) => malloc))].sort();
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
    this.measured = [...all, ...others].filter((cell) => cell.status === 'ok').length;
    this.failed = all.length + others.length - this.measured;
    /** Heaps of all benches. */
    this.allHeaps = ['clean', 'aged'].filter((heap) =>
      heaps.has(heap) || others.some((cell) => cell.heap === heap));
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
  nameBenches(model.benches ?? {});
  if (model.datasets) model.datasets = model.datasets.map((raw) => new Dataset(raw, model));
  return model;
}
