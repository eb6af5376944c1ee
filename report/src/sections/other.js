// Any bench that has no section of its own: one measure of every strategy, along the coordinate with
// the most values.

import { chart, disposeCharts } from '../chart.js';
import { dropdown, h } from '../dom.js';
import { figureTable } from '../figures.js';
import { plainPowers } from '../format.js';
import { lineChart } from '../lines.js';
import { csvOfCell, placeText, placeTitle, seriesCard, writeFigure } from '../measures.js';
import { heapName, measureName } from '../names.js';
import { tableScale } from '../palette.js';
import { figureOf, placeKey } from '../series.js';
import { csvButton } from '../table.js';
import { fill, section } from './section.js';

const title = (bench) => bench.charAt(0).toUpperCase() + bench.slice(1).replaceAll('-', ' ');
const namesOf = (series) => [...new Set(series.cells.flatMap(({ at }) => Object.keys(at)))];

/** The coordinate that the lines run along: of numbers, the one with the most values. */
function longest(series, names) {
  const numeric = names.filter((name) =>
    series.values(name).every((value) => typeof value === 'number'));
  return (numeric.length > 0 ? numeric : names).reduce((best, name) =>
    (series.values(name).length > series.values(best).length ? name : best));
}

function card(series) {
  const nameOf = (measure) => measureName(measure, series.bench);
  const names = namesOf(series);
  const along = longest(series, names);
  const rest = names.filter((name) => name !== along);
  // Where the other coordinates lie: only what was measured together can be chosen.
  const elsewhere = ({ at: { [along]: omitted, ...others } }) => others;
  const inAll = (place) => series.values(along, (cell) =>
    placeKey(elsewhere(cell)) === placeKey(place)).length;
  const places = [...new Map(series.cells.map((cell) =>
    [placeKey(elsewhere(cell)), elsewhere(cell)])).values()].sort((a, b) => inAll(b) - inAll(a));
  // A time, where there is one.
  const units = Object.assign({}, ...series.cells.map(({ measures }) => measures ?? {}));
  const isTime = (measure) => units[measure].unit === 's';
  const measures = [...series.measures].sort((a, b) => isTime(b) - isTime(a));
  const show = { measure: measures[0], heap: series.heaps[0], at: places[0] };
  const body = h('div', {});
  const positions = () => series.values(along, ({ at, heap }) => heap === show.heap &&
    rest.every((name) => at[name] === show.at[name]));
  const cellOf = (column, value) =>
    series.find({ ...show.at, [along]: value }, column, show.heap);
  const columns = () => series.columnsOf(series.peers).filter((column) =>
    positions().some((value) => cellOf(column, value)));
  const redraw = () => {
    disposeCharts(body);
    const lines = columns().map((column) => ({ name: series.nameOf(column),
      points: positions().flatMap((value, x) => {
        const one = figureOf(cellOf(column, value), show.measure);
        return one?.ci_low > 0 ? [{ x, value: one.median, low: one.ci_low, high: one.ci_high,
          card: () => seriesCard(cellOf(column, value), show.measure) }] : [];
      }) })).filter(({ points }) => points.length > 0);
    const unit = series.cells.map((cell) => figureOf(cell, show.measure)).find(Boolean)?.unit;
    const write = (value) => writeFigure(value, unit);
    const scale = tableScale(lines.flatMap(({ points }) => points.map(({ value }) => value)), false);
    fill(body, lines.length > 0
      ? h('div', { class: 'scroll' }, chart(lineChart({ series: lines, xName: along, write,
        positions: positions().map((value) => plainPowers(placeText(along, value, series.bench))) }),
      { height: 360, minWidth: 460, label: `Lines: ${nameOf(show.measure)} of ${series.bench}` })
        .element)
      : h('p', { class: 'hint empty' }, 'Nothing was measured.'),
    figureTable({ heads: [along], caption: `${nameOf(show.measure)} of ${series.bench}`,
      columns: columns().map((one) => series.nameOf(one)),
      rows: positions().map((value) => ({ labels: [placeText(along, value, series.bench)],
        figures: columns().map((column) => {
          const cell = cellOf(column, value);
          if (!cell) return null;
          const about = () => seriesCard(cell, show.measure);
          if (cell.status !== 'ok') return { text: 'failed', failed: true, card: about };
          const one = figureOf(cell, show.measure);
          return one ? { text: write(one.median), t: scale?.at(one.median), card: about } : null;
        }) })) }));
  };
  const csv = () => [[...names, 'strategy', 'peer', 'malloc', 'heap', show.measure, 'low', 'high',
    'unit'], ...columns().flatMap((column) => positions().flatMap((value) => {
    const cell = cellOf(column, value);
    return cell ? [[...names.map((name) => cell.at[name]), column.strategy, column.peer,
      column.malloc, cell.heap, ...csvOfCell(cell, show.measure)]] : [];
  }))];
  const choose = (label, all, write, set) => (all.length < 2 ? []
    : dropdown(label, all.map((one, i) => [String(i), write(one)]), '0',
      (i) => { set(all[Number(i)]); redraw(); }));
  redraw();
  return h('div', { class: 'card' },
    h('div', { class: 'controls' },
      choose('Measure', measures, nameOf, (one) => { show.measure = one; }),
      choose('At', places, (at) => plainPowers(placeTitle(at, series.bench)), (at) => { show.at = at; }),
      choose('Heap', series.heaps, heapName, (one) => { show.heap = one; }),
      csvButton(csv, series.bench)),
    body);
}

/** The section of one bench, under an anchor of its name. */
export const other = (bench) => (dataset) =>
  section(bench, title(bench), null, card(dataset.series[bench]));

/** The benches of a data set that have no section of their own. */
export const otherBenches = ({ series }, shownElsewhere) =>
  Object.keys(series).filter((bench) => !shownElsewhere.includes(bench));
export const otherTitle = title;
