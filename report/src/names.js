// What things are called on the page.

const peerNames = { global: 'global heap', mallard: 'mallard', std: 'std::pmr', boost: 'Boost' };
export const peerName = (peer) => peerNames[peer] ?? peer;

const heapNames = { clean: 'Clean heap', aged: 'Aged heap' };
export const heapName = (heap) => heapNames[heap] ?? heap;

/** What the model says of benches: titles, main measures, titles and directions of measures. */
let benches = {};
export function nameBenches(said) { benches = said; }

/** A bench's title up to the colon that explains it. */
export const benchName = (bench) =>
  (bench === 'all' ? 'Several' : benches[bench]?.title.split(':')[0] ?? bench);
const mainMeasure = (bench) => benches[bench]?.main ?? 'time';
/** What tells how fast something is: the main measure, where that is a time or a rate. */
export function speedMeasure(bench) {
  const main = mainMeasure(bench);
  return ['s', '1/s'].includes(benches[bench]?.measures[main]?.unit) ? main : 'time';
}
export const moreIsBetter = (bench, measure) =>
  benches[bench]?.measures[measure]?.better === 'more';
export const measureName = (measure, bench) =>
  benches[bench]?.measures[measure]?.title ??
  measure.charAt(0).toUpperCase() + measure.slice(1).replaceAll('_', ' ');

/** The heaps of a data set as the options of a choice. */
export const heapOptions = ({ heaps }) => heaps.map((heap) => [heap, heapName(heap)]);

/** "Monotonic, type parameter, winked out". */
export function describeStrategy({ allocator, binding, wink }) {
  return [allocator, binding, wink && 'winked out'].filter(Boolean).join(', ');
}
