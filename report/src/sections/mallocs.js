// The global heap under other mallocs, beside the C library's own.

import { h, choice } from '../dom.js';
import { interval, times } from '../format.js';
import { benchName, heapName, moreIsBetter, speedMeasure } from '../names.js';
import { geometricMean, speedUp } from '../stats.js';
import { csvButton, table } from '../table.js';
import { figureOf, placeKey } from '../series.js';
import { fill, section } from './section.js';

/** {bench, heap, home, malloc, mean}: how much faster AS1 is under malloc than under the home one. */
function comparisons(dataset) {
  const found = [];
  const add = (bench, heap, home, malloc, pairs) => {
    const mean = geometricMean(pairs.map(([other, base]) => speedUp(other, base)));
    if (mean) found.push({ bench, heap, home, malloc, mean });
  };
  for (const malloc of dataset.mallocs.filter((one) => one !== dataset.home)) {
    for (const heap of dataset.heaps) {
      add(dataset.structureRun.bench, heap, dataset.home, malloc, dataset.globalPairs(malloc, heap));
    }
    for (const [bench, series] of Object.entries(dataset.series)) {
      const measure = speedMeasure(bench);
      for (const heap of series.heaps) {
        const global = { strategy: 'AS1', peer: 'global' };
        const pairs = [...new Map(series.cells.map(({ at }) => [placeKey(at), at])).values()]
          .map((at) => [malloc, series.home].map((one) =>
            figureOf(series.find(at, { ...global, malloc: one }, heap), measure)))
          .filter(([other, base]) => other && base);
        if (malloc === series.home) continue;
        add(bench, heap, series.home, malloc,
          moreIsBetter(bench, measure) ? pairs.map(([other, base]) => [base, other]) : pairs);
      }
    }
  }
  return found;
}

export function mallocs(dataset) {
  const all = comparisons(dataset);
  const names = [...new Set(all.map(({ malloc }) => malloc))];
  const heaps = [...new Set(all.map(({ heap }) => heap))];
  const show = { heap: heaps[0] };
  const body = h('div', {});
  const redraw = () => {
    const shown = all.filter(({ heap }) => heap === show.heap);
    fill(body, table([
      { title: 'Global heap (AS1)', cell: (bench) => benchName(bench) },
      ...names.map((malloc) => ({ title: `${malloc} against ${dataset.home}`, numeric: true,
        cell: (bench) => {
          const one = shown.find((other) => other.bench === bench && other.malloc === malloc);
          return one ? h('span', { title: `${interval(one.mean, times)}, ${one.mean.cells} cells` },
            times(one.mean.value)) : '–';
        } }))],
    [...new Set(shown.map(({ bench }) => bench))],
    { caption: 'The global heap under other mallocs', className: 'compact' }));
  };
  const csv = () => [['bench', 'heap', 'malloc', 'against', 'speedup', 'low', 'high', 'cells'],
    ...all.map(({ bench, heap, home, malloc, mean }) =>
      [bench, heap, malloc, home, mean.value, mean.low, mean.high, mean.cells])];
  if (all.length > 0) redraw();
  else fill(body, h('p', { class: 'hint empty' }, 'No cell of AS1 was measured under both.'));
  return section('mallocs', 'The global heap under other mallocs',
    'The speed-up of AS1 when another library’s malloc is loaded in place of the C ' +
    'library’s: the geometric mean over the cells measured under both. The tables of the ' +
    'benchmarks show the single cells.',
    h('div', { class: 'card' },
      h('div', { class: 'controls' },
        choice('Heap', heaps.map((heap) => [heap, heapName(heap)]), show.heap,
          (heap) => { show.heap = heap; redraw(); }),
        csvButton(csv, 'the mallocs')),
      body));
}
