// The page of `mallard diff`: what grew from one recording to the other, and a flame graph of each.

import { shellCommand } from '../command.js';
import { choice, h } from '../dom.js';
import { bytes, count, significant } from '../format.js';
import { fill, section, showSections } from '../sections/section.js';
import { csvButton, table } from '../table.js';
import { colour } from '../theme.js';
import { FlameGraph } from './flame.js';
import { functionName, weights } from './names.js';

const sides = ['before', 'after'];
const order = 'the order of operations';
const totals = [['peak_bytes', 'At most live', bytes, 'the peak'], ['bytes', 'Bytes allocated', bytes],
  ['allocations', 'Allocations', count], ['reallocations', 'Reallocations', count, order],
  ['live_bytes', 'Live at the end', bytes], ['temporary', 'Temporary blocks', count, order]];
const allMeasures = [['peak', 'peak_bytes', 'the peak'], ['bytes', 'bytes'], ['operations', 'operations'],
  ['leaked', 'live_bytes'], ['temporary', 'temporary', order]];
const most = 40;

const signed = (value, write) => (value === 0 ? '0' : `${value > 0 ? '+' : '−'}${write(Math.abs(value))}`);
const tone = (value) => (value > 0 ? 'worse' : value < 0 ? 'better' : '');

/** Whether both recordings have all that the row names. */
const isKnown = (difference) => (row) =>
  !row.some((word) => sides.some((side) => difference[side].not_recorded.includes(word)));

function findings({ difference }) {
  const rows = totals.filter(isKnown(difference)).map(([name, title, write]) => {
    const [before, after] = sides.map((side) => difference[side].total[name]);
    return { title, before, after, write };
  });
  const columns = [{ title: '', cell: ({ title }) => title },
    ...sides.map((side) => ({ title: side === 'before' ? 'Before' : 'After', numeric: true,
      cell: (row) => row.write(row[side]) })),
    { title: 'Change', numeric: true, cell: ({ before, after, write }) =>
      h('span', { class: tone(after - before) }, signed(after - before, write)) },
    { title: '', numeric: true, cell: ({ before, after }) => (before > 0 && after !== before
      ? `${signed(100 * (after - before) / before, (value) => significant(value, 2))} %` : '') }];
  return section('top', 'What grew from one recording to the other?', null,
    h('article', { class: 'card' },
      sides.map((side) => h('p', { class: 'hint recorded' }, `${side === 'before' ? 'Before' : 'After'}: `,
        h('code', {}, difference[side].trace), ', ', h('code', {}, shellCommand(difference[side].command)))),
      table(columns, rows, { caption: 'Sums of both recordings', className: 'compact' })));
}

/** The weight of all frames of each function in a tree, its recursions once. */
function totalsOf(root) {
  const all = new Map();
  const walk = (node, above) => {
    const fresh = node.parent && !above.has(node.name);
    if (fresh) {
      all.set(node.name, (all.get(node.name) ?? 0) + node.total);
      above.add(node.name);
    }
    for (const child of node.sorted) walk(child, above);
    if (fresh) above.delete(node.name);
  };
  walk(root, new Set());
  return all;
}

/** Two graphs, coloured by how much a function's weight differs from the other recording's. */
function flames({ functions, flames: both }) {
  const sums = {};
  const tint = (node) => {
    if (!node.parent || !sums.before) return colour('sunken');
    const [before, after] = sides.map((side) => sums[side].get(node.name) ?? 0);
    const change = (after - before) / Math.max(before, after, 1);
    if (Math.abs(change) < 0.01) return colour('failed');
    const strength = Math.round(25 + 45 * Math.min(1, Math.abs(change)));
    return `color-mix(in srgb, ${colour(change > 0 ? 'line-8' : 'line-3')} ${strength}%, ${colour('raised')})`;
  };
  const graphs = Object.fromEntries(sides.map((side) => [side, new FlameGraph(functions, tint)]));
  const measured = Object.keys(weights).filter((weight) =>
    sides.some((side) => both[side][weight].some((value) => value > 0)));
  const state = { weight: measured[0] ?? 'bytes', inverted: false };
  const redraw = () => {
    for (const side of sides) graphs[side].show(both[side], state.weight, state.inverted);
    if (!state.inverted) for (const side of sides) sums[side] = totalsOf(graphs[side].root);
    for (const side of sides) graphs[side].draw();
  };
  const search = h('input', { type: 'search', id: 'flame-search', placeholder: 'Find a function', oninput: () => {
    for (const side of sides) {
      graphs[side].pattern = search.value.trim();
      graphs[side].draw();
    }
  } });
  redraw();
  return section('flame', 'Where it is allocated',
    'One graph for each recording, each as wide as its own sum. Red functions weigh more in the later one, blue ' +
    'ones less, grey ones the same.',
    h('article', { class: 'card' },
      h('div', { class: 'controls' },
        choice('Weight', measured.map((one) => [one, weights[one].name]), state.weight,
          (value) => { state.weight = value; redraw(); }, { id: 'flame-weight' }),
        choice('Direction', [['down', 'Callers first'], ['up', 'Allocating function first']], 'down',
          (value) => { state.inverted = value === 'up'; redraw(); }, { id: 'flame-direction' }),
        h('div', { class: 'dropdown' }, h('label', { for: 'flame-search' }, 'Search'), search)),
      h('div', { class: 'pair' }, sides.map((side) => h('div', {},
        h('h3', {}, side === 'before' ? 'Before' : 'After'),
        h('div', { class: 'flame-frame' }, graphs[side].canvas))))));
}

function places({ difference }) {
  const { places: all, by } = difference;
  const measures = allMeasures.filter(isKnown(difference));
  const state = { by: measures[0][0] };
  const body = h('div', {});
  const write = Object.fromEntries(measures.map(([word, weight]) => [word, weights[weight]]));
  const columns = [
    { title: by === 'line' ? 'Line' : 'Function', cell: (one) => [functionName(one.function, 80),
      one.file && h('p', { class: 'hint' }, `${one.file.slice(one.file.lastIndexOf('/') + 1)}:${one.line}`)] },
    ...measures.map(([word]) => ({ title: write[word].name, numeric: true, cell: ({ growth }) =>
      h('span', { class: tone(growth[word]) }, signed(growth[word], write[word].write)) }))];
  const sorted = () => [...all].sort((a, b) => Math.abs(b.growth[state.by]) - Math.abs(a.growth[state.by]));
  const redraw = () => {
    const changed = sorted().filter(({ growth }) => growth[state.by] !== 0).slice(0, most);
    fill(body, changed.length === 0 ? h('p', { class: 'hint' }, 'There is no difference by this measure.')
      : table(columns, changed,
        { caption: `Growth by ${write[state.by].name.toLowerCase()}`, className: 'compact' }));
  };
  const csv = () => [['function', 'file', 'line', ...measures.map(([word]) => word)],
    ...sorted().map((one) => [one.function, one.file, one.line, ...measures.map(([word]) => one.growth[word])])];
  redraw();
  return section('functions', by === 'line' ? 'Lines' : 'Functions',
    'The growth of each: + if it allocates more than before, − if less.',
    h('article', { class: 'card' },
      h('div', { class: 'controls' },
        choice('By', measures.map(([word]) => [word, write[word].name]), state.by,
          (value) => { state.by = value; redraw(); }, { id: 'functions-by' }), csvButton(csv, 'the differences')),
      body));
}

export function showDifference(model, main) {
  showSections(main, [['top', 'Sums', findings(model)], ['flame', 'Flame graphs', flames(model)],
    ['functions', 'Functions', places(model)]]);
  document.title = 'Mallard: what grew';
}
