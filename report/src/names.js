// What things are called on the page.

const peerNames = { global: 'global heap', mallard: 'mallard', std: 'std::pmr', boost: 'Boost' };
export const peerName = (peer) => peerNames[peer] ?? peer;

const heapNames = { clean: 'Clean heap', aged: 'Aged heap' };
export const heapName = (heap) => heapNames[heap] ?? heap;

/** The heaps of a data set as the options of a choice. */
export const heapOptions = ({ heaps }) => heaps.map((heap) => [heap, heapName(heap)]);

/** "Monotonic, type parameter, winked out". */
export function describeStrategy({ allocator, binding, wink }) {
  return [allocator, binding, wink && 'winked out'].filter(Boolean).join(', ');
}
