// The page's words for what it shows of a recorded program.

import { h } from '../dom.js';
import { bytes, count, duration, significant } from '../format.js';

/** The six dimensions: letter, name, what 0 and what 1 of the scaled figure mean. */
export const dimensionsOfAll = [
  ['D', 'Density', 'no time goes into allocating', 'all of it does'],
  ['V', 'Variation', 'blocks of one size', 'of all sizes alike'],
  ['L', 'Locality', 'neighbours lie scattered', 'side by side'],
  ['U', 'Utilization', 'memory is used again and again', 'once'],
  ['C', 'Contention', 'threads allocate in turn', 'all at once'],
  ['F', 'Fragmentability', 'allocates undisturbed', 'always among others'],
];

/** A figure of 0 to 1, or a dash where it was not recorded. */
export const share = (value) => (value === null || value === undefined ? '–' : value.toFixed(2));
export const percent = (value) => `${significant(100 * value, value > 0.0995 ? 2 : 1)} %`;

/** Names of the weights, and the way they are written. */
export const weights = {
  peak_bytes: { name: 'Live at the peak', write: bytes },
  bytes: { name: 'Bytes allocated', write: bytes },
  operations: { name: 'Operations', write: count },
  cpu_ns: { name: 'Processor time', write: (value) => (value > 0 ? duration(value / 1e9) : '0 s') },
  live_bytes: { name: 'Live at the end', write: bytes },
  temporary: { name: 'Temporary blocks', write: count },
};

/** A function's name, cut in the middle where it is long, in full on pointing at it. */
export function functionName(name, most = 90) {
  const half = Math.floor((most - 1) / 2);
  const text = name.length <= most ? name : `${name.slice(0, half)}…${name.slice(-half)}`;
  return h('code', { title: name }, text);
}

/** The colour of a subsystem, the same on the whole page; the last is for all others. */
export const toneOf = (index) => `line-${2 + (index % 7)}`;
export const otherTone = 'line-1';
