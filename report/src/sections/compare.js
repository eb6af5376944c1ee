// Any strategy of any library against any other.

import { disposeCharts } from '../chart.js';
import { contenderName } from '../data.js';
import { choice, dropdown, h } from '../dom.js';
import { interval, short, times } from '../format.js';
import { heatmap } from '../heatmap.js';
import { heapOptions } from '../names.js';
import { gradient, ratioScale } from '../palette.js';
import { duel, geometricMean, speedUp, toRatio } from '../stats.js';
import { csvButton } from '../table.js';
import { smallCard } from '../tooltip.js';
import { fill, section } from './section.js';

const verdictText = { won: 'faster', lost: 'slower', undecided: 'intervals overlap' };

/** The colours end at this ratio at least, so that noise does not look like a difference. */
const leastExtreme = 2;

function ratiosOf(dataset, show) {
  return dataset.pairs(show.a, show.b, show.heap).map(([a, b]) => {
    const change = speedUp(a, b);
    return { a, b, change, ratio: toRatio(change), verdict: duel(a, b) };
  });
}

function matrix(dataset, ratios, show) {
  const extreme = Math.max(leastExtreme,
    ...ratios.map(({ ratio }) => Math.max(ratio.value, 1 / ratio.value)));
  const scale = ratioScale(extreme);
  const names = [contenderName(show.a), contenderName(show.b)];
  const view = {
    rows: dataset.sizes, columns: dataset.structures.map(({ id }) => id), palette: 'safe',
    cells: ratios.map(({ a, b, ratio, verdict }) => ({
      row: dataset.sizes.indexOf(a.size),
      column: dataset.structures.findIndex(({ id }) => id === a.ds), t: scale(ratio.value),
      // A mark, not only a colour, says that a difference is not certain.
      text: `${short(ratio.value)}${verdict === 'undecided' ? ' ?' : ''}`,
      spoken: `${a.ds}, 2 to the ${a.size}: ${times(ratio.value)}, ${verdictText[verdict]}`,
      card: () => smallCard(`${a.ds} · ${names.join(' against ')}`, [
        ['Outer size', String(2 ** a.size)], ['Speed-up', times(ratio.value)],
        ['95 % interval', interval(ratio, times)],
        [names[0], `${interval({ low: a.ci_low, high: a.ci_high })} s`],
        [names[1], `${interval({ low: b.ci_low, high: b.ci_high })} s`],
        ['Verdict', verdictText[verdict]]]),
    })),
  };
  return { extreme, element: heatmap(() => view, { columnWidth: 50,
    label: `Heat map of ${names.join(' against ')}` }).element };
}

function summary(ratios, show) {
  const mean = geometricMean(ratios.map(({ change }) => change));
  const number = (verdict) => ratios.filter((one) => one.verdict === verdict).length;
  const [a, b] = [contenderName(show.a), contenderName(show.b)];
  const figure = (value, text, tone = '') =>
    h('div', { class: `figure ${tone}` }, h('strong', {}, value), h('span', {}, text));
  return h('div', { class: 'duel' },
    h('p', { class: 'verdict' }, h('strong', {}, a), ' is ', h('strong', {}, times(mean.value)),
      ' as fast as ', h('strong', {}, b)),
    h('p', { class: 'hint' }, `Geometric mean of ${mean.cells} cells; 95 % interval ` +
      `${interval(mean, times)}; single cells from ${times(mean.worst)} to ${times(mean.best)}.`),
    h('div', { class: 'figures' },
      figure(number('won'), 'cells faster', 'won'), figure(number('lost'), 'cells slower', 'lost'),
      figure(number('undecided'), 'undecided')),
    h('p', { class: 'hint' }, 'A cell counts as faster or slower when the 95 % intervals of the ' +
      'two medians do not overlap.'));
}

const csvOf = (ratios) => [
  ['structure', 'size', 'heap', 'a', 'b', 'speedup', 'low', 'high', 'verdict'],
  ...ratios.map(({ a, b, ratio, verdict }) => [a.ds, 2 ** a.size, a.heap, contenderName(a),
    contenderName(b), ratio.value, ratio.low, ratio.high, verdict])];

/** The first of the wished contenders that was measured. */
const pick = (dataset, ...names) =>
  names.map((name) => dataset.contenders.find((one) => contenderName(one) === name))
    .find(Boolean) ?? dataset.contenders[0];

export function compare(dataset) {
  const show = { a: pick(dataset, 'AS7@mallard'),
    b: pick(dataset, 'AS7@std', 'AS7@boost', 'AS1'), heap: dataset.heaps[0] };
  const body = h('div', { class: 'pair compare' });
  const redraw = () => {
    disposeCharts(body);
    const ratios = ratiosOf(dataset, show);
    if (ratios.length === 0) {
      fill(body, h('p', { class: 'hint empty' }, 'No cell was measured for both.'));
      return;
    }
    const { extreme, element } = matrix(dataset, ratios, show);
    fill(body, summary(ratios, show), h('div', { class: 'pane' },
      h('div', { class: 'pane-head' }, h('h4', {}, 'Speed-up by size and structure'),
        h('div', { class: 'legend flipped' }, gradient('safe'), h('div', {},
          h('span', {}, times(extreme)), h('span', {}, '1×'), h('span', {}, times(1 / extreme)))),
        csvButton(() => csvOf(ratios), 'the comparison')),
      h('div', { class: 'scroll' }, element)));
  };
  const options = dataset.contenders.map((one) => [contenderName(one), contenderName(one)]);
  const lists = h('div', { class: 'versus' });
  const redrawLists = () => fill(lists,
    dropdown('Strategy', options, contenderName(show.a), (name) => {
      show.a = pick(dataset, name); redraw(); }, { id: 'compare-a' }),
    dropdown('against', options, contenderName(show.b), (name) => {
      show.b = pick(dataset, name); redraw(); }, { id: 'compare-b' }),
    h('button', { type: 'button', 'aria-label': 'Swap the two', onclick: () => {
      [show.a, show.b] = [show.b, show.a];
      redrawLists();
      redraw();
    } }, 'Swap'));
  redrawLists();
  redraw();
  return section('compare', 'Any strategy against any other',
    'The speed of the first over that of the second, cell by cell. Blue: faster. Orange: ' +
    'slower. Question mark: the intervals overlap.',
    h('div', { class: 'card' },
      h('div', { class: 'controls' }, lists,
        choice('Heap', heapOptions(dataset), show.heap,
          (heap) => { show.heap = heap; redraw(); }, { id: 'compare-heap' })),
      body));
}
