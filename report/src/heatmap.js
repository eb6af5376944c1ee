// A heat map with numbers in its cells, drawn by ECharts: rows down, columns across, an optional
// line of column groups above. Arrow keys walk through the cells.

import { chart, fontFamily, tooltip } from './chart.js';
import { announce } from './dom.js';
import { shade } from './palette.js';
import { colour, theme } from './theme.js';

const rowHeight = 24;
const headHeight = 24;
const groupHeight = 20;

/** Group names above the columns with a line under each. */
function groupSeries(groups, top) {
  return {
    type: 'custom', silent: true, z: 3, tooltip: { show: false },
    data: groups.map(({ first, last }) => [first, last]),
    renderItem(params, api) {
      const { name } = groups[params.dataIndex];
      const width = api.size([1, 0])[0];
      const left = api.coord([api.value(0), 0])[0] - width / 2 + 2;
      const right = api.coord([api.value(1), 0])[0] + width / 2 - 2;
      return { type: 'group', children: [
        { type: 'line', shape: { x1: left, x2: right, y1: top, y2: top },
          style: { stroke: colour('faint'), lineWidth: 1.5 } },
        { type: 'text', style: { text: name, x: (left + right) / 2, y: top - 5, align: 'center',
          verticalAlign: 'bottom', fill: colour('muted'), width: right - left,
          overflow: 'truncate', font: `600 11px ${fontFamily}` } },
      ] };
    },
  };
}

/** One rectangle with its text; failed cells are outlined, never coloured like a value. */
function cellSeries(cells, paletteId) {
  return {
    type: 'custom',
    data: cells.map(({ column, row }) => [column, row]),
    renderItem(params, api) {
      const cell = cells[params.dataIndex];
      const [x, y] = api.coord([api.value(0), api.value(1)]);
      const [width, height] = api.size([1, 1]);
      const failed = cell.t === undefined;
      const { fill, text } = failed
        ? { fill: colour('failed'), text: colour('failed-ink') }
        : shade(paletteId, theme(), cell.t);
      return {
        type: 'rect',
        shape: { x: x - width / 2 + 0.75, y: y - height / 2 + 0.75,
          width: Math.max(width - 1.5, 1), height: Math.max(height - 1.5, 1), r: 3 },
        style: { fill },
        textContent: { style: { text: cell.text, fill: text,
          font: `500 ${width < 34 ? 10 : 11.5}px ${fontFamily}` } },
        textConfig: { position: 'inside' },
        emphasis: { style: { stroke: colour('ink'), lineWidth: 2 } },
      };
    },
  };
}

const axis = (labels, look) => ({
  type: 'category', data: labels.map(String),
  axisLine: { show: false }, axisTick: { show: false }, splitLine: { show: false },
  axisLabel: { interval: 0, color: colour('muted'), fontFamily, fontSize: 11, ...look },
});

const powerLabel = () => ({
  formatter: (n) => `2{exponent|${n}}`,
  rich: { exponent: { fontSize: 9, padding: [0, 0, 7, 1], color: colour('muted'), fontFamily } },
});

/** Walks the cells with the arrow keys, showing each one's tooltip and speaking its text. */
function keyboard(view) {
  return (made) => {
    let at = null;
    const { element } = made;
    element.tabIndex = 0;
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    element.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') { at = null; made.unpoint(); return; }
      const step = steps[event.key];
      const { cells, columns, rows } = view();
      if (!step || cells.length === 0) return;
      event.preventDefault();
      const start = at ?? { column: -step[0], row: -step[1] };
      let [column, row] = [start.column, start.row];
      let index = -1;
      // Holes in the table are stepped over; at the edge the cursor stays where it is.
      do {
        column += step[0];
        row += step[1];
        index = cells.findIndex((cell) => cell.column === column && cell.row === row);
      } while (index < 0 && column >= 0 && row >= 0 && column < columns.length && row < rows.length);
      if (index < 0) return;
      at = { column, row };
      made.point(index);
      announce(cells[index].spoken);
    });
    element.addEventListener('blur', () => { at = null; made.unpoint(); });
  };
}

/**
 * view() describes the heat map as it is to be drawn now:
 *   rows            binary logarithms of sizes, written as powers of two
 *   columns         labels
 *   groups          [{name, first, last}] over the columns
 *   cells           [{column, row, t (undefined: failed), text, spoken, card()}]
 *   palette         id of the palette
 */
export function heatmap(view, { label, columnWidth = 34 }) {
  const option = () => {
    const { rows, columns, cells, groups = [], palette } = view();
    const top = headHeight + (groups.length ? groupHeight : 0);
    return {
      grid: { left: 44, right: 4, top, bottom: 4 },
      xAxis: { ...axis(columns), position: 'top' },
      yAxis: { ...axis(rows, powerLabel()), inverse: true },
      tooltip: tooltip(({ dataIndex }) => cells[dataIndex].card()),
      series: [cellSeries(cells, palette), ...(groups.length ? [groupSeries(groups, groupHeight)] : [])],
    };
  };
  const { rows, columns, groups = [] } = view();
  return chart(option, {
    label, keyboard: keyboard(view),
    height: rows.length * rowHeight + headHeight + (groups.length ? groupHeight : 0) + 4,
    minWidth: 48 + columns.length * columnWidth,
  });
}
