// The meaning of the numbers, and its limits.

import { methodOf } from './benches.js';
import { section, topics } from './section.js';

/** Before what is said of single benches, and after it. */
const general = [
  ['A cell', [
    'A cell is one place in a benchmark under one strategy, from one library, on one heap. It runs ' +
    'in a process of its own. Repetitions of different cells take turns, so that a disturbance of ' +
    'the machine does not fall on one strategy alone.',
    'The figure is the median of the repetitions. Its 95 % interval comes from a bootstrap over ' +
    'the repetitions. With few repetitions the interval is about the range of the samples: ' +
    'read it as a warning against small differences, not as a promise.']],
  ['Strategies', [
    'A strategy is an allocator (global heap, monotonic, multipool, multipool on monotonic), a ' +
    'binding and a destruction. “Type parameter” means that the container knows the resource’s ' +
    'type and its calls are inlined; “abstract base” means a virtual call through ' +
    'std::pmr::memory_resource. “Winked out” means that destructors never run: releasing the ' +
    'resource drops everything at once. AS3n to AS6n are the monotonic strategies without a ' +
    'buffer prepared by the caller.',
    'AS2 has no cell of our own: the abstract base over the global heap is the standard ' +
    'library’s new_delete_resource, and its cell is shown in our column.']],
  ['Fair and paper mode', [
    'Fair mode treats all strategies alike: every string type uses the same hash, every element ' +
    'is touched in the same way, the compiler cannot resolve virtual calls, and the time ' +
    'for setting up a condition is not part of the figure. Paper mode repeats the choices of ' +
    'the original programs, warts included. Results of the two are never merged.']],
  ['Clean and aged heap', [
    'On a clean heap the process has just started. An aged heap has been filled and partly freed ' +
    'in random order beforehand, by the same recipe for every strategy, because pools and arenas ' +
    'get their chunks from the heap, too. The heap then settles outside the measured ' +
    'time; otherwise the first cells would measure how malloc sorts its free chunks.']],
];
const closing = [
  ['Other mallocs', [
    'The documents say, without a figure, that the native malloc did as well as others. If this report has ' +
    'runs under several mallocs, it shows the global heap under each of them. All claims except those ' +
    'about mallocs are judged under the C library’s own malloc.']],
  ['Speed-ups and intervals of means', [
    'A speed-up is the median of the other side divided by the median of this one: above 1 is ' +
    'faster. Means over cells are geometric. The interval of a mean follows from the intervals ' +
    'of its cells, taken as independent. It tells how well the mean of these cells is known, not ' +
    'how other programs would fare; the range from the worst to the best cell tells more about that.',
    'A duel between two cells is decided only when their intervals do not overlap.']],
  ['Memory', [
    'Peak memory is the resident set of the whole process, with the program itself and a ' +
    'prepared buffer if the strategy has one. Page faults are counted during the measured ' +
    'part.']],
  ['Noise', [
    'Other work on the machine, frequency scaling, the address layout of a process and virtual ' +
    'machines all change these figures by some percent, sometimes between runs rather than within ' +
    'one. Differences of a few percent should not guide a decision. Measure your own ' +
    'program: a benchmark that only builds and drops containers gives allocation its greatest ' +
    'weight.']],
];

export const method = (dataset) => section('method', 'Method and caveats', null,
  topics([...general, ...methodOf(dataset), ...closing]));
