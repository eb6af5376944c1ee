// Data structures at a glance: the mean speed-ups, and the best strategy of each structure.

import { strategyBars } from '../bars.js';
import { chart } from '../chart.js';
import { contenderName, globalHeap } from '../data.js';
import { h } from '../dom.js';
import { interval, times } from '../format.js';
import { benchTitle, describeStrategy, heapName, pageOf } from '../names.js';
import { csvButton, table } from '../table.js';
import { section } from './section.js';

/** Our own contenders, or another library's when only that one was measured. */
export const home = (dataset) => (dataset.peers.includes('mallard') ? 'mallard' : dataset.peers[0]);

/** Local strategies (all but the global heap's) of one library with their means, best first. */
export function ranking(dataset, heap, structures) {
  return dataset.contenders
    .filter(({ strategy, peer }) => peer === home(dataset) && !['AS1', 'AS2'].includes(strategy))
    .map((one) => ({ ...one, mean: dataset.meanSpeedUp(one, heap, { structures }) }))
    .filter(({ mean }) => mean)
    .sort((a, b) => b.mean.value - a.mean.value);
}

export const strategyText = (dataset, id) =>
  describeStrategy(dataset.strategies.find((one) => one.id === id));

function speedUpCard(dataset) {
  const rows = dataset.contenders.filter(({ strategy, peer }) =>
    strategy !== 'AS1' && (peer === home(dataset) || strategy === 'AS2'));
  const means = rows.flatMap((one) => dataset.heaps.map((heap) => ({
    ...one, heap, mean: dataset.meanSpeedUp(one, heap) }))).filter(({ mean }) => mean);
  const csv = () => [['strategy', 'peer', 'heap', 'speedup', 'low', 'high', 'worst_cell',
    'best_cell', 'cells'], ...means.map(({ strategy, peer, heap, mean }) =>
    [strategy, peer, heap, mean.value, mean.low, mean.high, mean.worst, mean.best, mean.cells])];
  if (means.length === 0) {
    return h('p', { class: 'hint empty' }, 'No strategy was measured beside AS1.');
  }
  const bars = strategyBars({
    categories: rows.map((one) => (one.peer === home(dataset) ? one.strategy : contenderName(one))),
    series: dataset.heaps.map((heap) => ({ name: heapName(heap), tone: `heap-${heap}`,
      means: rows.map((one) => dataset.meanSpeedUp(one, heap)) })),
    titles: rows.map((one) => `${contenderName(one)} · ${strategyText(dataset, one.strategy)}`),
  });
  return h('div', { class: 'card' },
    h('div', { class: 'card-head' }, h('h3', {}, 'Speed-up over the global heap (AS1)'),
      csvButton(csv, 'the speed-ups')),
    h('p', { class: 'hint' }, 'Geometric mean over all cells measured. Thick line: 95 % interval; ' +
      'thin: worst to best cell.'),
    h('div', { class: 'scroll' }, chart(bars, { height: 372, minWidth: 460,
      label: 'Bars: speed-up of each strategy over the global heap' }).element));
}

/** The best strategy and all that cannot be told apart from it; the global heap takes part. */
function leaders(dataset, heap, structure) {
  const local = ranking(dataset, heap, [structure]);
  if (local.length === 0) return undefined;
  const global = { ...globalHeap, mean: { value: 1, low: 1, high: 1 } };
  const [best, ...others] = [...local, global].sort((a, b) => b.mean.value - a.mean.value);
  return { best, peers: others.filter(({ mean }) => mean.high >= best.mean.low) };
}

function bestCard(dataset) {
  const rows = dataset.structures.map((structure) => ({ structure,
    leaders: dataset.heaps.map((heap) => leaders(dataset, heap, structure)) }));
  const columns = [
    { title: 'Structure', cell: ({ structure }) =>
      [h('strong', {}, structure.id), ' ', h('code', {}, structure.type)] },
    ...dataset.heaps.flatMap((heap, i) => [
      { title: heapName(heap), cell: (row) => {
        const found = row.leaders[i];
        if (!found) return '–';
        const ties = found.peers.map(({ strategy }) => strategy);
        return [h('strong', {}, found.best.strategy), ties.length > 0 &&
          h('span', { class: 'ties', title: `Not distinguishable from it: ${ties.join(', ')}` },
            ` ≈ ${ties.length > 1 ? `${ties.length} others` : ties[0]}`)];
      } },
      { title: '× AS1', numeric: true, cell: (row) => {
        const mean = row.leaders[i]?.best.mean;
        return mean ? h('span', { title: interval(mean) }, times(mean.value)) : '–';
      } }]),
  ];
  const csv = () => [['structure', 'type', 'heap', 'best', 'speedup', 'low', 'high',
    'not_distinguishable'], ...rows.flatMap(({ structure, leaders: all }) =>
    all.flatMap((found, i) => (found ? [[structure.id, structure.type, dataset.heaps[i],
      found.best.strategy, found.best.mean.value, found.best.mean.low, found.best.mean.high,
      found.peers.map(({ strategy }) => strategy).join(' ')]] : [])))];
  return h('div', { class: 'card' },
    h('div', { class: 'card-head' }, h('h3', {}, 'Best strategy for each structure'),
      csvButton(csv, 'the best strategies')),
    table(columns, rows, { caption: 'Best strategy for each structure', className: 'compact' }));
}

export const structures = (dataset) => {
  const { bench } = dataset.structureRun;
  return section(bench, benchTitle(bench), pageOf(bench).section?.text,
    h('div', { class: 'pair' }, speedUpCard(dataset), bestCard(dataset)));
};
