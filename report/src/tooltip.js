// The card that says everything about one cell: median, interval, every repetition, memory.

import { isMeasured } from './data.js';
import { h, power } from './dom.js';
import { bytes, count, duration, interval, times } from './format.js';
import { describeStrategy, heapName, peerName } from './names.js';
import { speedUp, toRatio } from './stats.js';

/** Repetitions as dots over the interval of the median: the spread at a glance. */
export function strip(cell) {
  const all = [...cell.seconds, cell.ci_low, cell.ci_high];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const at = (value) => (high > low ? 6 + 288 * (value - low) / (high - low) : 150);
  const svg = (tag, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const root = svg('svg', { viewBox: '0 0 300 18', class: 'strip', 'aria-hidden': 'true' });
  root.append(
    svg('rect', { x: at(cell.ci_low), width: Math.max(at(cell.ci_high) - at(cell.ci_low), 1),
      y: 3, height: 12, rx: 3, class: 'band' }),
    ...cell.seconds.map((value) => svg('circle', { cx: at(value), cy: 9, r: 3.5 })),
    svg('rect', { x: at(cell.median) - 1, width: 2, y: 0, height: 18, class: 'median' }));
  return root;
}

const row = (name, value) => [h('dt', {}, name), h('dd', {}, value)];
const heading = (cell, strategy) => [
  h('strong', {}, `${cell.ds} · `, power(cell.size), ` · ${cell.strategy}`),
  h('span', {}, [strategy && describeStrategy(strategy), peerName(cell.peer),
    heapName(cell.heap).toLowerCase()].filter(Boolean).join(' · '))];

/** The card of a measured or failed cell. */
export function cellCard(cell, dataset) {
  const strategy = dataset.strategies.find(({ id }) => id === cell.strategy);
  const head = h('header', {}, heading(cell, strategy));
  if (!isMeasured(cell)) {
    return h('div', { class: 'card-tip' }, head, h('p', { class: 'error' }, `Failed: ${cell.error}`));
  }
  const baseline = dataset.baseline(cell);
  const ratio = isMeasured(baseline) && toRatio(speedUp(cell, baseline));
  return h('div', { class: 'card-tip' }, head, h('dl', {},
    row('Median', duration(cell.median)),
    row('95 % interval', interval({ low: cell.ci_low, high: cell.ci_high }, duration)),
    row('Per leaf insertion', duration(cell.median / cell.leaves)),
    ratio ? row('Against the global heap', `${times(ratio.value)} (${interval(ratio)})`) : [],
    row('Peak memory', bytes(cell.rss_bytes)),
    cell.base_rss_bytes !== undefined ? row('… of it at the start', bytes(cell.base_rss_bytes)) : [],
    row('Page faults', `${count(cell.minor_faults)} minor, ` +
      `${count(cell.major_faults)} major`)),
  strip(cell),
  h('p', { class: 'repetitions' },
    `${cell.seconds.length} repetitions: ${cell.seconds.map(duration).join(', ')}`));
}

/** A small card with a title and rows of name and value. */
export const smallCard = (title, rows) =>
  h('div', { class: 'card-tip' }, h('header', {}, h('strong', {}, title)),
    h('dl', {}, rows.map(([name, value]) => row(name, value))));
