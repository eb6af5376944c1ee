// Sizes of blocks and how long they live: a heat map, sizes down, lifetimes across.

import { choice, h } from '../dom.js';
import { figureTable } from '../figures.js';
import { bytes, count, duration, shortCount } from '../format.js';
import { disposeCharts } from '../chart.js';
import { fill, section } from '../sections/section.js';
import { csvButton } from '../table.js';
import { smallCard } from '../tooltip.js';
import { percent } from './names.js';
import { onRange, range } from './range.js';

const lifeText = (from) => (from === null ? 'to the end' : from === 0 ? '< 1 µs' : `≥ ${duration(from)}`);

/** Blocks, or their bytes, by size and lifetime: of those that were allocated in the chosen part of the time. */
function figuresOf(data, of) {
  const part = range();
  if (!part) return data[of];
  const sums = data.sizes.map(() => data.lives.map(() => 0));
  for (const step of data.steps.slice(part.from, part.to + 1)) {
    step[of].forEach((value, i) => { sums[step.row[i]][step.column[i]] += value; });
  }
  return sums;
}

export function lifetimes({ lifetimes: data }) {
  const state = { of: 'blocks' };
  const body = h('div', {});
  const redraw = () => {
    disposeCharts(body);
    const figures = figuresOf(data, state.of);
    const all = figures.flat();
    const [most, sum] = [Math.max(...all, 1), all.reduce((a, b) => a + b, 0)];
    const write = state.of === 'bytes' ? bytes : count;
    fill(body, range() ? h('p', { class: 'hint part' }, 'Blocks that were allocated in the chosen part of the time, ' +
      'and their whole lives.') : [],
    figureTable({ heads: ['Bytes'], caption: 'Blocks by size and lifetime', palette: 'viridis',
      columns: data.lives.map(lifeText),
      rows: data.sizes.map((size, row) => ({ labels: [`from ${bytes(size)}`],
        figures: figures[row].map((value, column) => (value === 0 ? null : {
          text: state.of === 'bytes' ? bytes(value) : shortCount(value), t: 1 - Math.log1p(value) / Math.log1p(most),
          card: () => smallCard(`from ${bytes(size)}, ${lifeText(data.lives[column])}`,
            [[state.of === 'bytes' ? 'Bytes' : 'Blocks', write(value)], ['Of the total', percent(value / sum)]]) })) })) }));
  };
  const csv = () => {
    const [blocks, sums] = [figuresOf(data, 'blocks'), figuresOf(data, 'bytes')];
    return [['size_from', 'lifetime_from_seconds', 'blocks', 'bytes'],
      ...data.sizes.flatMap((size, row) => data.lives.map((life, column) =>
        [size, life ?? 'end', blocks[row][column], sums[row][column]]))];
  };
  redraw();
  onRange(redraw);
  return section('lifetimes', 'Sizes and lifetimes',
    'Lifetimes of blocks of each size. Many short lives, on the left, suit pools and arenas; blocks that live to the ' +
    'end need never be freed.',
    h('article', { class: 'card' },
      h('div', { class: 'controls' }, choice('Of', [['blocks', 'Blocks'], ['bytes', 'Bytes']], state.of,
        (value) => { state.of = value; redraw(); }, { id: 'lifetimes-of' }), csvButton(csv, 'sizes and lifetimes')),
      body));
}
