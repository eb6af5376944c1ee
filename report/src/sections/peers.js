// The same strategy from different libraries.

import { strategyBars } from '../bars.js';
import { chart, disposeCharts } from '../chart.js';
import { choice, dropdown, h } from '../dom.js';
import { describeStrategy, heapOptions, peerName } from '../names.js';
import { csvButton } from '../table.js';
import { fill, section } from './section.js';

/** Bars of one library per series, over strategies (all structures) or over structures (one). */
function groupsOf(dataset, show) {
  if (show.strategy === 'all') {
    return dataset.strategies.filter(({ id }) => id !== 'AS1').map((one) => ({
      label: one.id, title: `${one.id} · ${describeStrategy(one)}`, strategy: one.id }));
  }
  return dataset.structures.map((one) => ({ label: one.id, title: `${one.id} · ${one.type}`,
    strategy: show.strategy, structures: [one] }));
}

export function peers(dataset) {
  const show = { heap: dataset.heaps[0], strategy: 'all' };
  const body = h('div', {});
  const meansOf = (peer) => groupsOf(dataset, show).map(({ strategy, structures }) =>
    dataset.meanSpeedUp({ strategy, peer }, show.heap, { structures }));
  const redraw = () => {
    disposeCharts(body);
    const groups = groupsOf(dataset, show);
    if (!dataset.peers.flatMap(meansOf).some(Boolean)) {
      fill(body, h('p', { class: 'hint empty' }, 'No strategy was measured beside AS1.'));
      return;
    }
    const option = strategyBars({
      categories: groups.map(({ label }) => label), titles: groups.map(({ title }) => title),
      series: dataset.peers.map((peer) =>
        ({ name: peerName(peer), tone: `peer-${peer}`, means: meansOf(peer) })),
    });
    fill(body, h('div', { class: 'scroll' }, chart(option, { height: 360, minWidth: 720,
      label: 'Bars: speed-up over the global heap by library' }).element));
  };
  const csv = () => [['heap', 'group', 'strategy', 'peer', 'speedup', 'low', 'high', 'cells'],
    ...dataset.peers.flatMap((peer) => meansOf(peer).flatMap((mean, at) => {
      const { label, strategy } = groupsOf(dataset, show)[at];
      return mean ? [[show.heap, label, strategy, peer, mean.value, mean.low, mean.high,
        mean.cells]] : [];
    }))];
  redraw();
  const strategies = [['all', 'All, in the geometric mean'], ...dataset.strategies
    .filter(({ id }) => id !== 'AS1').map((one) => [one.id, `${one.id}, by structure`])];
  return section('peers', 'The same strategy from each library',
    'Geometric mean of the speed-up over the global heap (AS1) under the same condition.',
    h('div', { class: 'card' },
      h('div', { class: 'controls' },
        dropdown('Strategy', strategies, show.strategy,
          (value) => { show.strategy = value; redraw(); }, { id: 'peers-strategy' }),
        choice('Heap', heapOptions(dataset), show.heap,
          (value) => { show.heap = value; redraw(); }, { id: 'peers-heap' }),
        csvButton(csv, 'the libraries')),
      body));
}
