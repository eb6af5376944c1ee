// Lines of every kind of work and every strategy of a library side by side.

import { chart, disposeCharts } from '../chart.js';
import { choice, h } from '../dom.js';
import { figureTable } from '../figures.js';
import { lineChart } from '../lines.js';
import { csvOfCell, seriesCard, writeFigure } from '../measures.js';
import { benchName, capitalised, heapOptions, mainMeasure, measureName, moreIsBetter, peerName }
  from '../names.js';
import { tableScale } from '../palette.js';
import { columnName, figureOf } from '../series.js';
import { csvButton } from '../table.js';
import { fill } from './section.js';

export function kinds(series, { along, kinds: kind, xName = along, measures = [] }) {
  const [measure = mainMeasure(series.bench)] = measures;
  const what = benchName(series.bench);
  const unit = series.cells.map((cell) => figureOf(cell, measure)).find(Boolean)?.unit;
  const write = (value) => writeFigure(value, unit);
  const show = { heap: series.heaps[0], peer: series.peers[0] };
  const positions = series.values(along);
  const body = h('div', { class: 'maps' });
  /** One row or line for each kind and strategy. */
  const rows = () => series.values(kind).flatMap((one) =>
    series.columnsOf(show.peer ? [show.peer] : []).map((column) => ({
      name: `${one}, ${columnName(column, series.home)}`, one, column,
      cells: positions.map((value) =>
        series.find({ [kind]: one, [along]: value }, column, show.heap)) })))
    .filter(({ cells }) => cells.some(Boolean));
  const csv = () => [[kind, along, 'strategy', 'peer', 'malloc', 'heap', measure, 'low', 'high',
    'unit'], ...rows().flatMap(({ one, column, cells }) => cells.filter(Boolean).map((cell) =>
    [one, cell.at[along], column.strategy, column.peer, column.malloc, cell.heap,
      ...csvOfCell(cell, measure)]))];
  const redraw = () => {
    disposeCharts(body);
    const lines = rows().map(({ name, cells }) => ({ name, points: cells.flatMap((cell, x) => {
      const found = figureOf(cell, measure);
      return found ? [{ x, value: found.median, low: found.ci_low, high: found.ci_high,
        card: () => seriesCard(cell, measure) }] : [];
    }) })).filter(({ points }) => points.length > 0);
    const scale = tableScale(lines.flatMap(({ points }) => points.map(({ value }) => value)),
      moreIsBetter(series.bench, measure));
    fill(body,
      lines.length > 0 && h('div', { class: 'scroll' }, chart(lineChart({
        positions: positions.map(String), series: lines, xName, write }),
      { height: 380, minWidth: 460,
        label: `Lines: ${measureName(measure, series.bench)} by ${along} and ${kind}` }).element),
      figureTable({ heads: [`${capitalised(kind)} and strategy`], caption: `${what}, measured`,
        columns: positions.map((value) => `${along} ${value}`),
        rows: rows().map(({ name, cells }) => ({ labels: [name], figures: cells.map((cell) => {
          if (!cell) return null;
          if (cell.status !== 'ok') {
            return { text: 'failed', failed: true, card: () => seriesCard(cell) };
          }
          const found = figureOf(cell, measure);
          return found ? { text: write(found.median), t: scale.at(found.median),
            card: () => seriesCard(cell, measure) } : null;
        }) })) }));
  };
  redraw();
  return h('div', { class: 'card' },
    h('div', { class: 'controls' },
      choice('Library', series.peers.map((peer) => [peer, peerName(peer)]), show.peer,
        (peer) => { show.peer = peer; redraw(); }, { id: `${series.bench}-peer` }),
      choice('Heap', heapOptions(series), show.heap, (heap) => { show.heap = heap; redraw(); }),
      csvButton(csv, what.toLowerCase())),
    body);
}
