// DS1 to DS12: what was measured here beside what the paper published.

import { disposeCharts } from '../chart.js';
import { isMeasured } from '../data.js';
import { checkbox, choice, dropdown, h } from '../dom.js';
import { count, duration, times } from '../format.js';
import { heatmap } from '../heatmap.js';
import { describeStrategy, heapName, heapOptions, peerName } from '../names.js';
import { gradient, paletteOptions, tableScale } from '../palette.js';
import { csvButton } from '../table.js';
import { cellCard, smallCard } from '../tooltip.js';
import { fill, section } from './section.js';
import { values } from './values.js';

/** Neighbouring strategies of one allocator share a heading. */
function groupsOf(strategies) {
  const groups = [];
  strategies.forEach(({ allocator, buffer }, at) => {
    const name = allocator === 'monotonic' && !buffer ? 'monotonic, no buffer' : allocator;
    const last = groups[groups.length - 1];
    if (last?.name === name) last.last = at;
    else groups.push({ name, first: at, last: at });
  });
  return groups;
}

/** A heat map's view: every cell with a value gets its place on the palette of the whole table. */
function coloured(rows, strategies, cells, show) {
  const scale = tableScale(cells.flatMap(({ value }) => value ?? []),
    values[show.value].higherIsBetter);
  return { rows, columns: strategies.map(({ id }) => id), groups: groupsOf(strategies),
    palette: show.palette, ends: scale?.ends,
    cells: cells.map((cell) =>
      (cell.value === undefined ? cell : { ...cell, t: scale.at(cell.value) })) };
}

function measuredView(dataset, structure, show) {
  const value = values[show.value];
  const cells = dataset.sizes.flatMap((size, row) => dataset.strategies.flatMap((one, column) => {
    const cell = dataset.column(structure.id, size, one.id, show.peer, show.heap);
    if (!cell) return [];
    const card = () => cellCard(cell, dataset);
    const at = { row, column, card, size, strategy: one.id, cell };
    const where = `${structure.id}, 2 to the ${size}, ${one.id}`;
    if (!isMeasured(cell)) {
      return [{ ...at, text: '✕', spoken: `${where}: failed, ${cell.error}` }];
    }
    const figure = value.of(cell, dataset);
    return figure === null ? []
      : [{ ...at, value: figure, text: value.short(figure),
        spoken: `${where}: ${value.write(figure)}` }];
  }));
  return coloured(dataset.sizes, dataset.strategies, cells, show);
}

function publishedView(dataset, model, structure, show) {
  const value = values[show.value];
  const { seconds: tables, leaves } = model.published;
  const bySize = tables[structure.id];
  const rows = show.whole ? Object.keys(bySize).map(Number) : dataset.sizes;
  // The columns match those of the table beside it unless the whole table is wanted.
  const strategies = show.whole ? model.strategies.filter((one) => one.published)
    : dataset.strategies.filter((one) => one.published);
  const cells = rows.flatMap((size, row) => strategies.flatMap((one, column) => {
    const seconds = bySize[size]?.[one.id];
    if (seconds === undefined) return [];
    const figure = value.published(seconds, bySize[size].AS1, leaves);
    return [{ row, column, size, strategy: one.id, value: figure, text: value.short(figure),
      spoken: `published: ${structure.id}, 2 to the ${size}, ${one.id}: ${value.write(figure)}`,
      card: () => smallCard(`${structure.id} · ${one.id} · published`, [
        ['Size', count(2 ** size)], ['Strategy', describeStrategy(one)],
        ['Published', `${seconds} s`], ['Per leaf insertion', duration(seconds / leaves)],
        ['Against its AS1', times(bySize[size].AS1 / seconds)]]) }];
  }));
  return coloured(rows, strategies, cells, show);
}

/** The meaning of the palette's ends and middle. */
const legend = (view, show) => view.ends && h('div', { class: 'legend' }, gradient(show.palette),
  h('div', {}, view.ends.map((mark) => h('span', {}, values[show.value].write(mark)))));

/** One heat map with its title, legend and CSV button; or a word on why there is none. */
function pane(title, label, view, show, csv) {
  if (view.cells.length === 0) {
    return h('div', { class: 'pane' }, h('h4', {}, title), h('p', { class: 'hint empty' },
      values[show.value].published ? 'Not measured.' : 'The paper gives no such figure.'));
  }
  return h('div', { class: 'pane' },
    h('div', { class: 'pane-head' }, h('h4', {}, title), legend(view, show), csvButton(csv, label)),
    h('div', { class: 'scroll' }, heatmap(() => view, { label: `Heat map of ${label}` }).element));
}

const csvHead = ['structure', 'size', 'strategy', 'peer', 'heap', 'value', 'unit'];

function structureCard(dataset, model, structure, show) {
  const measured = measuredView(dataset, structure, show);
  const published = values[show.value].published
    ? publishedView(dataset, model, structure, show) : { cells: [] };
  const { csvUnit } = values[show.value];
  const measuredCsv = () => [csvHead, ...measured.cells.map(({ value, cell }) =>
    [cell.ds, 2 ** cell.size, cell.strategy, cell.peer, cell.heap,
      value ?? `failed: ${cell.error}`, csvUnit])];
  const publishedCsv = () => [csvHead, ...published.cells.map(({ size, strategy, value }) =>
    [structure.id, 2 ** size, strategy, 'published', '', value, csvUnit])];
  return h('article', { class: 'card map-card' },
    h('h3', {}, structure.id, ' ', h('code', {}, structure.type)),
    h('div', { class: 'pair panes' },
      pane(`Measured: ${peerName(show.peer)}, ${heapName(show.heap).toLowerCase()}`,
        `${structure.id}, measured`, measured, show, measuredCsv),
      pane('Published: P0089R1', `${structure.id}, published`, published, show, publishedCsv)));
}

/** Names of AS1 to AS14. */
const strategyKey = (model) => h('details', { class: 'key' },
  h('summary', {}, 'Meaning of AS1 … AS14'),
  h('ul', {}, model.strategies.map((one) =>
    h('li', {}, h('strong', {}, one.id), ` ${describeStrategy(one)}`))));

export function heatmaps(dataset, model) {
  const show = { peer: dataset.peers[0] ?? 'global', heap: dataset.heaps[0], value: 'leaf', palette: 'safe',
    whole: false };
  const body = h('div', { class: 'maps' });
  const redraw = () => {
    disposeCharts(body);
    fill(body, dataset.structures.map((one) => structureCard(dataset, model, one, show)));
  };
  const set = (name) => (value) => { show[name] = value; redraw(); };
  redraw();
  return section('maps', 'Heat maps: measured beside published',
    'Rows are the sizes of the outer container, columns the strategies. Each table is coloured ' +
    'over its own values, as in the paper: compare colours within a table and numbers ' +
    'between tables. Point at a cell, or use the arrow keys, for its spread.',
    strategyKey(model),
    h('div', { class: 'controls sticky' },
      choice('Library', dataset.peers.map((peer) => [peer, peerName(peer)]), show.peer,
        set('peer'), { id: 'map-peer' }),
      choice('Heap', heapOptions(dataset), show.heap, set('heap'),
        { id: 'map-heap' }),
      dropdown('Value', Object.entries(values).map(([id, { name }]) => [id, name]), show.value,
        set('value'), { id: 'map-value' }),
      dropdown('Colours', paletteOptions, show.palette, set('palette'), { id: 'map-palette' }),
      checkbox('Whole published tables', show.whole, set('whole'))),
    body);
}
