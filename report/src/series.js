// The cells of one bench, of those that are not of data structures: each lies at a set of named
// coordinates, and holds a set of named measures.

import { peerName } from './names.js';

const order = ['global', 'mallard', 'std', 'boost'];
/** Allocators of arrays and nodes, from what everybody has to what few have. */
const allocators = ['std', 'realloc', 'remap', 'v1', 'v2-none', 'v2-bwd', 'v2-fwd', 'v2', 'adaptive1',
  'adaptive', 'own-adaptive', 'node', 'fast_pool', 'pool', 'heap', 'dlmalloc'];
const rank = (list, value) => (list.includes(value) ? list.indexOf(value) : list.length);
const number = (name) => (allocators.includes(name) ? 1000 + allocators.indexOf(name)
  : Number(name.replace(/\D/g, '')) || 900);

/** Whose allocator it is goes without saying, or is not a library. */
const ownNames = { 'std@std': 'std', 'std@boost': 'std in Boost', 'pool@std': 'std::pmr pool',
  'realloc@global': 'realloc', 'heap@mallard': 'mallard heap', 'dlmalloc@boost': 'Boost dlmalloc' };

/** One key for equal coordinates, whatever the order in which they were written. */
export const placeKey = (at) =>
  JSON.stringify(Object.entries(at).sort(([a], [b]) => (a < b ? -1 : 1)));

const columnKey = ({ strategy, peer, malloc }) => `${strategy}@${peer}@${malloc}`;

/** "AS1", "AS7 Boost", "AS1 jemalloc": short enough for the head of a table. */
export function columnName({ strategy, peer, malloc }, home) {
  const own = ownNames[`${strategy}@${peer}`];
  const parts = [own ?? strategy];
  if (!own && peer !== 'global') parts.push(peerName(peer));
  if (malloc !== home) parts.push(malloc);
  return parts.join(' ');
}

export class Series {
  #cells = new Map();

  constructor(bench, cells) {
    this.bench = bench;
    this.cells = cells;
    for (const cell of cells) this.#cells.set(this.#key(cell.at, cell, cell.heap), cell);
    const present = (pick) => [...new Set(cells.map(pick))];
    this.heaps = ['clean', 'aged'].filter((heap) => present((one) => one.heap).includes(heap));
    this.mallocs = present((one) => one.malloc).sort();
    /** The malloc that the others are seen beside. */
    this.home = this.mallocs.includes('glibc') ? 'glibc' : this.mallocs[0];
    /** Whether it is the mallocs themselves that are compared. */
    this.ofMallocs = this.mallocs.length > 1 && cells.every(({ strategy }) => strategy === 'AS1');
    const columns = new Map(cells.map(({ strategy, peer, malloc }) =>
      [columnKey({ strategy, peer, malloc }), { strategy, peer, malloc }]));
    const foreign = ({ malloc }) => (malloc === this.home ? 0 : malloc.startsWith('mallard') ? 1 : 2);
    /** strategy, peer and malloc: the home malloc first, then ours, then AS1, AS2, … */
    this.columns = [...columns.values()].sort((a, b) =>
      foreign(a) - foreign(b) || a.malloc.localeCompare(b.malloc) ||
      number(a.strategy) - number(b.strategy) || a.strategy.localeCompare(b.strategy) ||
      rank(order, a.peer) - rank(order, b.peer));
    this.peers = ['mallard', 'std', 'boost'].filter((peer) =>
      present((one) => one.peer).includes(peer));
    this.measures = [...new Set(cells.flatMap((one) => Object.keys(one.measures ?? {})))];
  }

  /** A column's name in this bench. */
  nameOf(column) {
    return this.ofMallocs ? column.malloc : columnName(column, this.home);
  }

  #key(at, { strategy, peer, malloc }, heap) {
    return [placeKey(at), columnKey({ strategy, peer, malloc }), heap].join('|');
  }

  /** The cell, failed or not; undefined when it was not run. */
  find(at, column, heap) {
    return this.#cells.get(this.#key(at, column, heap));
  }

  /** The distinct places of the cells that match, in the order of the given coordinates. */
  places(matches, ...coordinates) {
    const found = new Map();
    for (const cell of this.cells) {
      if (matches(cell)) found.set(placeKey(cell.at), cell.at);
    }
    return [...found.values()].sort((a, b) =>
      coordinates.reduce((sum, name) => sum || a[name] - b[name], 0));
  }

  /** The distinct values of a coordinate among the cells that match; numbers in their order. */
  values(coordinate, matches = () => true) {
    const all = [...new Set(this.cells.filter(matches).map(({ at }) => at[coordinate]))];
    return all.every((one) => typeof one === 'number') ? all.sort((a, b) => a - b) : all;
  }

  /** [measure of a, measure of b] wherever both have one. */
  pairs(a, b, measure, heap, matches = () => true) {
    return this.places((cell) => cell.heap === heap && matches(cell))
      .map((at) => [a, b].map((column) => figureOf(this.find(at, column, heap), measure)))
      .filter(([first, second]) => first && second);
  }

  /** The global heap and the given libraries under the home malloc, and AS1 under the others. */
  columnsOf(peers, matches = () => true) {
    const measured = new Set(this.cells.filter(matches).map(columnKey));
    const wanted = ({ strategy, peer, malloc }) => (malloc === this.home
      ? peer === 'global' || strategy === 'AS2' || peers.includes(peer) : strategy === 'AS1');
    return this.columns.filter((one) => measured.has(columnKey(one)) && wanted(one));
  }
}

export const globalColumn = (series) => ({ strategy: 'AS1', peer: 'global', malloc: series.home });
export const figureOf = (cell, measure) =>
  (cell && cell.status === 'ok' ? cell.measures[measure] : undefined);
