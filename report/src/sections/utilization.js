// Benchmark III: memory that is freed and allocated again and again.

import { checkbox, choice, h } from '../dom.js';
import { heapOptions, peerName } from '../names.js';
import { percentagePanes } from '../percentages.js';
import { publishedPercentages } from '../published.js';
import { fill, section } from './section.js';

export function utilization(dataset, model) {
  const series = dataset.series.utilization;
  const show = { peer: series.peers[0], heap: series.heaps[0], whole: false };
  const coordinates = ['total', 'active', 'block'];
  const body = h('div', { class: 'panes stacked' });
  const redraw = () => fill(body, percentagePanes({
    series, heap: show.heap, whole: show.whole, coordinates, what: 'utilization',
    places: series.places(({ heap }) => heap === show.heap, 'total', 'active', 'block'),
    columns: series.columnsOf(show.peer ? [show.peer] : []),
    heads: ['Total', 'Active', 'Block'], published: publishedPercentages(model, 'utilization'),
    titles: [`Measured: ${peerName(show.peer ?? 'global')}`, 'Published: P0089R1'] }));
  const set = (name) => (value) => { show[name] = value; redraw(); };
  redraw();
  return section('utilization', 'Utilization: the same memory again and again',
    'Benchmark III: “total” bytes are allocated in blocks, of which no more than “active” bytes are ' +
    'in use at any time; the oldest block is freed before the next is allocated. AS1 in seconds, ' +
    'the others in percent of it, as the paper prints them: below 100 is faster. The paper’s ' +
    'failures come from an address space limited to 5 GB.',
    h('div', { class: 'card' },
      h('div', { class: 'controls' },
        choice('Library', series.peers.map((peer) => [peer, peerName(peer)]), show.peer, set('peer'),
          { id: 'utilization-peer' }),
        choice('Heap', heapOptions(series), show.heap, set('heap')),
        checkbox('Whole published table', show.whole, set('whole'))),
      body));
}
