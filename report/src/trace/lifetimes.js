// Sizes of blocks and how long they live: a heat map, sizes down, lifetimes across.

import { choice, h } from '../dom.js';
import { figureTable } from '../figures.js';
import { bytes, count, duration, shortCount } from '../format.js';
import { disposeCharts } from '../chart.js';
import { fill, section } from '../sections/section.js';
import { csvButton } from '../table.js';
import { smallCard } from '../tooltip.js';
import { percent } from './names.js';

const lifeText = (from) => (from === null ? 'to the end' : from === 0 ? '< 1 µs' : `≥ ${duration(from)}`);

export function lifetimes({ lifetimes: data }) {
  const state = { of: 'blocks' };
  const body = h('div', {});
  const redraw = () => {
    disposeCharts(body);
    const figures = data[state.of];
    const all = figures.flat();
    const [most, sum] = [Math.max(...all, 1), all.reduce((a, b) => a + b, 0)];
    const write = state.of === 'bytes' ? bytes : count;
    fill(body, figureTable({ heads: ['Bytes'], caption: 'Blocks by size and lifetime', palette: 'viridis',
      columns: data.lives.map(lifeText),
      rows: data.sizes.map((size, row) => ({ labels: [`from ${bytes(size)}`],
        figures: figures[row].map((value, column) => (value === 0 ? null : {
          text: state.of === 'bytes' ? bytes(value) : shortCount(value), t: 1 - Math.log1p(value) / Math.log1p(most),
          card: () => smallCard(`from ${bytes(size)}, ${lifeText(data.lives[column])}`,
            [[state.of === 'bytes' ? 'Bytes' : 'Blocks', write(value)], ['Of the total', percent(value / sum)]]) })) })) }));
  };
  const csv = () => [['size_from', 'lifetime_from_seconds', 'blocks', 'bytes'],
    ...data.sizes.flatMap((size, row) => data.lives.map((life, column) =>
      [size, life ?? 'end', data.blocks[row][column], data.bytes[row][column]]))];
  redraw();
  return section('lifetimes', 'Sizes and lifetimes',
    'Lifetimes of blocks of each size. Many short lives, on the left, suit pools and arenas; blocks that live to the ' +
    'end need never be freed.',
    h('article', { class: 'card' },
      h('div', { class: 'controls' }, choice('Of', [['blocks', 'Blocks'], ['bytes', 'Bytes']], state.of,
        (value) => { state.of = value; redraw(); }, { id: 'lifetimes-of' }), csvButton(csv, 'sizes and lifetimes')),
      body));
}
