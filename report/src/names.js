// Names of things on the page.

const peerNames = { global: 'global heap', mallard: 'mallard', std: 'std::pmr', boost: 'Boost' };
export const peerName = (peer) => peerNames[peer] ?? peer;

const heapNames = { clean: 'Clean heap', aged: 'Aged heap' };
export const heapName = (heap) => heapNames[heap] ?? heap;

/** "novel-bench" as "Novel bench". */
export const capitalised = (name) =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[-_]/g, ' ');

/** The model's word on benches: titles, main measures, titles and directions of measures, and how
 *  they are shown. */
let benches = Object.create(null);
export function nameBenches(said) { benches = Object.assign(Object.create(null), said); }

/** The names of the benches that something is said of, in their order. */
export const knownBenches = () => Object.keys(benches);
export const benchTitle = (bench) => benches[bench]?.title || capitalised(bench);
/** A bench's title up to the colon that explains it. */
export const benchName = (bench) =>
  (bench === 'all' ? 'Several' : benchTitle(bench).split(':')[0]);
/** The form of a bench: {section, cards, headlines, logarithms}, or less. */
export const pageOf = (bench) => benches[bench]?.page ?? {};
export const mainMeasure = (bench) => benches[bench]?.main ?? 'time';
/** The measure of speed: the main measure, where that is a time or a rate. */
export function speedMeasure(bench) {
  const main = mainMeasure(bench);
  return ['s', '1/s'].includes(benches[bench]?.measures[main]?.unit) ? main : 'time';
}
export const moreIsBetter = (bench, measure) =>
  benches[bench]?.measures[measure]?.better === 'more';
export const measureName = (measure, bench) =>
  benches[bench]?.measures[measure]?.title || capitalised(measure);

/** The heaps of a data set as the options of a choice. */
export const heapOptions = ({ heaps }) => heaps.map((heap) => [heap, heapName(heap)]);

/** "Monotonic, type parameter, winked out". */
export function describeStrategy({ allocator, binding, wink }) {
  return [allocator, binding, wink && 'winked out'].filter(Boolean).join(', ');
}
