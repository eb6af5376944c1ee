// The first screen: what came out, beside where and how it was measured.

import { strategyBars } from '../bars.js';
import { chart } from '../chart.js';
import { contenderName, globalHeap } from '../data.js';
import { h } from '../dom.js';
import { count, interval, times } from '../format.js';
import { describeStrategy, heapName, peerName } from '../names.js';
import { csvButton, table } from '../table.js';
import { facts } from './facts.js';
import { section } from './section.js';

/** Our own contenders, or another library's when only that one was measured. */
const home = (dataset) => (dataset.peers.includes('mallard') ? 'mallard' : dataset.peers[0]);

/** Local strategies (all but the global heap's) of one library with their means, best first. */
function ranking(dataset, heap, structures) {
  return dataset.contenders
    .filter(({ strategy, peer }) => peer === home(dataset) && !['AS1', 'AS2'].includes(strategy))
    .map((one) => ({ ...one, mean: dataset.meanSpeedUp(one, heap, { structures }) }))
    .filter(({ mean }) => mean)
    .sort((a, b) => b.mean.value - a.mean.value);
}

const strategyText = (dataset, id) =>
  describeStrategy(dataset.strategies.find((one) => one.id === id));

/** "On a clean heap AS4 (…) is fastest: 1.9× the speed of the global heap; …" */
function sentence(dataset, heap) {
  const ranked = ranking(dataset, heap);
  if (ranked.length === 0) return [];
  const [best] = ranked;
  const recycling = ranked.find(({ strategy }) =>
    dataset.strategies.find(({ id }) => id === strategy).allocator !== 'monotonic');
  const naming = ({ strategy }) =>
    [h('strong', {}, strategy), ` (${strategyText(dataset, strategy)})`];
  return [`On ${heap === 'aged' ? 'an' : 'a'} ${heap} heap `, naming(best), ' is fastest: ',
    h('strong', {}, times(best.mean.value)), ' the speed of the global heap',
    recycling && recycling !== best ? ['; of those that reuse freed memory ', naming(recycling),
      ': ', h('strong', {}, times(recycling.mean.value))] : [], '. '];
}

/** For each heap the best strategy, and the best of those that can use freed memory again. */
function verdict(dataset) {
  const sentences = dataset.heaps.flatMap((heap) => sentence(dataset, heap));
  return h('p', { class: 'verdict' }, sentences.length > 0 ? sentences
    : 'No local strategy was measured beside the global heap.');
}

function tile(title, figures, tone = '') {
  return h('div', { class: `tile ${tone}` }, h('span', { class: 'tile-title' }, title),
    h('div', { class: 'tile-figures' }, figures.map(([value, detail]) =>
      h('div', {}, h('strong', {}, value), h('span', {}, detail)))));
}

/** Mean speed-up of one contender over another under each heap, as one tile. */
function meanTile(dataset, title, contender, over) {
  const means = dataset.heaps
    .map((heap) => [heap, dataset.meanSpeedUp(contender, heap, { over })])
    .filter(([, mean]) => mean);
  if (means.length === 0) return null;
  return tile(title, means.map(([heap, mean]) =>
    [times(mean.value), `${heap}, ${interval(mean)}`]));
}

function tiles(dataset) {
  const ours = home(dataset);
  const multipool = { strategy: 'AS7', peer: ours };
  const rivals = dataset.peers.filter((peer) => peer !== ours);
  const verdicts = (result) => dataset.claims.filter((one) => one.verdict === result).length;
  return h('div', { class: 'tiles' },
    meanTile(dataset, 'Multipool (AS7) over the global heap', multipool, globalHeap),
    meanTile(dataset, 'Monotonic (AS3) over the global heap',
      { strategy: 'AS3', peer: ours }, globalHeap),
    rivals.map((peer) => meanTile(dataset, `Our multipool (AS7) over ${peerName(peer)}’s`,
      multipool, { strategy: 'AS7', peer })),
    dataset.claims.length > 0 && tile('Claims of the paper, on this machine',
      ['holds', 'fails', 'undecided'].map((result) => [count(verdicts(result)), result])),
    tile('Cells', [[count(dataset.cells.length - dataset.failed), 'measured'],
      ...(dataset.failed ? [[count(dataset.failed), 'failed, marked ✕']] : []),
      ...(dataset.missing ? [[count(dataset.missing), 'not measured']] : [])],
    dataset.failed ? 'warn' : ''));
}

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

export function findings(dataset, model) {
  return section('top', 'Would a local allocator help here?', null,
    h('div', { class: 'hero' },
      h('div', { class: 'hero-main' }, verdict(dataset), tiles(dataset)), facts(dataset)),
    model.notes.length > 0 && h('div', { class: 'notes', role: 'note' },
      model.notes.map((text) => h('p', {}, text))),
    h('div', { class: 'pair' }, speedUpCard(dataset), bestCard(dataset)));
}
