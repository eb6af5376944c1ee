// False sharing: counters and objects of different threads on one cache line, or not.

import { chart, disposeCharts } from '../chart.js';
import { choice, h } from '../dom.js';
import { figureTable } from '../figures.js';
import { duration } from '../format.js';
import { lineChart } from '../lines.js';
import { csvOfCell, seriesCard } from '../measures.js';
import { heapOptions, peerName } from '../names.js';
import { tableScale } from '../palette.js';
import { columnName, figureOf } from '../series.js';
import { csvButton } from '../table.js';
import { fill, section } from './section.js';

export function sharing(dataset) {
  const series = dataset.series['false-sharing'];
  const show = { heap: series.heaps[0], peer: series.peers[0] };
  const threads = series.values('threads');
  const body = h('div', { class: 'maps' });
  /** One row or line for each form and strategy. */
  const rows = () => series.values('form').flatMap((form) =>
    series.columnsOf(show.peer ? [show.peer] : []).map((column) => ({
      name: `${form}, ${columnName(column, series.home)}`, form, column,
      cells: threads.map((n) => series.find({ form, threads: n }, column, show.heap)) })))
    .filter(({ cells }) => cells.some(Boolean));
  const csv = () => [['form', 'threads', 'strategy', 'peer', 'malloc', 'heap', 'time', 'low', 'high',
    'unit'], ...rows().flatMap(({ form, column, cells }) => cells.filter(Boolean).map((cell) =>
    [form, cell.at.threads, column.strategy, column.peer, column.malloc, cell.heap,
      ...csvOfCell(cell, 'time')]))];
  const redraw = () => {
    disposeCharts(body);
    const lines = rows().map(({ name, cells }) => ({ name, points: cells.flatMap((cell, x) => {
      const time = figureOf(cell, 'time');
      return time ? [{ x, value: time.median, low: time.ci_low, high: time.ci_high,
        card: () => seriesCard(cell) }] : [];
    }) })).filter(({ points }) => points.length > 0);
    const scale = tableScale(lines.flatMap(({ points }) => points.map(({ value }) => value)), false);
    fill(body,
      lines.length > 0 && h('div', { class: 'scroll' }, chart(lineChart({
        positions: threads.map(String), series: lines, xName: 'Threads', write: duration }),
      { height: 380, minWidth: 460, label: 'Lines: time by number of threads and form' }).element),
      figureTable({ heads: ['Form and strategy'], caption: 'False sharing, measured',
        columns: threads.map((n) => (n === 1 ? '1 thread' : `${n} threads`)),
        rows: rows().map(({ name, cells }) => ({ labels: [name], figures: cells.map((cell) => {
          if (!cell) return null;
          if (cell.status !== 'ok') {
            return { text: 'failed', failed: true, card: () => seriesCard(cell) };
          }
          const { median } = figureOf(cell, 'time');
          return { text: duration(median), t: scale.at(median), card: () => seriesCard(cell) };
        }) })) }));
  };
  redraw();
  return section('sharing', 'False sharing: neighbours of different threads',
    'The same number of increments in all, divided among the threads: with as many cores, twice the ' +
    'threads should take half the time. Where counters of different threads lie on one cache line ' +
    'they do not. An arena for each thread keeps them apart.',
    h('div', { class: 'card' },
      h('div', { class: 'controls' },
        choice('Library', series.peers.map((peer) => [peer, peerName(peer)]), show.peer,
          (peer) => { show.peer = peer; redraw(); }, { id: 'sharing-peer' }),
        choice('Heap', heapOptions(series), show.heap, (heap) => { show.heap = heap; redraw(); }),
        csvButton(csv, 'false sharing')),
      body));
}
