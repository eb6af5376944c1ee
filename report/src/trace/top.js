// The functions by what they allocate, with the usual orders to choose from, and who calls each of them.

import { dropdown, h } from '../dom.js';
import { fill, section } from '../sections/section.js';
import { csvButton, table } from '../table.js';
import { CallersPanel } from './callers.js';
import { isSummedUp } from './flame_tree.js';
import { functionName, weights } from './names.js';
import { flameOf, onRange, range } from './range.js';

const orders = ['peak_bytes', 'bytes', 'operations', 'live_bytes', 'temporary'];
const most = 40;

/** Places of the whole recording as `mallard top` lists them; of a part of its time, as the flame graph's nodes. */
function placesOf(model) {
  if (!range()) return model.top;
  const flame = flameOf(model);
  const places = new Map(model.top.map(({ function: name, where }) => [name, { function: name, where }]));
  const known = orders.filter((order) => flame[order]);
  const sums = new Map();
  for (let at = 1; at < flame.parent.length; ++at) {
    const name = model.functions[flame.function[at]];
    if (!sums.has(name)) sums.set(name, { function: name, where: '', ...places.get(name) });
    const one = sums.get(name);
    for (const order of known) one[order] = (one[order] ?? 0) + flame[order][at];
  }
  return [...sums.values()];
}

export function top(model) {
  const panel = new CallersPanel(model);
  const hasStacks = model.flame.parent.length > 1;
  const state = { by: orders.find((order) => model.top.some((one) => one[order] > 0)) ?? 'bytes' };
  const body = h('div', {});
  const inFlame = new Set(model.flame.function.map((at) => model.functions[at]));
  const columns = [
    { title: 'Function', cell: (one) => [inFlame.has(one.function) ? panel.link(one.function)
      : functionName(one.function, 80),
      one.where ? h('p', { class: 'hint' }, one.where) : ''] },
    ...orders.map((order) => ({ title: weights[order].name, numeric: true,
      cell: (one) => (one[order] === undefined ? '–' : weights[order].write(one[order])) })),
  ];
  // Of a part it is not known which blocks were temporary.
  const by = () => (state.by === 'temporary' && range() ? 'bytes' : state.by);
  const sorted = () => [...placesOf(model)].sort((a, b) => b[by()] - a[by()]);
  const redraw = () => {
    const weight = by();
    const rows = sorted().filter((one) => one[weight] > 0).slice(0, most);
    fill(body, range() && isSummedUp(model) ? h('p', { class: 'hint part' }, 'Of a part of the time, these ' +
      'are sums over the flame graph’s boxes. Light ones are summed up as “(others)”, so each may be more.') : '',
    table(columns, rows,
      { caption: `Functions by ${weights[weight].name.toLowerCase()}`, className: 'compact' }));
    if (hasStacks) panel.show(panel.name ?? rows.find((one) => inFlame.has(one.function))?.function, weight);
  };
  const csv = () => [['function', 'where', ...orders],
    ...sorted().map((one) => [one.function, one.where, ...orders.map((order) => one[order])])];
  redraw();
  onRange(redraw);
  return section('functions', 'Functions',
    'The program’s own function nearest to each allocation, and what it allocates. Choose one to see its callers ' +
    'and callees.',
    h('article', { class: 'card' },
      h('div', { class: 'controls' },
        dropdown('By', orders.map((order) => [order, weights[order].name]), state.by,
          (value) => { state.by = value; redraw(); }, { id: 'functions-by' }), csvButton(csv, 'the functions')),
      body),
    hasStacks && h('article', { class: 'card after' }, panel.element));
}
