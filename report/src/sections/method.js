// What the numbers mean, and what they do not.

import { h, withPowers } from '../dom.js';
import { section } from './section.js';

const topics = [
  ['A cell', [
    'A cell is one place in a benchmark under one strategy, from one library, on one heap. In ' +
    'Benchmark I the place is a data structure of one size. A cell runs in a process of its own: ' +
    'there the container is built, lightly used and destroyed again ' +
    'and again until a fixed number of leaf elements has been inserted, so that cells of all ' +
    'sizes do comparable work. Repetitions of different cells take turns, so that a disturbance ' +
    'of the machine does not fall on one strategy alone.',
    'The figure is the median of the repetitions. Its 95 % interval comes from a bootstrap over ' +
    'the repetitions. With few repetitions the interval is about the range of what was seen: ' +
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
    'is touched in the same way, virtual calls cannot be resolved by the compiler, and the time ' +
    'for setting up a condition is not part of the figure. Paper mode repeats the choices of ' +
    'the original programs, warts included. Results of the two are never merged.']],
  ['Clean and aged heap', [
    'On a clean heap the process has just started. An aged heap has been filled and partly freed ' +
    'in random order beforehand, by the same recipe for every strategy, because pools and arenas ' +
    'get their chunks from somewhere, too. The heap is then left to settle outside the measured ' +
    'time: otherwise the first cells would measure how malloc sorts its free chunks.']],
  ['What the published tables measured', [
    'The published figures of AS1 and AS2 were taken on a heap that had been scrambled on ' +
    'purpose just before; those of AS3 to AS14 on a clean one. A run on the same machine without ' +
    'scrambling shows much smaller differences, and the global heap ahead of the multipool in ' +
    'several structures. The speed-ups in the published tables therefore compare two different ' +
    'conditions. Look at the clean and the aged heap here for the two halves of the picture.',
    'In DS4, DS8 and DS12 the original’s strings with a custom allocator used a hash whose value ' +
    'the containers did not store, so that long strings were hashed again and again; those of ' +
    'AS1 did not. Most of the cost ascribed to virtual calls there is probably this. Fair mode gives all ' +
    'strings the same hash.',
    'Each published figure is a single run without repetition.']],
  ['Locality', [
    'Each list has an allocator of its own, or all have the global heap. After the lists have been ' +
    'filled one by one, elements are taken from one list and appended to another, as often as there ' +
    'are elements, several times over. The slow-down is the time of walking all lists after that, ' +
    'divided by the time of the same walk before, both taken inside one process.',
    'The original timed whole programs and subtracted others: three of its cells of 2^25 links timed ' +
    'nothing, because a 32-bit number of accesses overflowed, and where lists have one link a third ' +
    'of them were empty after the shuffle. Its code shuffles otherwise than the paper or the slides ' +
    'say: each way is a variant of its own here.']],
  ['Utilization and contention', [
    'Percentages are of AS1 in the same row, as the paper prints them. The original’s failures come ' +
    'from an address space limited to 5 GB, which it does not say: without that limit its cells ran ' +
    'to the end. In its Benchmark IV the calls by abstract base went to an object known to the ' +
    'compiler, so they were not virtual; those measured here are. Its prose describes another run ' +
    'than its tables.',
    'One allocator for all threads, and blocks that one thread allocates and another frees, are not ' +
    'in the paper.']],
  ['Arrays and nodes', [
    'v1 is an ordinary allocator: allocate and deallocate. v2 is an extended one, which Boost’s ' +
    'containers know how to use: it tells how large a block has really become, grows and shrinks ' +
    'arrays where they lie, and serves or takes back many nodes in one call. mallard’s are bound to ' +
    'its heap and pools, Boost’s to its own version of dlmalloc; std is std::allocator, in std’s ' +
    'containers and in Boost’s.',
    'The article was written when containers copied what they move, and a copy was dear. Where ' +
    'moving is copying bytes, growth in place saves less than it did.']],
  ['Mallocs against each other', [
    'Each repetition is a process of its own that was started on that malloc. The thesis’s curves are ' +
    'of machines with 96 and 128 cores and of allocators of its time; its programs are not published, ' +
    'so they were written anew from its text. Its memory is address space; resident pages, which the ' +
    'system has really given, stand beside it here.']],
  ['Other mallocs', [
    'The documents say that the native malloc did as well as others, without a figure. Where runs ' +
    'under several mallocs are in this report, the global heap under each stands beside. All claims ' +
    'but those about mallocs are judged under the C library’s own.']],
  ['Speed-ups and intervals of means', [
    'A speed-up is the median of the other side divided by the median of this one: above 1 is ' +
    'faster. Means over cells are geometric. The interval of a mean follows from the intervals ' +
    'of its cells, taken as independent; it says how well the mean of these cells is known, not ' +
    'how other programs would fare. The range from the worst to the best cell says more on that.',
    'A duel between two cells is decided only when their intervals do not overlap.']],
  ['Memory', [
    'Peak memory is the resident set of the whole process, with the program itself and a ' +
    'prepared buffer where the strategy has one. Page faults are counted during the measured ' +
    'part.']],
  ['Noise', [
    'Other work on the machine, frequency scaling, the address layout of a process and virtual ' +
    'machines all move these figures by some percent, sometimes between runs rather than within ' +
    'one. Differences of a few percent should not guide a decision. Measure your own ' +
    'program: a benchmark that only builds and drops containers shows allocation at its most ' +
    'prominent.']],
];

export const method = () => section('method', 'Method and caveats', null,
  h('div', { class: 'topics' }, topics.map(([title, paragraphs]) =>
    h('article', {}, h('h3', {}, title),
    paragraphs.map((text) => h('p', {}, withPowers(text)))))));
