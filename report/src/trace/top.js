// The functions by what they allocate, with the usual orders to choose from.

import { dropdown, h } from '../dom.js';
import { fill, section } from '../sections/section.js';
import { csvButton, table } from '../table.js';
import { functionName, weights } from './names.js';

const orders = ['bytes', 'operations', 'peak', 'leaked', 'temporary'];
const most = 40;

export function top({ top: all }) {
  const state = { by: 'bytes' };
  const body = h('div', {});
  const columns = [
    { title: 'Function', cell: (one) => [functionName(one.function, 80),
      one.where ? h('p', { class: 'hint' }, one.where) : ''] },
    ...orders.map((order) => ({ title: weights[order].name, numeric: true,
      cell: (one) => weights[order].write(one[order]) })),
  ];
  const sorted = () => [...all].sort((a, b) => b[state.by] - a[state.by]);
  const redraw = () => fill(body, table(columns, sorted().filter((one) => one[state.by] > 0).slice(0, most),
    { caption: `Functions by ${weights[state.by].name.toLowerCase()}`, className: 'compact' }));
  const csv = () => [['function', 'where', ...orders],
    ...sorted().map((one) => [one.function, one.where, ...orders.map((order) => one[order])])];
  redraw();
  return section('functions', 'Functions',
    'The function nearest to the allocation that is the program’s own, and what it allocates.',
    h('article', { class: 'card' },
      h('div', { class: 'controls' },
        dropdown('By', orders.map((order) => [order, weights[order].name]), state.by,
          (value) => { state.by = value; redraw(); }, { id: 'functions-by' }), csvButton(csv, 'the functions')),
      body));
}
