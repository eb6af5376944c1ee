// The replays: strategies down, subsystems across, each in per cent of the time that the same
// operations take on the global heap, as the paper's tables are.

import { choice, h } from '../dom.js';
import { heat, ratioScale } from '../palette.js';
import { fill } from '../sections/section.js';
import { csvButton, framed } from '../table.js';

const palette = 'safe';
/** So many times as fast, or as slow, has the full colour. */
const extreme = 4;
const position = ratioScale(extreme);

const touches = {
  none: 'Blocks are not touched', first: 'First byte written', all: 'All written and read',
  walk: 'Walked in allocation order',
};
const strategies = {
  AS5: 'monotonic', AS9: 'multipool', AS13: 'multipool on monotonic', sync: 'synchronized multipool',
  heap: 'heap', 'sync-heap': 'synchronized heap', adaptive: 'adaptive pool',
};

/** "monotonic" of "AS5@mallard"; a malloc keeps its name. */
function strategyName(strategy) {
  const [name, library] = strategy.split('@');
  if (library === undefined) return `malloc: ${name}`;
  return `${strategies[name] ?? name}${library === 'mallard' ? '' : ` (${library})`}`;
}
const subsystemName = (name) => name || 'the whole program';
const percent = ({ median }) => Math.round(100 / median);
const spread = ({ low, high }) => `${Math.round(100 / high)} to ${Math.round(100 / low)}`;
const unique = (values) => [...new Set(values)];

function cellOf(cell) {
  if (!cell) return h('td', { class: 'number' }, '');
  const { of_operations: times, memory, remark } = cell;
  if (!times) return h('td', { class: 'number', title: remark }, '–');
  const more = memory === null ? '' : `; ${memory.toFixed(2)} times the memory`;
  return heat(h('td', { class: 'number heat', title: `${spread(times)} %${more}` },
    `${percent(times)} %`), palette, position(times.median));
}

function matrix(cells) {
  const rows = unique(cells.map((one) => one.strategy));
  const columns = unique(cells.map((one) => one.subsystem));
  const at = new Map(cells.map((one) => [`${one.strategy}\n${one.subsystem}`, one]));
  return framed('Time of the replayed operations, in percent of the global heap’s', 'compact replays',
    [h('th', { scope: 'col' }, 'Strategy'),
      columns.map((one) => h('th', { scope: 'col', class: 'number' }, subsystemName(one)))],
    rows.map((row) => [h('th', { scope: 'row' }, strategyName(row)),
      columns.map((column) => cellOf(at.get(`${row}\n${column}`)))]));
}

/** Null where nothing was replayed. */
export function replays(all) {
  if (all.length === 0) return null;
  const levels = unique(all.map((one) => one.touch));
  const body = h('div', {});
  const draw = (touch) => fill(body, matrix(all.filter((one) => one.touch === touch)));
  draw(levels[0]);
  const csv = () => [['strategy', 'subsystem', 'touch', 'percent', 'low', 'high', 'memory', 'remark'],
    ...all.map(({ strategy, subsystem, touch, of_operations: times, memory, remark }) =>
      [strategy, subsystemName(subsystem), touch, times && 100 / times.median, times && 100 / times.high,
        times && 100 / times.low, memory, remark])];
  return h('article', { class: 'card', id: 'replays' },
    h('h3', {}, 'Replays, in percent of the global heap’s time'),
    h('p', { class: 'hint' }, 'Less is faster. Times are those of a part’s own operations, not of the program. A dash marks ' +
      'a strategy that could not serve the part, or for which there was no time: point at it for the reason.'),
    h('div', { class: 'controls' },
      choice('How its blocks are used', levels.map((one) => [one, touches[one] ?? one]), levels[0], draw),
      csvButton(csv, 'the replays')),
    body);
}
