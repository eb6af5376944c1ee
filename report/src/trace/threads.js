// What each thread does over time: operations, and blocks of other threads that it frees.

import { choice, h } from '../dom.js';
import { figureTable } from '../figures.js';
import { count, duration, short } from '../format.js';
import { fill, section } from '../sections/section.js';
import { csvButton } from '../table.js';
import { smallCard } from '../tooltip.js';

export function threads({ activity: data }) {
  const state = { of: 'operations' };
  const body = h('div', {});
  const redraw = () => {
    const figures = data[state.of];
    const most = Math.max(...figures.flat(), 1);
    fill(body, figureTable({ heads: ['Thread'], caption: 'Operations by thread and time', palette: 'viridis',
      columns: data.seconds.map((from) => (from === 0 ? '0' : duration(from))),
      rows: data.threads.map((name, row) => ({ labels: [name],
        figures: figures[row].map((value, column) => (value === 0 ? null : { text: short(value),
          t: 1 - value / most, card: () => smallCard(`${name}, from ${data.seconds[column] === 0 ? 'the start'
            : duration(data.seconds[column])}`, [['Operations', count(data.operations[row][column])],
            ['Remote frees', count(data.remote[row][column])]]) })) })) }));
  };
  const csv = () => [['thread', 'from_seconds', 'operations', 'remote_frees'],
    ...data.threads.flatMap((name, row) => data.seconds.map((from, column) =>
      [name, from, data.operations[row][column], data.remote[row][column]]))];
  redraw();
  return section('threads', 'Threads over time',
    'Operations of each thread in each stretch of time. Threads that are busy at once contend for the heap; a ' +
    'remote free is that of a block which another thread allocated.',
    h('article', { class: 'card' },
      h('div', { class: 'controls' }, choice('Of', [['operations', 'Operations'], ['remote', 'Remote frees']],
        state.of, (value) => { state.of = value; redraw(); }, { id: 'threads-of' }),
      csvButton(csv, 'threads over time')),
      body));
}
