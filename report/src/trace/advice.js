// The advice of `mallard advise` on the program: the verdict, then each advice with predicted beside
// tried, its price in memory, its evidence and its code.

import { copyButton, h } from '../dom.js';
import { section } from '../sections/section.js';
import { csvButton, table } from '../table.js';
import { replays } from './replays.js';

const figure = (value) => value.toFixed(2);
const times = (one) => (one ? `${figure(one.median)} (${figure(one.low)} to ${figure(one.high)})` : '–');
const predicted = (one) => (!one.gain ? 'not predicted' : one.replays === 1 ? `${figure(one.gain.median)} in one replay` : times(one.gain));
/** Few runs give no interval. */
const tried = (one) => {
  if (!one) return '–';
  const runs = one.runs === 1 ? 'one run' : `${one.runs} runs`;
  return one.low === null ? `${figure(one.median)} in ${runs}` : `${times(one)} in ${runs}`;
};
const memory = (value) => (value === null ? '–' : `${figure(value)}×`);
const names = { D: 'density (D)', L: 'locality (L)', U: 'utilization (U)', V: 'variation (V)', C: 'contention (C)', F: 'fragmentability (F)' };
const file = ({ file: path, line }) => (path ? `${path.slice(path.lastIndexOf('/') + 1)}:${line}` : '');

function verdict([first], proof) {
  if (first.strategy === 'leave') return h('p', { class: 'lead verdict' }, h('strong', {}, first.what), '. ', proof);
  return h('p', { class: 'lead verdict' }, h('strong', {}, first.what), ': ',
    first.tried ? h('strong', {}, `${figure(first.tried.median)} times as fast`)
      : first.gain ? ['by replay ', h('strong', {}, `${predicted(first)} times as fast`), ', not tried'] : 'its gain is not known',
    ', with ', h('strong', {}, memory(first.tried_memory ?? first.memory)), ' the memory. ', proof);
}

function details(one) {
  return h('article', { class: 'card' },
    h('h3', {}, one.what),
    h('ul', { class: 'said' },
      one.evidence.map(({ what, says }) => h('li', {}, h('strong', {}, `${names[what] ?? what}: `), says)),
      one.untold && !one.tried && h('li', {}, h('strong', {}, 'predicted: '), `no figure: ${one.untold}`),
      !one.tried && h('li', {}, h('strong', {}, 'upper bound: '), `${figure(one.bound)} times as fast, with the possible cost of block placement`),
      one.doubts.map((text) => h('li', {}, h('strong', {}, 'but: '), text)),
      one.tried_remark && h('li', {}, h('strong', {}, 'not tried: '), one.tried_remark)),
    one.code && [h('pre', {}, h('code', {}, one.code)),
      copyButton('Copy the code', () => one.code, { 'aria-label': `Copy the code of: ${one.what}` })]);
}

export function advice({ advice: { advice: all, considered, proof, replays: replayed, rankings = [] } }) {
  const columns = [
    { title: 'Advice', cell: (one) => [one.what, file(one.where) ? h('p', { class: 'hint' }, file(one.where)) : ''] },
    ...(all.some(({ gain }) => gain) ? [{ title: 'Predicted', numeric: true, cell: predicted },
      { title: 'Memory, replayed', numeric: true, cell: (one) => memory(one.memory) }] : []),
    { title: 'Tried', numeric: true, cell: (one) => tried(one.tried) },
    { title: 'Memory, tried', numeric: true, cell: (one) => memory(one.tried_memory) },
    { title: 'Confidence', cell: (one) => one.confidence },
  ];
  const others = [
    { title: 'Strategy', cell: (one) => one.strategy },
    { title: 'Where', cell: (one) => one.where.subsystem || 'the whole program' },
    ...(considered.some(({ gain }) => gain) ? [{ title: 'Predicted', numeric: true, cell: (one) => times(one.gain) }] : []),
    { title: 'Tried', numeric: true, cell: (one) => tried(one.tried) },
    { title: 'Memory', numeric: true, cell: (one) => memory(one.tried_memory ?? one.memory) },
    { title: 'Why not', cell: (one) => one.why_not },
  ];
  const csv = () => [['advice', 'low', 'median', 'high', 'tried', 'memory', 'confidence'],
    ...all.map((one) => [one.what, one.gain?.low ?? '', one.gain?.median ?? '', one.gain?.high ?? '', one.tried?.median ?? '',
      one.memory, one.confidence])];
  return section('advice', 'Advice', 'Speed-ups over the unmodified program: tried on the program itself, or predicted by replay of the recording.',
    verdict(all, proof),
    h('article', { class: 'card' }, h('div', { class: 'controls' }, csvButton(csv, 'the advice')),
      table(columns, all, { caption: 'Advice, the best first', className: 'compact' })),
    details(all[0]),
    replays(replayed),
    rankings.length > 0 && h('ul', { class: 'said' }, rankings.map(({ says }) => h('li', {}, says))),
    all.slice(1).map(details),
    considered.length > 0 && h('article', { class: 'card' }, h('h3', {}, 'Considered and not advised'),
      table(others, considered, { caption: 'Variants considered and not advised', className: 'compact' })));
}
