// What the measures of the benches are called and how they are written, and the card of one cell.

import { h, withPowers } from './dom.js';
import { bytes, count, duration, interval, short, significant, times } from './format.js';
import { heapName, peerName } from './names.js';
import { strip } from './tooltip.js';

const perSecond = (value) => `${short(value)}/s`;
const writers = { s: duration, B: bytes, ratio: times, count: (value) => (value < 1e5 ? count(value)
  : short(value)), '1/s': perSecond };
export const writeFigure = (value, unit) => (writers[unit] ?? significant)(value);

const names = { time: 'Time', create: 'Filling the lists', access_before: 'Access before the shuffle',
  shuffle: 'The shuffle', access_after: 'Access after the shuffle',
  degradation: 'Slow-down by the shuffle', bytes_per_node: 'Memory per link', rss: 'Peak memory',
  empty_share: 'Lists empty after the shuffle', steps: 'Timed accesses', calls: 'Allocator calls',
  success: 'Success in place', capacity: 'Final capacity', rss_after: 'Resident at the end',
  moved: 'Times moved', insert: 'Insertion', erase: 'Erasure', overhead: 'Overhead of a node',
  overhead_rss: 'Overhead of a node, resident',
  in_use_after_erase: 'In use after erasing', held_after_erase: 'Held after erasing',
  rss_after_erase: 'Resident after erasing', time_with_threads: 'Time with starting the threads',
  user: 'User time', system: 'System time', per_op: 'Time of a call', throughput: 'Throughput',
  malloc_p50: 'malloc p50', malloc_p99: 'malloc p99', malloc_p999: 'malloc p99.9',
  free_p50: 'free p50', free_p99: 'free p99', free_p999: 'free p99.9', peak_rss: 'Resident, at most',
  end_rss: 'Resident, at the end', peak_dynamic: 'Address space, at most',
  end_dynamic: 'Address space, at the end', requested: 'Requested by the program',
  heap: 'Heap area (sbrk)', mmap: 'Mapped (mmap)', mmap_so: 'Files mapped',
  reserved_none: 'Reserved, not accessible', total_dynamic: 'Heap area and mapped',
  total_dynamic_thesis: 'Heap area, mapped and files', elapsed: 'Time since the start' };
/** Where a name means something else. */
const namesIn = { 'memory-series': { rss: 'Resident pages' } };
export const measureName = (measure, bench) =>
  namesIn[bench]?.[measure] ?? names[measure] ?? measure.replaceAll('_', ' ');

/** 10^7 and 2^21 as such, other numbers in digits. */
const power = (value) => {
  const [two, ten] = [Math.log2(value), Math.round(Math.log10(value))];
  if (10 ** ten === value && ten > 3) return `10^${ten}`;
  return value >= 1024 && Number.isInteger(two) ? `2^${two}` : count(value);
};

/** 10^7 and 2^21 as such, other numbers in digits. */
export function linksText(links) {
  const exponent = Math.round(Math.log10(links));
  return 10 ** exponent === links && exponent > 2 ? `10^${exponent}` : power(links);
}

/** Coordinates that are logarithms to the base 2. */
const logarithms = { utilization: ['total', 'active', 'block'], contention: ['iterations', 'block'],
  mixed: ['live'] };

/** What a coordinate's value is called in a bench. */
export function placeText(name, value, bench) {
  if (logarithms[bench]?.includes(name)) return `2^${value}`;
  if (name === 'links') return linksText(value);
  return typeof value === 'number' && value >= 1e4 ? power(value) : String(value);
}

export const placeTitle = (at, bench) =>
  Object.entries(at).map(([name, value]) => `${name} ${placeText(name, value, bench)}`).join(', ');
const columnText = ({ strategy, peer, malloc, heap }) => [strategy, peerName(peer),
  malloc === 'glibc' ? null : `under ${malloc}`, heapName(heap).toLowerCase()]
  .filter(Boolean).join(' · ');

const row = ([name, value]) => [h('dt', {}, name), h('dd', {}, value)];

/** All about one cell: the chosen measure with its spread, then the others. */
export function seriesCard(cell, chosen = 'time', extra = []) {
  const head = h('header', {}, h('strong', {}, withPowers(placeTitle(cell.at, cell.bench))),
    h('span', {}, columnText(cell)));
  if (cell.status !== 'ok') {
    return h('div', { class: 'card-tip' }, head, h('p', { class: 'error' }, `Failed: ${cell.error}`));
  }
  const main = cell.measures[chosen];
  const others = Object.entries(cell.measures).filter(([name]) => name !== chosen)
    .map(([name, { median, unit }]) => [measureName(name, cell.bench), writeFigure(median, unit)]);
  const write = (value) => writeFigure(value, main.unit);
  return h('div', { class: 'card-tip' }, head,
    h('dl', {}, main ? [[measureName(chosen, cell.bench), write(main.median)],
      ['95 % interval', interval({ low: main.ci_low, high: main.ci_high }, write)]].map(row) : [],
    extra.map(row), others.map(row)),
    main && strip({ seconds: main.samples, ...main }),
    main && h('p', { class: 'repetitions' },
      `${main.samples.length} repetition${main.samples.length === 1 ? '' : 's'}: ` +
      main.samples.map(write).join(', ')));
}

/** What the CSV of a table of figures says of one cell. */
export const csvOfCell = (cell, measure) => {
  if (!cell) return ['', '', '', ''];
  if (cell.status !== 'ok') return [`failed: ${cell.error}`, '', '', ''];
  const { median, ci_low, ci_high, unit } = cell.measures[measure] ?? {};
  return [median, ci_low, ci_high, unit];
};
