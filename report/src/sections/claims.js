// Each statement of the paper's Benchmark I with its verdict on this machine, heap by heap.

import { choice, h, withPowers } from '../dom.js';
import { heapName, heapOptions } from '../names.js';
import { csvButton, table } from '../table.js';
import { fill, section } from './section.js';

const signs = { holds: '✓', fails: '✕', undecided: '?' };

const badge = (verdict) => h('span', { class: `badge ${verdict}` },
  h('span', { 'aria-hidden': 'true' }, signs[verdict]), ` ${verdict}`);

/** One row per statement: {id, section, statement, note, byHeap: Map of heap to verdict}. */
function statements(judged) {
  const rows = new Map();
  for (const one of judged) {
    if (!rows.has(one.id)) rows.set(one.id, { ...one, byHeap: new Map() });
    rows.get(one.id).byHeap.set(one.heap, one);
  }
  return [...rows.values()];
}

const statementColumns = [
  { title: '§', cell: ({ section: number, id }) => h('span', { title: `claim ${id}` }, number) },
  { title: 'Statement', cell: ({ statement, note }) =>
    [withPowers(statement), note && h('p', { class: 'hint' }, withPowers(note))] },
];

const heapColumn = (heap) => ({
  title: heapName(heap),
  cell: ({ byHeap }) => {
    const one = byHeap.get(heap);
    return one ? [badge(one.verdict), h('p', { class: 'hint' }, one.figures)] : '–';
  },
});

export function claims(dataset) {
  const show = { verdict: 'all', heap: 'all' };
  const heaps = () => (show.heap === 'all' ? dataset.heaps : [show.heap]);
  const matches = ({ byHeap }) => show.verdict === 'all' ||
    heaps().some((heap) => byHeap.get(heap)?.verdict === show.verdict);
  const rows = () => statements(dataset.claims).filter(matches);
  const csv = () => [['id', 'section', 'heap', 'verdict', 'statement', 'figures', 'note'],
    ...rows().flatMap(({ byHeap }) => heaps().flatMap((heap) => byHeap.get(heap) ?? []))
      .map((one) => [one.id, one.section, one.heap, one.verdict, one.statement, one.figures,
        one.note])];
  const body = h('div', {});
  const redraw = () => fill(body, rows().length > 0
    ? table([...statementColumns, ...heaps().map(heapColumn)], rows(),
      { caption: 'Claims and verdicts', className: 'claims' })
    : h('p', { class: 'hint empty' }, 'No claim matches this filter.'));
  redraw();
  return section('claims', 'The paper’s claims, on this machine',
    'Each statement of P0089R1, section 7, checked against the cells measured here. Undecided ' +
    'means that the intervals overlap or that a cell it needs is missing.',
    h('div', { class: 'card' },
      h('div', { class: 'controls' },
        choice('Verdict', [['all', 'All'],
          ...Object.entries(signs).map(([verdict, sign]) => [verdict, `${sign} ${verdict}`])],
        show.verdict, (value) => { show.verdict = value; redraw(); }),
        dataset.heaps.length > 1 && choice('Heap', [['all', 'Both'], ...heapOptions(dataset)],
        show.heap, (value) => { show.heap = value; redraw(); }),
        csvButton(csv, 'the claims')),
      body));
}
