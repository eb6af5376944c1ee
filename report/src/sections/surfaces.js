// Ratios over the size of a list and another coordinate, without and with local allocators.

import { chart, disposeCharts } from '../chart.js';
import { choice, dropdown, h, withPowers } from '../dom.js';
import { figureTable } from '../figures.js';
import { interval, plainPowers, significant, times } from '../format.js';
import { lineChart } from '../lines.js';
import { csvOfCell, linksText, seriesCard, writeFigure } from '../measures.js';
import { heapName, measureName } from '../names.js';
import { tableScale } from '../palette.js';
import { publishedShuffles, publishedSurface, timedNothing } from '../published.js';
import { columnName, figureOf, globalColumn } from '../series.js';
import { speedUp, toRatio } from '../stats.js';
import { surface } from '../surface.js';
import { csvButton } from '../table.js';
import { smallCard } from '../tooltip.js';
import { fill } from './section.js';

const isDecimal = (links) => Number.isInteger(Math.log10(links));
const sizeText = (links, exponent) => `${isDecimal(links) ? 10 : 2}^${exponent}`;
const short = (value) => significant(value, value < 10 ? 2 : 3);

/** A grid of ratios: {sizes, columns, figure(size, column) -> {value, card} or failure or null}. */
function gridPane({ title, what, links, columnTitle, sizes, columns, figure, csvHead }) {
  const figures = sizes.map((size) => columns.map((column) => figure(size, column)));
  const values = figures.flat().flatMap((one) => (one?.value ? [one.value] : []));
  if (values.length === 0) {
    return { values, element: () => h('div', { class: 'pane' }, h('h4', {}, title),
      h('p', { class: 'hint empty' }, 'No such figures.')) };
  }
  const scale = tableScale(values, what === 'the ratio');
  const csv = () => [csvHead, ...sizes.flatMap((size, row) => columns.flatMap((column, at) => {
    const one = figures[row][at];
    return one ? [[links, size, column, one.value ?? one.reason]] : [];
  }))];
  /** `top`: the greatest figure of this and its neighbour, so that the heights can be compared. */
  const element = (top) => h('div', { class: 'pane' },
    h('div', { class: 'pane-head' }, h('h4', {}, withPowers(title)), csvButton(csv, `${what}, ${title}`)),
    sizes.length > 1 && columns.length > 1 && surface({
      xs: columns.map(String), ys: sizes.map((one) => plainPowers(sizeText(links, one))),
      xName: columnTitle, yName: 'links per list', write: short,
      z: figures.map((row) => row.map((one) => one?.value ?? null)) },
    { label: `Surface of ${what}, ${title}`, top, position: scale.at }).element,
    figureTable({ heads: ['Links per list'], columns: columns.map(String),
      caption: `${what}, ${title}, by ${columnTitle}`,
      rows: sizes.map((size, row) => ({ labels: [sizeText(links, size)],
        figures: figures[row].map((one) => one && (one.value
          ? { text: short(one.value) + (one.doubtful ? ' †' : ''), t: scale.at(one.value),
            card: one.card }
          : { text: 'failed', failed: true, card: one.card })) })) }));
  return { values, element };
}

const pairOf = (...panes) => {
  const top = Math.max(1, ...panes.flatMap(({ values }) => values));
  return h('div', { class: 'pair panes' }, panes.map(({ element }) => element(top)));
};

/** One cell's degradation, or why there is none. */
function degradationOf(cell) {
  if (!cell) return null;
  const card = () => seriesCard(cell, 'degradation');
  if (cell.status !== 'ok') return { reason: `failed: ${cell.error}`, card };
  const figure = figureOf(cell, 'degradation');
  return figure ? { value: figure.median, card, figure } : null;
}

/** The slow-down without by that with local allocators. */
function gainOf(without, withLocal) {
  const [a, b] = [without, withLocal].map(degradationOf);
  if (!a?.figure || !b?.figure) return a?.reason ? a : b?.reason ? b : null;
  const ratio = toRatio(speedUp(b.figure, a.figure));
  return { value: ratio.value, card: () => smallCard('Slow-down without by with', [
    ['Ratio', times(ratio.value)], ['95 % interval', interval(ratio, times)],
    ['Without', times(a.value)], ['With', times(b.value)]]) };
}

const publishedCard = (title, value, doubtful) => () => smallCard(`${title} · published`,
  [['Printed as', String(value)],
    ...(doubtful ? [['†', 'timed nothing, because its number of accesses overflowed']] : [])]);

/** One of the paper's four views: its measured grid beside the published one. */
function view(series, show, { title, what, published, columnTitle, coordinate, figure }) {
  const matches = ({ at, heap }) => at.links === show.links && at.variant === show.variant &&
    heap === show.heap;
  const sizes = series.values('subsystem', matches).reverse();
  const columns = series.values(coordinate, matches);
  if (coordinate === 'accesses') columns.reverse();
  const csvHead = ['links', 'subsystem', coordinate, 'figure'];
  const measured = gridPane({ title: 'measured', what, links: show.links, columnTitle, sizes, columns,
    csvHead, figure: (size, column) => {
      const rest = { links: show.links, subsystem: size, variant: show.variant };
      return figure(coordinate === 'accesses'
        ? { ...rest, accesses: column, shuffles: show.shuffles }
        : { ...rest, shuffles: column, accesses: show.accesses });
    } });
  const panes = [measured];
  if (published) {
    panes.push(gridPane({ title: `published, ${linksText(published.links)} links`, what,
      links: published.links, columnTitle, sizes: published.table.sizes,
      columns: published.table.columns, csvHead, figure: (size, column) => {
        const value = published.table.at(size, column);
        const doubtful = published.view && timedNothing(published.view, published.links, size, column);
        return value === null ? null
          : { value, doubtful, card: publishedCard(title, value, doubtful) };
      } }));
  }
  return h('article', { class: 'card map-card' }, h('h3', {}, title), pairOf(...panes));
}

/** The three surfaces over list size and accesses in turn: without, with, and their ratio. */
function surfaceViews(series, model, show, tables) {
  const links = [2 ** 21, 2 ** 25].includes(show.links) ? show.links : 2 ** 21;
  const published = (name) =>
    ({ links, view: name, table: publishedSurface(model, tables, name, links) });
  const global = globalColumn(series);
  const cell = (at, column) => series.find(at, column, show.heap);
  const common = { columnTitle: 'accesses in turn', coordinate: 'accesses' };
  const name = columnName(show.column, series.home);
  return [
    view(series, show, { ...common, title: 'Slow-down without local allocators (AS1)',
      what: 'the slow-down without', published: published('without_local'),
      figure: (at) => degradationOf(cell(at, global)) }),
    view(series, show, { ...common, title: `Slow-down with local allocators (${name})`,
      what: 'the slow-down with', published: published('with_local'),
      figure: (at) => degradationOf(cell(at, show.column)) }),
    view(series, show, { ...common, title: `Slow-down without by with: the gain of ${name}`, what: 'the ratio',
      published: published('ratio'),
      figure: (at) => gainOf(cell(at, global), cell(at, show.column)) })];
}

/** The slow-down by number of shuffles, of the global heap and of the chosen strategy. */
function shuffleViews(series, model, show, tables) {
  const published = isDecimal(show.links)
    ? { links: 1e7, table: publishedShuffles(model, tables) } : undefined;
  const common = { columnTitle: 'shuffles', coordinate: 'shuffles' };
  return [
    view(series, show, { ...common, title: 'Slow-down by number of shuffles (AS1)', published,
      what: 'the slow-down by shuffles',
      figure: (at) => degradationOf(series.find(at, globalColumn(series), show.heap)) }),
    view(series, show, { ...common, what: 'the slow-down by shuffles with local allocators',
      title: `The same with local allocators (${columnName(show.column, series.home)})`,
      figure: (at) => degradationOf(series.find(at, show.column, show.heap)) })];
}

/** Every measure of every strategy, by list size: lines and a table. */
function measuresCard(series, show, [first]) {
  const nameOf = (measure) => measureName(measure, series.bench);
  const own = { measure: first, accesses: series.values('accesses', ({ at }) =>
    at.links === show.links && at.variant === show.variant).at(-1) };
  const body = h('div', {});
  const matches = ({ at, heap }) => at.links === show.links && at.variant === show.variant &&
    at.accesses === own.accesses && heap === show.heap;
  const shuffles = () => series.values('shuffles', matches);
  const places = () => series.places((cell) => matches(cell) &&
    cell.at.shuffles === (shuffles().includes(show.shuffles) ? show.shuffles : shuffles().at(-1)),
  'subsystem');
  const columns = () => series.columnsOf(series.peers).filter((one) =>
    places().some((at) => series.find(at, one, show.heap)));
  const redraw = () => {
    disposeCharts(body);
    const figure = (at, column) => figureOf(series.find(at, column, show.heap), own.measure);
    const lines = columns().map((column) => ({ name: columnName(column, series.home),
      points: places().flatMap((at, x) => {
        const one = figure(at, column);
        return one && one.ci_low > 0 ? [{ x, value: one.median, low: one.ci_low, high: one.ci_high,
          card: () => seriesCard(series.find(at, column, show.heap), own.measure) }] : [];
      }) })).filter(({ points }) => points.length > 0);
    const unit = series.cells.map((cell) => figureOf(cell, own.measure)).find(Boolean)?.unit;
    const scale = tableScale(lines.flatMap(({ points }) => points.map(({ value }) => value)), false);
    fill(body,
      lines.length > 0 ? h('div', { class: 'scroll' }, chart(lineChart({
        positions: places().map(({ subsystem }) => plainPowers(sizeText(show.links, subsystem))), series: lines,
        xName: 'Links per list', write: (value) => writeFigure(value, unit) }),
      { height: 360, minWidth: 460, label: `Lines: ${nameOf(own.measure)}` }).element)
        : h('p', { class: 'hint empty' }, 'Nothing was measured.'),
      figureTable({ heads: ['Links per list'], caption: nameOf(own.measure),
        columns: columns().map((one) => columnName(one, series.home)),
        rows: places().map((at) => ({ labels: [sizeText(show.links, at.subsystem)],
          figures: columns().map((column) => {
            const cell = series.find(at, column, show.heap);
            if (!cell) return null;
            const card = () => seriesCard(cell, own.measure);
            if (cell.status !== 'ok') return { text: 'failed', failed: true, card };
            const one = figure(at, column);
            return one ? { text: writeFigure(one.median, unit), t: scale?.at(one.median), card } : null;
          }) })) }));
  };
  const csv = () => [['measure', 'links', 'subsystem', 'accesses', 'shuffles', 'variant', 'strategy',
    'peer', 'malloc', 'heap', 'figure', 'low', 'high', 'unit'],
  ...places().flatMap((at) => columns().flatMap((column) => {
    const cell = series.find(at, column, show.heap);
    return cell ? [[own.measure, at.links, at.subsystem, at.accesses, at.shuffles, at.variant,
      column.strategy, column.peer, column.malloc, show.heap, ...csvOfCell(cell, own.measure)]] : [];
  }))];
  redraw();
  return h('article', { class: 'card' },
    h('div', { class: 'card-head' }, h('h3', {}, 'Times and memory, by strategy'),
      csvButton(csv, 'times and memory')),
    h('div', { class: 'controls' },
      dropdown('Measure', series.measures.map((one) => [one, nameOf(one)]), own.measure,
        (value) => { own.measure = value; redraw(); }, { id: `${series.bench}-measure` }),
      choice('Accesses in turn', series.values('accesses', ({ at }) => at.links === show.links)
        .map((one) => [one, String(one)]), own.accesses,
      (value) => { own.accesses = value; redraw(); })),
    body);
}

export function surfaces(series, { published, measures = series.measures }, model) {
  const locals = series.columns.filter(({ strategy, peer, malloc }) => malloc === series.home &&
    peer !== 'global' && strategy !== 'AS2');
  // The measured totals; those in powers of two first: theirs are the paper's three surfaces.
  const runs = [...new Map(series.cells.map(({ at: { links, variant }, heap }) =>
    [`${links}|${variant}|${heap}`, { links, variant, heap }])).values()]
    .sort((a, b) => isDecimal(a.links) - isDecimal(b.links) || a.links - b.links);
  const runText = ({ links, variant, heap }) => plainPowers(`${linksText(links)} links, ` +
    `shuffled as in the ${variant}, ${heapName(heap).toLowerCase()}`);
  const show = { ...runs[0], column: locals[0] ?? globalColumn(series) };
  const body = h('div', { class: 'maps' });
  const redraw = () => {
    disposeCharts(body);
    const matches = ({ at, heap }) => at.links === show.links && at.variant === show.variant &&
      heap === show.heap;
    const [shuffles, accesses] = ['shuffles', 'accesses'].map((one) => series.values(one, matches));
    show.shuffles = shuffles.includes(5) ? 5 : shuffles.at(-1);
    show.accesses = accesses.includes(10) ? 10 : accesses.at(-1);
    fill(body, shuffles.length > 1 ? shuffleViews(series, model, show, published) : [],
      accesses.length > 1 || shuffles.length === 1 ? surfaceViews(series, model, show, published) : [],
      measuresCard(series, show, measures));
  };
  const change = (changes) => { Object.assign(show, changes); redraw(); };
  redraw();
  return h('div', {},
    h('div', { class: 'controls sticky' },
      dropdown('Measured', runs.map((one, i) => [String(i), runText(one)]), '0',
        (i) => change(runs[Number(i)]), { id: `${series.bench}-run` }),
      dropdown('Local allocator', locals.map((one, i) => [String(i), columnName(one, series.home)]),
        '0', (i) => change({ column: locals[Number(i)] }), { id: `${series.bench}-strategy` })),
    body);
}
