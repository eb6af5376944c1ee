// The work of each thread over time: operations, and blocks of other threads that it frees.

import { choice, h } from '../dom.js';
import { figureTable } from '../figures.js';
import { count, duration, shortCount } from '../format.js';
import { fill, section } from '../sections/section.js';
import { csvButton } from '../table.js';
import { smallCard } from '../tooltip.js';
import { onRange, range, secondsOf } from './range.js';

export function threads({ activity: data, history }) {
  const state = { of: 'operations' };
  const body = h('div', {});
  const redraw = () => {
    // The columns that the chosen part of the time touches.
    const part = range();
    const end = (column) => data.seconds[column + 1] ?? Infinity;
    const columns = data.seconds.map((unused, column) => column).filter((column) => !part ||
      (data.seconds[column] < secondsOf(history, part.to + 1) && end(column) > secondsOf(history, part.from)));
    const figures = data[state.of].map((row) => columns.map((column) => row[column]));
    const most = Math.max(...figures.flat(), 1);
    const from = (column) => (data.seconds[column] === 0 ? 'the start' : duration(data.seconds[column]));
    const cell = (name, row, column, value) => (value === 0 ? null : { text: shortCount(value), t: 1 - value / most,
      card: () => smallCard(`${name}, from ${from(column)}`, [['Operations', count(data.operations[row][column])],
        ['Remote frees', count(data.remote[row][column])]]) });
    fill(body, figureTable({ heads: ['Thread'], caption: 'Operations by thread and time', palette: 'viridis',
      columns: columns.map((column) => (data.seconds[column] === 0 ? '0' : duration(data.seconds[column]))),
      rows: data.threads.map((name, row) => ({ labels: [name],
        figures: figures[row].map((value, at) => cell(name, row, columns[at], value)) })) }));
  };
  const csv = () => [['thread', 'from_seconds', 'operations', 'remote_frees'],
    ...data.threads.flatMap((name, row) => data.seconds.map((from, column) =>
      [name, from, data.operations[row][column], data.remote[row][column]]))];
  redraw();
  onRange(redraw);
  return section('threads', 'Threads over time',
    'Operations of each thread in each stretch of time. Threads that are busy at once contend for the heap. A ' +
    'remote free is one of a block that another thread allocated.',
    h('article', { class: 'card' },
      h('div', { class: 'controls' }, choice('Of', [['operations', 'Operations'], ['remote', 'Remote frees']],
        state.of, (value) => { state.of = value; redraw(); }, { id: 'threads-of' }),
      csvButton(csv, 'threads over time')),
      body));
}
