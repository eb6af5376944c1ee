// Each statement of the documents with its verdict on this machine, heap by heap.

import { choice, dropdown, h, withPowers } from '../dom.js';
import { benchName, heapName, peerName } from '../names.js';
import { csvButton, table } from '../table.js';
import { fill, section } from './section.js';

const signs = { holds: '✓', fails: '✕', undecided: '?' };

const badge = (verdict) => h('span', { class: `badge ${verdict}` },
  h('span', { 'aria-hidden': 'true' }, signs[verdict]), ` ${verdict}`);

const isLibrary = (variant) => variant === 'mallard' || variant === 'boost';
const variantText = (variant) => (isLibrary(variant) ? ` (with ${peerName(variant)})`
  : ` (variant “${variant}”)`);

/** One row per statement and variant: {id, section, …, byHeap: Map of heap to verdict}. */
function statements(judged) {
  const rows = new Map();
  for (const one of judged) {
    const key = `${one.id}|${one.variant}`;
    if (!rows.has(key)) rows.set(key, { ...one, byHeap: new Map() });
    rows.get(key).byHeap.set(one.heap, one);
  }
  return [...rows.values()];
}

/** `named`(bench): whether it comes in several variants, so that each has to be told. */
const statementColumns = (named) => [
  { title: 'Claim', cell: ({ id, source, section: place }) =>
    [h('strong', {}, id), h('p', { class: 'hint' }, source === 'P0089R1' ? `§ ${place}`
      : `${source}, ${place}`)] },
  { title: 'Statement', cell: ({ statement, note, variant, bench }) =>
    [withPowers(statement), variant && (isLibrary(variant) || named(bench)) &&
      h('span', { class: 'ties' }, variantText(variant)),
      note && h('p', { class: 'hint' }, withPowers(note))] },
];

const heapColumn = (heap) => ({
  title: heapName(heap),
  cell: ({ byHeap }) => {
    const one = byHeap.get(heap);
    return one ? [badge(one.verdict), h('p', { class: 'hint' }, withPowers(one.figures))] : '–';
  },
});

/** Counts the statements of each bench that hold, fail or are undecided, once for each heap. */
function tally(judged) {
  const benches = [...new Set(judged.map(({ bench }) => bench))];
  const number = (bench, verdict) =>
    judged.filter((one) => one.bench === bench && one.verdict === verdict).length;
  return table([{ title: 'Benchmark', cell: benchName },
    ...Object.entries(signs).map(([verdict, sign]) => ({ title: `${sign} ${verdict}`, numeric: true,
      cell: (bench) => String(number(bench, verdict)) }))],
  benches, { caption: 'Verdicts by benchmark', className: 'compact tally' });
}

/** Statements and their verdicts in a section of their own. */
function judgement(id, judged, title, hint) {
  const show = { verdict: 'all', heap: 'all', bench: '*' };
  const everywhere = ['clean', 'aged'].filter((heap) =>
    judged.some((one) => one.heap === heap));
  const benches = [...new Set(judged.map(({ bench }) => bench))];
  const named = (wanted) => new Set(judged.filter(({ bench }) => bench === wanted)
    .map(({ variant }) => variant).filter(Boolean)).size > 1;
  // A column only for heaps that the chosen benchmark was measured on.
  const heaps = () => (show.heap === 'all' ? everywhere : [show.heap]).filter((heap) =>
    show.bench === '*' || judged.some((one) => one.bench === show.bench &&
      one.heap === heap));
  const matches = ({ byHeap, bench }) => (show.bench === '*' || bench === show.bench) &&
    heaps().some((heap) => byHeap.has(heap) &&
      (show.verdict === 'all' || byHeap.get(heap).verdict === show.verdict));
  const chooseBench = benches.length > 7 ? dropdown : choice;
  const rows = () => statements(judged).filter(matches);
  const csv = () => [['id', 'source', 'section', 'bench', 'variant', 'heap', 'verdict', 'statement',
    'figures', 'note'],
  ...rows().flatMap(({ byHeap }) => heaps().flatMap((heap) => byHeap.get(heap) ?? []))
    .map((one) => [one.id, one.source, one.section, one.bench, one.variant, one.heap, one.verdict,
      one.statement, one.figures, one.note])];
  const body = h('div', { class: 'claims-frame' });
  const redraw = () => fill(body, rows().length > 0
    ? table([...statementColumns(named), ...heaps().map(heapColumn)], rows(),
      { caption: 'Claims and verdicts', className: 'claims' })
    : h('p', { class: 'hint empty' }, 'No claim matches this filter.'));
  const set = (name) => (value) => { show[name] = value; redraw(); };
  redraw();
  return section(id, title, hint,
    h('div', { class: 'card' },
      benches.length > 1 && tally(judged),
      h('div', { class: 'controls' },
        choice('Verdict', [['all', 'All'],
          ...Object.entries(signs).map(([verdict, sign]) => [verdict, `${sign} ${verdict}`])],
        show.verdict, set('verdict')),
        chooseBench('Benchmark', [['*', 'All'], ...benches.map((one) => [one, benchName(one)])]
          .filter((one, i, all) => all.length > 2 || i > 1), show.bench, set('bench'),
        { id: `${id}-bench` }),
        choice('Heap', [['all', 'Both'], ...everywhere.map((heap) => [heap, heapName(heap)])]
          .filter((one, i, all) => all.length > 2 || i > 1), show.heap, set('heap')),
        csvButton(csv, `the ${id}`)),
      body));
}

export const claims = (dataset) => judgement('claims', dataset.claims,
  'The documents’ claims, on this machine',
  'Each statement of P0089R1, of its slides and of the talk, of Gaztañaga’s article and of the ' +
  'chapter on mallocs in Zulfiqar’s thesis, checked against the cells measured ' +
  'here. Undecided means that the intervals overlap, or that a cell that the statement needs is missing.');
