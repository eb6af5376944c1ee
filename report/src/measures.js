// The names and forms of the benches' measures, and the card of one cell.

import { h, withPowers } from './dom.js';
import { bytes, count, duration, interval, short, significant, times } from './format.js';
import { heapName, mainMeasure, measureName, pageOf, peerName } from './names.js';
import { strip } from './tooltip.js';

const perSecond = (value) => `${short(value)}/s`;
const writers = { s: duration, B: bytes, ratio: times, count: (value) => (value < 1e5 ? count(value)
  : short(value)), '1/s': perSecond };
export const writeFigure = (value, unit) => (writers[unit] ?? significant)(value);

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

/** A name for a coordinate's value in a bench. */
export function placeText(name, value, bench) {
  if (pageOf(bench).logarithms?.includes(name)) return `2^${value}`;
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
export function seriesCard(cell, chosen = mainMeasure(cell.bench), extra = []) {
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

/** The cells that one cell has in the CSV of a table of figures. */
export const csvOfCell = (cell, measure) => {
  if (!cell) return ['', '', '', ''];
  if (cell.status !== 'ok') return [`failed: ${cell.error}`, '', '', ''];
  const { median, ci_low, ci_high, unit } = cell.measures[measure] ?? {};
  return [median, ci_low, ci_high, unit];
};
