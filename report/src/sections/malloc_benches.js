// Micro-benchmarks of mallocs: those of the thesis on llheap, and some others.

import { benchCard } from '../bench_card.js';
import { h } from '../dom.js';
import { memoryCards } from './memory.js';
import { section } from './section.js';

const byThreads = { along: 'threads', xName: 'Threads' };

/** By bench: what their cards are. A bench may have several. */
const cards = {
  churn: [{ ...byThreads, title: 'Churn: blocks replaced at random',
    measures: ['time', 'time_with_threads', 'user', 'system', 'rss'],
    hint: 'Each thread frees a random one of a few blocks and allocates another in its place.' }],
  thrash: [{ ...byThreads, title: 'Cache thrash: false sharing by the allocator',
    measures: ['time', 'rss'],
    hint: 'Each thread allocates a small object and writes to it: it takes longer with more threads ' +
      'when neighbours on a cache line are given to different threads.' }],
  scratch: [{ ...byThreads, title: 'Cache scratch: false sharing preserved',
    measures: ['time', 'rss'],
    hint: 'The first objects of all threads are neighbours. Who frees one gets the same line again, ' +
      'unless it goes back to where it came from.' }],
  'remote-free': [{ ...byThreads, title: 'Blocks freed by another thread', xName: 'Pairs of threads',
    measures: ['per_op', 'time', 'rss'] }],
  larson: [{ ...byThreads, title: 'Larson: a server’s throughput', measures: ['throughput', 'rss'],
    hint: 'Operations a second: higher is better.' }],
  'mixed-malloc': [
    { ...byThreads, title: 'Blocks of 16 bytes to 64 KiB, some freed by another thread',
      measures: ['time', 'rss'] },
    { title: 'Latency of single calls', bars: true, log: true, xName: 'Call and percentile',
      groups: [['All calls', ['malloc_p50', 'malloc_p99', 'malloc_p999', 'free_p50', 'free_p99',
        'free_p999']]],
      hint: 'Of the calls in the bench of mixed sizes: half of them are faster than p50, all but ' +
        'one in a hundred than p99, all but one in a thousand than p99.9. What reading the clock ' +
        'takes is taken off, so that a call may come out at 0.' }],
  speed: [{ title: 'Speed: chains of calls', along: 'chain', xName: '', bars: true, log: true, wide: true,
    measures: ['per_op', 'time', 'rss'], height: 420, relative: true,
    hint: 'Each call of a chain is made for all objects before the next: n times malloc, then n ' +
      'times free. Chains with calloc set the memory to zero.' }],
};

export const mallocBenches = [...Object.keys(cards), 'memory', 'memory-series'];

/** Cards that need the page's whole width, one below the other, and the others in pairs. */
function arrange(all) {
  const [wide, narrow] = [true, false].map((wanted) =>
    all.filter(([options]) => Boolean(options.wide) === wanted).map(([, element]) => element));
  return h('div', { class: 'maps' }, narrow.length > 0 && h('div', { class: 'pair' }, narrow), wide);
}

export function mallocBenchSection({ series }) {
  const made = Object.entries(cards).filter(([bench]) => bench in series)
    .flatMap(([bench, list]) => list.map((options) => [options, benchCard(series[bench],
      options.relative ? { ...options, bases: series[bench].mallocs } : options)]));
  return section('malloc-benches', 'Mallocs against each other',
    'Churn, cache thrash, cache scratch, speed and memory are after the performance chapter of ' +
    'Zulfiqar’s thesis on llheap; axes are logarithmic as there, but for memory. Every process runs ' +
    'under one malloc. Where there are more threads than cores, they wait for each other whatever ' +
    'the allocator.',
    arrange(made), memoryCards(series));
}
