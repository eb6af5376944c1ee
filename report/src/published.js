// The tables of the paper's Benchmarks II to IV, as they are kept: {columns, rows}.

/** The number at the end of a column's name: "iterations_2e8" is 8. */
const numberAtEnd = (column) => Number(column.match(/(\d+)$/)[1]);

/** A table of Benchmark II as {sizes, columns, at(size, column)}. */
function grid({ columns, rows }, toColumn) {
  const names = columns.slice(1).map((one) => toColumn(numberAtEnd(one)));
  return { sizes: rows.map(([size]) => size), columns: names,
    at: (size, column) => rows.find(([one]) => one === size)?.[names.indexOf(column) + 1] ?? null };
}

/** Slow-down by list size and number of shuffles, ten million links. */
export const publishedShuffles = (model, tables) =>
  grid(model.published_series[`${tables}_shuffle_effects_1e7`], (n) => n);

/** view: 'without_local', 'with_local' or 'ratio'; by list size and accesses in turn. Only for 2^21
 *  and 2^25 links. */
export function publishedSurface(model, tables, view, links) {
  const table = model.published_series[`${tables}_${view}_2e${Math.log2(links)}`];
  return table && grid(table, (n) => 2 ** n);
}

/** Cells of 2^25 links that timed nothing, since their number of accesses overflowed to 0. */
export const timedNothing = (view, links, size, accesses) => view !== 'with_local' &&
  links === 2 ** 25 && ((size === 25 && accesses >= 128) || (size === 24 && accesses === 256));

/** Rows of Benchmark III or IV: {at, AS1 (seconds), AS2, … (percent of AS1; null: failed)}. */
export function publishedPercentages(model, name, coordinates) {
  const { columns, rows } = model.published_series[name] ?? { columns: [], rows: [] };
  const strategies = columns.slice(coordinates.length).map((one) => one.split('_')[0]);
  return { strategies, rows: rows.map((row) => ({
    at: Object.fromEntries(coordinates.map((one, i) => [one, row[i]])),
    figures: Object.fromEntries(strategies.map((one, i) => [one, row[coordinates.length + i]])) })) };
}
