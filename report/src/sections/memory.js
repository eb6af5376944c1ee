// What a malloc holds while a program allocates and then frees: over time, and in figures.

import { benchCard } from '../bench_card.js';
import { h } from '../dom.js';

/** Percent of all operations done, from the index of a point. */
const share = (points) => (point) => `${Math.round(100 * point / Math.max(1, points - 1))} %`;

function overTime(series) {
  const points = series.values('point').length;
  return benchCard(series, { title: 'Memory over time', along: 'point', linear: true, height: 400,
    xName: 'Operations done', reference: 'requested', positionText: share(points),
    every: Math.ceil(points / 10),
    measures: ['rss', 'total_dynamic', 'heap', 'mmap', 'requested', 'mmap_so', 'reserved_none',
      'total_dynamic_thesis', 'elapsed'],
    hint: 'Producers allocate all objects, consumers free them. Between what the program asked for ' +
      'and what the allocator holds lies its overhead. Resident pages are what the system has really ' +
      'given; the others are parts of the address space, as in the thesis.' });
}

export function memoryCards(series) {
  const cards = [];
  if ('memory-series' in series) cards.push(overTime(series['memory-series']));
  if ('memory' in series) {
    cards.push(benchCard(series.memory, { title: 'Memory at the peak and at the end', bars: true,
      groups: [['Resident pages', ['peak_rss', 'end_rss']],
        ['Address space', ['peak_dynamic', 'end_dynamic']]], xName: 'When' }));
  }
  return cards.length > 0 && h('div', { class: 'maps' }, cards);
}
