// A card of a bench: chosen figures of every column as bars or lines, and the same as a table.

import { chart, disposeCharts } from './chart.js';
import { dropdown, h } from './dom.js';
import { figureBars } from './figure_bars.js';
import { figureTable } from './figures.js';
import { bytes, interval, plainPowers, times } from './format.js';
import { lineChart } from './lines.js';
import { csvOfCell, placeText, seriesCard, writeFigure } from './measures.js';
import { benchName, heapName, mainMeasure, measureName, moreIsBetter } from './names.js';
import { tableScale } from './palette.js';
import { fill } from './sections/section.js';
import { figureOf, placeKey } from './series.js';
import { speedUp, toRatio } from './stats.js';
import { csvButton } from './table.js';

const slowest = 'the slowest';
/** Units whose figures are seen in proportion to one column's; others may be zero, or are parts. */
const relative = ['s', 'count'];

/** Whether ratios lie too far apart for bars from zero. */
function isWide(grid) {
  const all = grid.flatMap(({ points }) => points.flatMap((one) => (one?.value > 0 ? [one.value] : [])));
  return Math.max(...all) > 12 * Math.min(...all);
}

/** The coordinates of a bench that have more than one value anywhere. */
const namesOf = (series) => [...new Set(series.cells.flatMap(({ at }) => Object.keys(at)))];

/** One figure of a cell, in proportion to another's where there is one. */
function point(cell, measure, base, baseName) {
  const one = figureOf(cell, measure);
  if (!one) return null;
  const { median: value, ci_low: low, ci_high: high } = one;
  const plain = { value, low, high, card: () => seriesCard(cell, measure) };
  if (base === undefined) return plain;
  if (!base || !(low > 0) || !(base.ci_low > 0)) return null;
  const ratio = base === one ? { value: 1, low: 1, high: 1 } : toRatio(speedUp(base, one));
  return { value: ratio.value, low: ratio.low, high: ratio.high,
    card: () => seriesCard(cell, measure, [[`In proportion to ${baseName}`,
      base === one ? times(1) : `${times(ratio.value)} (${interval(ratio)})`]]) };
}

/** The coordinate that lines run along where none is said: of numbers, the one with the most values. */
function longest(series, names) {
  const numeric = names.filter((name) =>
    series.values(name).every((value) => typeof value === 'number'));
  return (numeric.length > 0 ? numeric : names).reduce((best, name) =>
    (series.values(name).length > series.values(best).length ? name : best));
}

/** In a table with more rows than this each n-th is shown; the chart has them all. */
const mostRows = 40;
const usualRows = 10;

/**
 * Options:
 *   title, hint, height
 *   along       the coordinate that groups or lines run along, by default the one with the most
 *               values; xName is what it is called, alongUnit how it is written: 'B', or 'share', per
 *               cent of the greatest
 *   beside      a coordinate that changes with it; of several cells, that with the greatest counts
 *   groups      [[name, [measure, …]], …] instead of it: one group of bars for each measure of the
 *               chosen list
 *   measures    those to choose from, the first of them first; by default all, the main one first
 *   bars, log   bars instead of lines; on a logarithmic axis, as ratios that are far apart always
 *               are. Lines: `linear` for an axis from zero
 *   bases       names of columns that figures may be divided by; the first that was measured is.
 *               `anyBase`: every column is one
 *   reference   a measure that is the same for all columns and drawn as a line beside them
 */
export function benchCard(series, options) {
  const { beside, reference } = options;
  const names = namesOf(series);
  // Without any coordinate, the measures stand beside each other.
  const groups = options.groups ?? (names.length > 0 ? undefined
    : series.measures.map((one) => [measureName(one, series.bench), [one]]));
  const along = groups ? undefined : options.along ?? longest(series, names);
  const xName = options.xName ?? along ?? 'Measure';
  const title = options.title ?? `${benchName(series.bench)} by ${xName.toLowerCase()}`;
  const rest = names.filter((name) => name !== along && name !== beside);
  const elsewhere = ({ at }) => Object.fromEntries(rest.map((name) => [name, at[name]]));
  const inAll = (place) => series.values(along, (cell) =>
    placeKey(elsewhere(cell)) === placeKey(place)).length;
  const places = [...new Map(series.cells.map((cell) =>
    [placeKey(elsewhere(cell)), elsewhere(cell)])).values()]
    .sort((a, b) => (along ? inAll(b) - inAll(a) : 0));
  const varying = rest.filter((name) => new Set(places.map((at) => at[name])).size > 1);
  const main = mainMeasure(series.bench);
  const units = Object.assign({}, ...series.cells.map(({ measures }) => measures ?? {}));
  const measures = groups ? groups.map(([name]) => name)
    : (options.measures ?? [...series.measures].sort((a, b) => (b === main) - (a === main) ||
      (units[b].unit === 's') - (units[a].unit === 's'))).filter((one) => one in units);
  const all = series.columnsOf(series.peers);
  const columnNames = all.map((column) => series.nameOf(column));
  const bases = options.anyBase ? columnNames
    : (options.bases ?? []).filter((name) => columnNames.includes(name));
  const show = { measure: measures[0], heap: series.heaps[0], at: places[0],
    base: bases.length > 0 ? bases[0] : '' };
  const nameOf = (measure) => measureName(measure, series.bench);
  const body = h('div', {});

  const positions = () => (along
    ? series.values(along, ({ at, heap }) => heap === show.heap &&
      rest.every((name) => at[name] === show.at[name]))
    : (groups.find(([name]) => name === show.measure)?.[1] ?? []).filter((one) => one in units));
  const measureAt = (value) => (along ? show.measure : value);
  const besides = beside ? series.values(beside).reverse() : [undefined];
  const cellOf = (column, value) => {
    const at = along ? { ...show.at, [along]: value } : show.at;
    return besides.map((one) => series.find(beside ? { ...at, [beside]: one } : at, column, show.heap))
      .find(Boolean);
  };
  const columns = () => all.filter((column) => positions().some((value) => cellOf(column, value)));
  const greatest = along ? Math.max(1, ...series.values(along).filter(Number.isFinite)) : 1;
  const written = { B: bytes, share: (value) => `${Math.round(100 * value / greatest)} %` };
  const label = (value) => written[options.alongUnit]?.(value) ??
    (along ? placeText(along, value, series.bench) : nameOf(value));
  /** The divisor of the figures at a position; undefined: nothing, null: not measured. */
  const baseAt = (value) => {
    const measure = measureAt(value);
    if (!show.base || !relative.includes(units[measure]?.unit)) return undefined;
    if (show.base === slowest) {
      const found = columns().map((column) => figureOf(cellOf(column, value), measure)).filter(Boolean);
      return found.sort((a, b) => b.median - a.median)[0] ?? null;
    }
    const column = all.find((one) => series.nameOf(one) === show.base);
    return figureOf(cellOf(column, value), measure) ?? null;
  };

  const redraw = () => {
    disposeCharts(body);
    const values = positions();
    const base = values.map(baseAt);
    const every = values.length > mostRows ? Math.ceil(values.length / usualRows) : 1;
    const rows = columns().map((column) => ({ name: series.nameOf(column), column,
      points: values.map((value, x) =>
        point(cellOf(column, value), measureAt(value), base[x], show.base)) }));
    const grid = rows.filter(({ points }) => points.some(Boolean));
    const failed = ({ column }) => values.some((value) => {
      const cell = cellOf(column, value);
      return cell && cell.status !== 'ok';
    });
    // Failures are in the table alone.
    const listed = rows.filter((one) => grid.includes(one) || failed(one));
    const unit = units[measureAt(values[0])]?.unit;
    const asRatio = base.some((one) => one !== undefined);
    const write = (value) => (asRatio ? times(value) : writeFigure(value, unit));
    const writeAxis = (value) => (asRatio ? `${Number(value.toPrecision(3))}×` : write(value));
    const log = options.bars ? (asRatio ? isWide(grid) : options.log) : !options.linear;
    const lines = grid.map(({ name, points }) => ({ name, points: points.flatMap((one, x) =>
      (one && (one.low > 0 || !log) ? [{ ...one, x }] : [])) }));
    if (reference in units && reference !== show.measure) {
      lines.push({ name: nameOf(reference).toLowerCase(), points: values.flatMap((value, x) => {
        const one = columns().map((column) => cellOf(column, value))
          .map((cell) => point(cell, reference)).find(Boolean);
        return one ? [{ ...one, x }] : [];
      }) });
    }
    const scaleOf = (points, measure = show.measure) =>
      tableScale(points.flatMap((one) => (one ? [one.value] : [])), moreIsBetter(series.bench, measure));
    // With several measures each row has colours of its own.
    const whole = groups ? null : scaleOf(grid.flatMap(({ points }) => points));
    const scales = values.map((value, x) => whole ??
      scaleOf(grid.map(({ points }) => points[x]), measureAt(value)));
    const labels = values.map((value) => plainPowers(label(value)));
    const common = { positions: labels, xName, write: writeAxis,
      binary: unit === 'B' && !asRatio };
    const drawn = h('div', { class: 'scroll' }, chart(options.bars
      ? figureBars({ ...common, series: grid, log, one: asRatio })
      : lineChart({ ...common, series: lines, linear: options.linear }),
    { height: options.height ?? 340, minWidth: 420,
      label: `${options.bars ? 'Bars' : 'Lines'}: ${nameOf(show.measure)}, ${title}` }).element);
    fill(body, grid.length > 0 ? drawn : h('p', { class: 'hint empty' }, 'Nothing was measured.'),
      figureTable({ heads: [xName],
        caption: `${nameOf(show.measure)}, ${title}`, columns: listed.map(({ name }) => name),
        rows: values.map((value, x) => ({ labels: [label(value)],
          figures: listed.map(({ column, points }) => {
            const cell = cellOf(column, value);
            if (cell && cell.status !== 'ok') {
              return { text: 'failed', failed: true, card: () => seriesCard(cell) };
            }
            const one = points[x];
            return one && { text: write(one.value), t: scales[x]?.at(one.value), card: one.card };
          }) })).filter((row, x) => x % every === 0) }));
  };

  const csv = () => [[...names, 'strategy', 'peer', 'malloc', 'heap', 'measure', 'value', 'low', 'high',
    'unit'], ...columns().flatMap((column) => positions().flatMap((value) => {
    const cell = cellOf(column, value);
    return cell ? [[...names.map((name) => cell.at[name]), column.strategy, column.peer,
      column.malloc, cell.heap, measureAt(value), ...csvOfCell(cell, measureAt(value))]] : [];
  }))];
  const choose = (text, list, write, set, current = list[0]) => (list.length < 2 ? []
    : dropdown(text, list.map((one, i) => [String(i), write(one)]), String(list.indexOf(current)),
      (i) => { set(list[Number(i)]); redraw(); }));
  const placeName = (at) => varying.map((name) =>
    `${name} ${placeText(name, at[name], series.bench)}`).join(', ');
  redraw();
  return h('div', { class: 'card' },
    h('div', { class: 'card-head' }, h('h3', {}, title), csvButton(csv, title.toLowerCase())),
    options.hint && h('p', { class: 'hint intro' }, options.hint),
    h('div', { class: 'controls' },
      choose('Measure', measures, nameOf, (one) => { show.measure = one; }),
      choose('At', places, (at) => plainPowers(placeName(at)), (at) => { show.at = at; }),
      choose('In proportion to', bases.length > 0 ? [...bases, slowest, ''] : [],
        (one) => one || 'nothing', (one) => { show.base = one; }, show.base),
      choose('Heap', series.heaps, heapName, (one) => { show.heap = one; })),
    body);
}
