// The tables of Benchmarks III and IV: seconds of AS1 and the others in percent of it, as the paper
// prints them, measured beside published.

import { h } from './dom.js';
import { figureTable } from './figures.js';
import { duration, interval, significant } from './format.js';
import { csvOfCell, placeText, seriesCard } from './measures.js';
import { mainMeasure, measureName } from './names.js';
import { ratioScale } from './palette.js';
import { figureOf, globalColumn } from './series.js';
import { speedUp, toRatio } from './stats.js';
import { csvButton } from './table.js';
import { smallCard } from './tooltip.js';

/** Ten times faster and ten times slower have the full colours. */
const position = ratioScale(10);
const percent = (value) => significant(value, value < 10 ? 2 : 3);

function measuredFigure(series, at, column, heap) {
  const measure = mainMeasure(series.bench);
  const cell = series.find(at, column, heap);
  if (!cell) return null;
  if (cell.status !== 'ok') return { text: 'failed', failed: true, card: () => seriesCard(cell) };
  const time = figureOf(cell, measure);
  const global = globalColumn(series);
  const base = figureOf(series.find(at, global, heap), measure);
  if (column.strategy === global.strategy && column.malloc === global.malloc) {
    return { text: duration(time.median), card: () => seriesCard(cell) };
  }
  if (!base) return { text: duration(time.median), card: () => seriesCard(cell) };
  const share = toRatio(speedUp(base, time));
  return { text: percent(100 * share.value), t: position(1 / share.value),
    card: () => seriesCard(cell, measure, [['In percent of AS1', percent(100 * share.value)],
      ['95 % interval', interval({ low: 100 * share.low, high: 100 * share.high }, percent)]]) };
}

function publishedFigure(row, strategy, title) {
  const figure = row.figures[strategy];
  if (figure === null) return { text: 'failed', failed: true,
    card: () => smallCard(`${strategy} · published`, [['Where', title], ['Printed as', 'fail']]) };
  if (strategy === 'AS1') return { text: duration(figure) };
  return { text: String(figure), t: position(100 / figure),
    card: () => smallCard(`${strategy} · published`, [['Where', title],
      ['In percent of AS1', String(figure)], ['AS1', duration(row.figures.AS1)]]) };
}

const headOf = (column, series) => {
  if (column.malloc !== series.home) return `AS1 ${column.malloc}, %`;
  return column.strategy === 'AS1' ? 'AS1, time' : `${column.strategy}, %`;
};

const title = (at, coordinates, bench) =>
  coordinates.map((one) => `${one} ${placeText(one, at[one], bench)}`).join(', ');

/**
 * The published rows of the measured places; where there is none, those that differ in the first
 * coordinate only (more memory or iterations in all), of its least published value.
 */
function publishedRows({ rows }, places, coordinates) {
  const agreeing = (names) => rows.filter(({ at }) =>
    places.some((one) => names.every((name) => one[name] === at[name])));
  const exact = agreeing(coordinates);
  if (exact.length > 0) return exact;
  const [first, ...rest] = coordinates;
  const near = agreeing(rest);
  return near.filter(({ at }) => at[first] === near[0].at[first]);
}

/** Two panes: what was measured at `places`, and the published rows. */
export function percentagePanes({ series, places, columns, heap, coordinates, heads, published,
  whole, what, titles }) {
  const measure = mainMeasure(series.bench);
  const labels = (at) => coordinates.map((one) => placeText(one, at[one], series.bench));
  const rows = places.map((at) => ({ labels: labels(at),
    figures: columns.map((column) => measuredFigure(series, at, column, heap)) }));
  const printed = whole ? published.rows : publishedRows(published, places, coordinates);
  const csv = () => [[...coordinates, 'strategy', 'peer', 'malloc', 'heap', measure, 'low', 'high',
    'unit', 'percent_of_AS1'],
  ...places.flatMap((at) => columns.flatMap((column) => {
    const cell = series.find(at, column, heap);
    if (!cell) return [];
    const time = figureOf(cell, measure);
    const base = figureOf(series.find(at, globalColumn(series), heap), measure);
    return [[...coordinates.map((one) => at[one]), column.strategy, column.peer, column.malloc, heap,
      ...csvOfCell(cell, measure), time && base ? 100 * time.median / base.median : '']];
  }))];
  const publishedCsv = () => [[...coordinates, 'strategy', 'value', 'unit'],
    ...printed.flatMap(({ at, figures }) => published.strategies.map((one) =>
      [...coordinates.map((name) => at[name]), one, figures[one] ?? 'failed',
        one === 'AS1' ? 's' : '% of AS1']))];
  return [
    h('div', { class: 'pane' },
      h('div', { class: 'pane-head' }, h('h4', {}, titles[0]), csvButton(csv, `${what}, measured`)),
      figureTable({ heads, columns: columns.map((one) => headOf(one, series)), rows,
        caption: `${measureName(measure, series.bench)} of ${what}, measured` })),
    h('div', { class: 'pane' },
      h('div', { class: 'pane-head' }, h('h4', {}, titles[1]),
        printed.length > 0 && csvButton(publishedCsv, `${what}, published`)),
      printed.length === 0 ? h('p', { class: 'hint empty' }, 'The paper has no such row.')
        : figureTable({ heads, columns: published.strategies.map((one) =>
          (one === 'AS1' ? 'AS1, time' : `${one}, %`)),
        rows: printed.map((row) => ({ labels: labels(row.at), figures: published.strategies.map((one) =>
          publishedFigure(row, one, title(row.at, coordinates, series.bench))) })),
        caption: `${what}, published` }))];
}
