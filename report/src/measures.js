// What the measures of the benches are called and how they are written, and the card of one cell.

import { h, withPowers } from './dom.js';
import { bytes, count, duration, interval, significant, times } from './format.js';
import { heapName, peerName } from './names.js';
import { strip } from './tooltip.js';

const writers = { s: duration, B: bytes, ratio: times, count };
export const writeFigure = (value, unit) => (writers[unit] ?? significant)(value);

const names = { time: 'Time', create: 'Filling the lists', access_before: 'Access before the shuffle',
  shuffle: 'The shuffle', access_after: 'Access after the shuffle',
  degradation: 'Slow-down by the shuffle', bytes_per_node: 'Memory per link', rss: 'Peak memory',
  empty_share: 'Lists empty after the shuffle', steps: 'Timed accesses' };
export const measureName = (measure) => names[measure] ?? measure.replaceAll('_', ' ');

const power = (value) => {
  const exponent = Math.log2(value);
  return value >= 1024 && Number.isInteger(exponent) ? `2^${exponent}` : String(value);
};

/** 10^7 and 2^21 as such, other numbers in digits. */
export function linksText(links) {
  const exponent = Math.round(Math.log10(links));
  return 10 ** exponent === links && exponent > 2 ? `10^${exponent}` : power(links);
}

/** What a coordinate's value is called. */
export function placeText(name, value) {
  if (['total', 'active', 'block', 'iterations'].includes(name)) return `2^${value}`;
  return name === 'links' ? linksText(value) : String(value);
}

export const placeTitle = (at) =>
  Object.entries(at).map(([name, value]) => `${name} ${placeText(name, value)}`).join(', ');
const columnText = ({ strategy, peer, malloc, heap }) => [strategy, peerName(peer),
  malloc === 'glibc' ? null : `under ${malloc}`, heapName(heap).toLowerCase()]
  .filter(Boolean).join(' · ');

const row = ([name, value]) => [h('dt', {}, name), h('dd', {}, value)];

/** All about one cell: the chosen measure with its spread, then the others. */
export function seriesCard(cell, chosen = 'time', extra = []) {
  const head = h('header', {}, h('strong', {}, withPowers(placeTitle(cell.at))),
    h('span', {}, columnText(cell)));
  if (cell.status !== 'ok') {
    return h('div', { class: 'card-tip' }, head, h('p', { class: 'error' }, `Failed: ${cell.error}`));
  }
  const main = cell.measures[chosen];
  const others = Object.entries(cell.measures).filter(([name]) => name !== chosen)
    .map(([name, { median, unit }]) => [measureName(name), writeFigure(median, unit)]);
  const write = (value) => writeFigure(value, main.unit);
  return h('div', { class: 'card-tip' }, head,
    h('dl', {}, main ? [[measureName(chosen), write(main.median)],
      ['95 % interval', interval({ low: main.ci_low, high: main.ci_high }, write)]].map(row) : [],
    extra.map(row), others.map(row)),
    main && strip({ seconds: main.samples, ...main }),
    main && h('p', { class: 'repetitions' },
      `${main.samples.length} repetitions: ${main.samples.map(write).join(', ')}`));
}

/** What the CSV of a table of figures says of one cell. */
export const csvOfCell = (cell, measure) => {
  if (!cell) return ['', '', '', ''];
  if (cell.status !== 'ok') return [`failed: ${cell.error}`, '', '', ''];
  const { median, ci_low, ci_high, unit } = cell.measures[measure] ?? {};
  return [median, ci_low, ci_high, unit];
};
