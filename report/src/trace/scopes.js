// Arena scopes: functions whose blocks are dead when they return.

import { h } from '../dom.js';
import { bytes, count } from '../format.js';
import { fill, section } from '../sections/section.js';
import { csvButton, table } from '../table.js';
import { missingForScopes } from './findings.js';
import { functionName, percent } from './names.js';
import { bytesBelow, onRange, range } from './range.js';

/** Bytes per invocation as bars, one for each power of two. */
function histogram({ from, counts }) {
  const most = Math.max(...counts);
  const spoken = counts.map((n, at) => `${bytes(from[at])}: ${count(n)}`).join(', ');
  return h('div', { class: 'spread', role: 'img', 'aria-label': `Bytes per invocation: ${spoken}` },
    counts.map((n, at) => h('span', { title: `from ${bytes(from[at])}: ${count(n)} invocations`,
      style: { height: `${n === 0 ? 0 : Math.max(4, 30 * n / most)}px` } })),
    h('small', {}, bytes(from[0])), h('small', {}, bytes(from.at(-1))));
}

function survivors({ survivors: all, survivor_blocks: blocks }, functions) {
  if (blocks === 0) return 'none';
  return h('details', {}, h('summary', {}, `${count(blocks)} blocks`),
    all.map((one) => h('div', { class: 'survivor' }, h('p', {}, `${count(one.blocks)} blocks, ${bytes(one.bytes)}`),
      h('ol', {}, one.frames.map((frame) => h('li', {}, functionName(functions[frame], 70)))))));
}

/** As many as a reader looks at; the others on demand. */
const atFirst = 12;

const heads = ['function', 'where', 'threads', 'invocations', 'dead_share', 'total_bytes', 'median_bytes',
  'p99_bytes', 'max_bytes', 'survivors'];

export function scopes(model) {
  const { arena_scopes: all, functions } = model;
  const columns = [
    { title: 'Function', cell: (one) => [functionName(one.function, 80),
      one.where && h('p', { class: 'hint' }, one.where),
      one.by_instant > 0 && h('p', { class: 'hint' }, `${count(one.by_instant)} invocations are told apart ` +
        'from the next only by an instant with no live blocks.'),
      one.confidence !== 'high' && h('p', { class: 'hint' }, `Confidence: ${one.confidence}`)] },
    { title: 'Invocations', numeric: true, cell: (one) => count(one.invocations) },
    { title: 'Dead at return', numeric: true, cell: (one) => percent(one.dead_share) },
    { title: 'Median', numeric: true, cell: (one) => bytes(one.bytes.median) },
    { title: '99 of 100', numeric: true, cell: (one) => bytes(one.bytes.p99) },
    { title: 'Most', numeric: true, cell: (one) => bytes(one.bytes.max) },
    { title: 'Bytes per invocation', cell: (one) => histogram(one.bytes.histogram) },
    { title: 'Threads', numeric: true, cell: (one) => count(one.threads) },
    { title: 'Survivors', cell: (one) => survivors(one, functions) },
  ];
  const rows = () => [heads, ...all.map((one) => [one.function, one.where, one.threads, one.invocations,
    one.dead_share, one.bytes.total, one.bytes.median, one.bytes.p99, one.bytes.max, one.survivor_blocks])];
  const sorted = all.filter((one) => !one.trunk).sort((a, b) => b.bytes.total - a.bytes.total);
  const trunk = all.filter((one) => one.trunk).sort((a, b) => b.bytes.total - a.bytes.total);
  const body = h('div', {});
  // Calls are not known by their times, so a part of it has the functions that asked for memory then.
  const show = (most) => {
    const part = range() && bytesBelow(model);
    const listed = part ? sorted.filter((one) => part.has(one.function))
      .sort((a, b) => part.get(b.function) - part.get(a.function)) : sorted;
    const shown = listed.slice(0, most);
    fill(body, part ? h('p', { class: 'hint part' }, 'Functions that requested memory in the chosen part of the time. ' +
      'All figures except “Bytes then” are of the whole recording.') : '',
    table(part ? [columns[0], { title: 'Bytes then', numeric: true, cell: (one) => bytes(part.get(one.function)) },
      ...columns.slice(1)] : columns, shown, { caption: 'Arena scopes', className: 'scopes' }),
    shown.length < listed.length
      ? h('button', { type: 'button', onclick: () => show(listed.length) }, `Show all ${count(listed.length)}`) : '');
  };
  show(atFirst);
  onRange(() => show(atFirst));
  return section('scopes', 'Where an arena would go',
    'Functions whose blocks are dead when they return; of nested ones, the outermost. Blocks allocated below them can ' +
    'come from a monotonic resource that lives as long as the call and is released as a whole. The bytes are those ' +
    'of one invocation: the size that such an arena needs.',
    h('article', { class: 'card' },
      all.length === 0 ? h('p', { class: 'hint empty' }, missingForScopes(model)
        ? `Not known, because the recording lacks this: ${missingForScopes(model)}.`
        : 'No function was found that returns with at least 99 % of its blocks dead.')
        : [h('div', { class: 'card-head' }, h('h3', {}, 'Arena scopes'), csvButton(rows, 'the arena scopes')),
          body,
          trunk.length > 0 && h('p', { class: 'hint trunk' },
            'Called once, with nearly all of the program’s allocations, so an arena there would only grow until ' +
            'the program exits: ', trunk.flatMap((one, at) => [at > 0 && ', ', functionName(one.function, 60)]), '.')]));
}
