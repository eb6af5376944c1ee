// Each statement of the paper's Benchmark I with its verdict on this machine.

import { choice, h } from '../dom.js';
import { csvButton, table } from '../table.js';
import { heapName } from '../tooltip.js';
import { fill, section } from './section.js';

const verdicts = [['holds', '✓'], ['fails', '✕'], ['undecided', '?']];

const badge = (verdict) => h('span', { class: `badge ${verdict}` },
  h('span', { 'aria-hidden': 'true' }, verdicts.find(([name]) => name === verdict)?.[1] ?? ''),
  ` ${verdict}`);

const columns = [
  { title: 'Verdict', cell: ({ verdict }) => badge(verdict) },
  { title: 'Statement', cell: ({ statement, note }) =>
    [statement, note && h('p', { class: 'hint' }, note)] },
  { title: 'Section', cell: ({ section: number, id }) =>
    h('span', { title: `claim ${id}` }, `§ ${number}`) },
  { title: 'Condition', cell: ({ heap }) => heapName(heap) },
  { title: 'What was measured', cell: ({ figures }) => figures },
];

export function claims(dataset) {
  const show = { verdict: 'all', heap: 'all' };
  const chosen = () => dataset.claims.filter(({ verdict, heap }) =>
    (show.verdict === 'all' || verdict === show.verdict) &&
    (show.heap === 'all' || heap === show.heap));
  const body = h('div', {});
  const redraw = () => fill(body, chosen().length > 0
    ? table(columns, chosen(), { caption: 'Claims and verdicts', className: 'claims' })
    : h('p', { class: 'hint empty' }, 'No claim matches this filter.'));
  const number = (verdict) => dataset.claims.filter((one) => one.verdict === verdict).length;
  redraw();
  return section('claims', 'The paper’s claims, on this machine',
    'Each statement of P0089R1, section 7, checked against the cells measured here. Undecided ' +
    'means that the intervals overlap or that a cell it needs is missing.',
    h('div', { class: 'card' },
      h('div', { class: 'controls' },
        choice('Verdict', [['all', `All ${dataset.claims.length}`],
          ...verdicts.map(([name, sign]) => [name, `${sign} ${number(name)} ${name}`])],
        show.verdict, (value) => { show.verdict = value; redraw(); }),
        dataset.heaps.length > 1 && choice('Heap', [['all', 'Both'],
          ...dataset.heaps.map((heap) => [heap, heapName(heap)])],
        show.heap, (value) => { show.heap = value; redraw(); }),
        csvButton(() => [['id', 'section', 'heap', 'verdict', 'statement', 'figures', 'note'],
          ...chosen().map((one) => [one.id, one.section, one.heap, one.verdict, one.statement,
            one.figures, one.note])], 'the claims')),
      body));
}
