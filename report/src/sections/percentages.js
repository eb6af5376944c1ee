// The tables of Benchmarks III and IV: what was measured beside what was published.

import { checkbox, choice, h } from '../dom.js';
import { benchName, capitalised, heapOptions, peerName } from '../names.js';
import { percentagePanes } from '../percentages.js';
import { publishedPercentages } from '../published.js';
import { fill } from './section.js';

export function percentages(series, { rows, where = {}, published, hint }, model) {
  const show = { peer: series.peers[0], heap: series.heaps[0], whole: false };
  const body = h('div', { class: 'panes stacked' });
  const wanted = ({ at, heap }) => heap === show.heap &&
    Object.entries(where).every(([name, value]) => at[name] === value);
  const redraw = () => fill(body, percentagePanes({
    series, heap: show.heap, whole: show.whole, what: benchName(series.bench).toLowerCase(),
    coordinates: rows, places: series.places(wanted, ...rows),
    columns: series.columnsOf(show.peer ? [show.peer] : [], wanted),
    heads: rows.map(capitalised), published: publishedPercentages(model, published, rows),
    titles: [`Measured: ${peerName(show.peer ?? 'global')}`, 'Published: P0089R1'] }));
  const set = (name) => (value) => { show[name] = value; redraw(); };
  redraw();
  return h('div', { class: 'card' },
    hint && h('p', { class: 'hint intro' }, hint),
    h('div', { class: 'controls' },
      choice('Library', series.peers.map((peer) => [peer, peerName(peer)]), show.peer, set('peer'),
        { id: `${series.bench}-peer` }),
      choice('Heap', heapOptions(series), show.heap, set('heap')),
      checkbox('Whole published table', show.whole, set('whole'))),
    body);
}
