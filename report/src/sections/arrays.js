// Arrays that grow and shrink where they are: the first chapter of Gaztañaga's article, and realloc.

import { benchCard } from '../bench_card.js';
import { h } from '../dom.js';
import { bytes } from '../format.js';
import { section } from './section.js';

const bases = ['v1 mallard', 'v1 Boost', 'std', 'std in Boost', 'realloc'];
const byElements = { along: 'elements', beside: 'iterations', xName: 'Elements', bases, bars: true };
const filling = ['time', 'calls', 'success', 'capacity', 'rss'];

const cards = {
  'expand-forward': { title: 'Filling an array from its end', ...byElements, measures: filling,
    hint: 'v1: an ordinary allocator. v2: one that tells the real size and can grow an array in place; ' +
      'v2-none may not grow it, v2-fwd only forward, v2-bwd only backward. Alone: one array at a ' +
      'time; among: 101 of them, an element for each in turn.' },
  'expand-backward': { title: 'Filling an array with room before it, none behind', ...byElements,
    measures: filling,
    hint: 'Growing backward moves the elements, but needs no second array.' },
  shrink: { title: 'Emptying an array, shrinking it to fit after each five elements',
    ...byElements, measures: ['time', 'success', 'rss_after'] },
  realloc: { title: 'One large block that grows', along: 'bytes', xName: 'Final size',
    bases: ['realloc', 'v1 mallard'], bars: true, measures: ['time', 'moved', 'success'],
    positionText: bytes },
};

export const arrayBenches = Object.keys(cards);

export function arrays({ series }) {
  return section('arrays', 'Arrays that grow in place',
    'After Gaztañaga, “Applying classic memory allocation strategies to C++ containers”. Bars are ' +
    'times in proportion to one column’s, as in the article: below 1× is faster. Success is the part ' +
    'of the tries to grow or shrink in place that were granted.',
    h('div', { class: 'maps' }, arrayBenches.filter((bench) => bench in series)
      .map((bench) => benchCard(series[bench], cards[bench]))));
}
