// Nodes in bursts and from pools: the second and third chapters of Gaztañaga's article.

import { benchCard } from '../bench_card.js';
import { h } from '../dom.js';
import { section } from './section.js';

const bases = ['v1 mallard', 'v1 Boost', 'std', 'std in Boost'];

const cards = {
  burst: { title: 'Ranges of nodes, inserted and erased', along: 'range', xName: 'Nodes in a range',
    measures: ['insert', 'erase', 'calls'], bases, bars: true,
    hint: 'v1 and pools of version 1 are called for each node, all others once for a range.' },
  'adaptive-pool': { title: 'Pools of nodes', along: 'range', xName: 'Nodes in a range',
    measures: ['insert', 'erase', 'overhead', 'overhead_rss', 'in_use_after_erase', 'held_after_erase',
      'rss_after_erase'], bases, bars: true,
    hint: 'A range of 1 is node by node. Simple segregated storage (node, fast_pool) never gives ' +
      'memory back; an adaptive pool keeps an empty block or two. own-adaptive belongs to one ' +
      'container and has no lock; adaptive and node are shared by all.' },
};

export const nodeBenches = Object.keys(cards);

export function nodes({ series }) {
  return section('nodes', 'Nodes: in bursts, and from pools',
    'After Gaztañaga: lists filled and emptied by ranges. Bars are times in proportion to one ' +
    'column’s: below 1× is faster.',
    h('div', { class: 'maps' }, nodeBenches.filter((bench) => bench in series)
      .map((bench) => benchCard(series[bench], cards[bench]))));
}
