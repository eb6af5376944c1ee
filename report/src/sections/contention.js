// Benchmark IV: threads that do nothing but allocate and free.

import { chart, disposeCharts } from '../chart.js';
import { checkbox, choice, dropdown, h } from '../dom.js';
import { duration, plainPowers } from '../format.js';
import { lineChart } from '../lines.js';
import { csvOfCell, seriesCard } from '../measures.js';
import { heapOptions, peerName } from '../names.js';
import { percentagePanes } from '../percentages.js';
import { publishedPercentages } from '../published.js';
import { columnName, figureOf } from '../series.js';
import { csvButton } from '../table.js';
import { fill, section } from './section.js';

const forms = {
  own: ['An allocator for each thread', 'Each thread has a local allocator of its own; AS1 and AS2 ' +
    'are one heap for all.'],
  shared: ['One allocator for all threads', 'All threads allocate from one object: the global heap ' +
    '(AS1), a synchronized multipool (sync), or a multipool behind a mutex.'],
  handoff: ['Handed over', 'One thread allocates, another frees.'],
};

/** The table of the paper, measured beside published. */
function tableCard(series, model) {
  const show = { peer: series.peers[0], heap: series.heaps[0], whole: false };
  const body = h('div', { class: 'panes stacked' });
  const redraw = () => {
    const own = ({ at, heap }) => at.form === 'own' && heap === show.heap;
    fill(body, percentagePanes({
      series, heap: show.heap, whole: show.whole, what: 'contention',
      coordinates: ['iterations', 'block', 'threads'],
      places: series.places(own, 'iterations', 'block', 'threads'),
      columns: series.columnsOf(show.peer ? [show.peer] : [], own),
      heads: ['Iterations', 'Block', 'Threads'], published: publishedPercentages(model, 'contention'),
      titles: [`Measured: ${peerName(show.peer ?? 'global')}, one for each thread`,
        'Published: P0089R1'] }));
  };
  const set = (name) => (value) => { show[name] = value; redraw(); };
  redraw();
  return h('div', { class: 'card' },
    h('div', { class: 'controls' },
      choice('Library', series.peers.map((peer) => [peer, peerName(peer)]), show.peer, set('peer'),
        { id: 'contention-peer' }),
      choice('Heap', heapOptions(series), show.heap, set('heap')),
      checkbox('Whole published table', show.whole, set('whole'))),
    body);
}

/** Time by number of threads, a line for each strategy. */
function threadsCard(series) {
  const [form] = Object.keys(forms).filter((one) => one !== 'own' &&
    series.values('form').includes(one)).concat(series.values('form'));
  const sizesOf = (wanted) => series.places(({ at }) => at.form === wanted, 'iterations', 'block')
    .map(({ iterations, block }) => `${iterations},${block}`)
    .filter((one, i, all) => all.indexOf(one) === i);
  const show = { form, size: sizesOf(form).at(-1), heap: series.heaps[0] };
  const body = h('div', {});
  const lists = h('div', { class: 'versus' });
  const cellsOf = (column) => {
    const [iterations, block] = show.size.split(',').map(Number);
    return series.values('threads', ({ at }) => at.form === show.form).map((threads) =>
      series.find({ iterations, block, threads, form: show.form }, column, show.heap));
  };
  const columns = () => series.columnsOf(series.peers)
    .filter((one) => cellsOf(one).some(Boolean));
  const redraw = () => {
    disposeCharts(body);
    const positions = series.values('threads', ({ at }) => at.form === show.form).map(String);
    const lines = columns().map((column) => ({ name: columnName(column, series.home),
      points: cellsOf(column).flatMap((cell, x) => {
        const time = figureOf(cell, 'time');
        return time ? [{ x, value: time.median, low: time.ci_low, high: time.ci_high,
          card: () => seriesCard(cell) }] : [];
      }) })).filter(({ points }) => points.length > 0);
    fill(body, h('p', { class: 'hint' }, forms[show.form]?.[1] ?? ''), lines.length === 0
      ? h('p', { class: 'hint empty' }, 'Nothing was measured.')
      : h('div', { class: 'scroll' }, chart(lineChart({ positions, series: lines, xName: 'Threads',
        write: duration }), { height: 380, minWidth: 460,
        label: 'Lines: time by number of threads' }).element));
  };
  const relist = () => fill(lists, dropdown('Iterations per thread and block',
    sizesOf(show.form).map((one) => [one, one.split(',').map((n, i) =>
      plainPowers(`2^${n} ${i ? 'bytes' : 'times'}`)).join(', ')]), show.size,
    (value) => { show.size = value; redraw(); }, { id: 'threads-size' }));
  const csv = () => [['form', 'iterations', 'block', 'threads', 'strategy', 'peer', 'malloc', 'heap',
    'time', 'low', 'high', 'unit'],
  ...columns().flatMap((column) => cellsOf(column).filter(Boolean).map((cell) =>
    [cell.at.form, cell.at.iterations, cell.at.block, cell.at.threads, column.strategy, column.peer,
      column.malloc, cell.heap, ...csvOfCell(cell, 'time')]))];
  relist();
  redraw();
  return h('div', { class: 'card' },
    h('div', { class: 'card-head' }, h('h3', {}, 'Time by number of threads'),
      csvButton(csv, 'times by threads')),
    h('div', { class: 'controls' },
      choice('Allocators', series.values('form').map((one) => [one, forms[one]?.[0] ?? one]),
        show.form, (value) => {
          show.form = value;
          if (!sizesOf(value).includes(show.size)) show.size = sizesOf(value).at(-1);
          relist();
          redraw();
        }, { id: 'threads-form' }),
      choice('Heap', heapOptions(series), show.heap, (value) => { show.heap = value; redraw(); }),
      lists),
    body);
}

export function contention(dataset, model) {
  const series = dataset.series.contention;
  return section('contention', 'Contention: many threads at once',
    'Benchmark IV: each thread allocates a block, writes its first byte and frees it, again and ' +
    'again. AS1 in seconds, the others in percent of it, as the paper prints them. The original’s ' +
    'calls by abstract base were bound statically; those measured here are virtual. Where there are ' +
    'more threads than cores, they wait for each other whatever the allocator.',
    h('div', { class: 'maps' }, series.values('form').includes('own') && tableCard(series, model),
      threadsCard(series)));
}
