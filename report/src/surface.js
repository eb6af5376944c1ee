// A surface over two dimensions that can be turned, by dragging or with the arrow keys: drawn by
// ECharts as polygons, far ones first. It needs no WebGL, and prints as sharp as the rest.

import { chart, fontFamily, tooltip } from './chart.js';
import { announce, withPowers } from './dom.js';
import { shade } from './palette.js';
import { colour, theme } from './theme.js';
import { smallCard } from './tooltip.js';

const height = 380;

/** Room around the drawing for the labels of the axes. */
const margin = { x: 52, top: 14, bottom: 46 };
const cube = [0, 1].flatMap((x) => [0, 1].flatMap((y) => [0, 1].map((z) => [x, y, z])));

/**
 * From the unit cube, z up, to the plane of the screen, as large as it fits; `depth` grows away from
 * the reader.
 */
function projection({ turn, tilt }, width) {
  const [sin, cos] = [Math.sin(turn), Math.cos(turn)];
  const [rise, flat] = [Math.sin(tilt), Math.cos(tilt)];
  const seen = ([x, y, z]) => {
    const away = (x - 0.5) * sin + (y - 0.5) * cos;
    return { x: (x - 0.5) * cos - (y - 0.5) * sin, y: -away * rise - z * flat * 0.7, depth: away };
  };
  const corners = cube.map(seen);
  const [left, right] = [Math.min, Math.max].map((one) => one(...corners.map(({ x }) => x)));
  const [high, low] = [Math.min, Math.max].map((one) => one(...corners.map(({ y }) => y)));
  const scale = Math.min((width - 2 * margin.x) / (right - left),
    (height - margin.top - margin.bottom) / (low - high));
  return (point) => {
    const { x, y, depth } = seen(point);
    return { x: width / 2 + (x - (left + right) / 2) * scale,
      y: height - margin.bottom + (y - low) * scale, depth };
  };
}

/** The quads between four neighbouring figures; none where one of them is missing. */
function quadsOf({ xs, ys, z }, top) {
  const at = (column, row) => [column / Math.max(xs.length - 1, 1), row / Math.max(ys.length - 1, 1),
    z[row][column] / top];
  const quads = [];
  for (let row = 0; row + 1 < ys.length; ++row) {
    for (let column = 0; column + 1 < xs.length; ++column) {
      const corners = [[column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1]];
      const figures = corners.map(([x, y]) => z[y][x]);
      if (figures.some((one) => one === null)) continue;
      quads.push({ points: corners.map(([x, y]) => at(x, y)), column, row,
        mean: figures.reduce((sum, one) => sum + one) / 4 });
    }
  }
  return quads;
}

/** The floor's outline, the ticks of both axes along the edges nearest the reader, and heights. */
function frame({ xs, ys, xName, yName, write }, project, top) {
  const ink = colour('muted');
  const line = (...points) => ({ type: 'polyline', silent: true,
    shape: { points: points.map((one) => { const { x, y } = project(one); return [x, y]; }) },
    style: { stroke: colour('line'), fill: 'none', lineWidth: 1 } });
  const text = (point, value, dx, dy, weight = 400) => {
    const { x, y } = project(point);
    return { type: 'text', silent: true, style: { text: value, x: x + dx, y: y + dy, fill: ink,
      align: 'center', verticalAlign: 'middle', font: `${weight} 10.5px ${fontFamily}` } };
  };
  const corners = [[0, 0], [1, 0], [1, 1], [0, 1]];
  const depth = (x, y) => project([x, y, 0]).depth;
  const yEdge = depth(0, 0.5) < depth(1, 0.5) ? 0 : 1;
  const xEdge = depth(0.5, 0) < depth(0.5, 1) ? 0 : 1;
  const ticks = (labels) => labels.map((label, i) => [label, i])
    .filter(([, i]) => i % Math.ceil(labels.length / 8) === 0);
  const share = (i, labels) => i / Math.max(labels.length - 1, 1);
  // Heights stand at the corner farthest to the left.
  const [left] = [...corners].sort((a, b) => project([...a, 0]).x - project([...b, 0]).x);
  const marks = [0, 0.5, 1].map((part) => part * top);
  return [
    line(...corners.map((one) => [...one, 0]), [0, 0, 0]), line([...left, 0], [...left, 1]),
    ...ticks(xs).map(([label, i]) =>
      text([share(i, xs), xEdge + (xEdge ? 0.07 : -0.07), 0], label, 0, 5)),
    ...ticks(ys).map(([label, i]) =>
      text([yEdge + (yEdge ? 0.07 : -0.07), share(i, ys), 0], label, 0, 5)),
    ...marks.map((mark) => text([...left, mark / top], write(mark), -18, 0)),
    text([0.5, xEdge + (xEdge ? 0.2 : -0.2), 0], xName, 0, 12, 600),
    text([yEdge + (yEdge ? 0.22 : -0.22), 0.5, 0], yName, 0, 12, 600),
  ];
}

/** Turns the view by dragging and with the arrow keys; `redraw` shows the new one. */
function turning(view, redraw) {
  return (made) => {
    const { element } = made;
    element.tabIndex = 0;
    element.classList.add('turnable');
    let from = null;
    const turn = (dx, dy) => {
      view.turn += dx;
      view.tilt = Math.min(Math.max(view.tilt + dy, 0.1), 1.45);
      redraw();
    };
    element.addEventListener('pointerdown', ({ clientX, clientY, pointerId }) => {
      from = [clientX, clientY];
      element.setPointerCapture(pointerId);
    });
    element.addEventListener('pointermove', ({ clientX, clientY }) => {
      if (!from) return;
      turn((clientX - from[0]) / 140, (clientY - from[1]) / 180);
      from = [clientX, clientY];
    });
    for (const name of ['pointerup', 'pointercancel']) {
      element.addEventListener(name, () => { from = null; });
    }
    const steps = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.1],
      ArrowDown: [0, 0.1] };
    element.addEventListener('keydown', (event) => {
      if (!steps[event.key]) return;
      event.preventDefault();
      turn(...steps[event.key]);
      announce(`turned to ${Math.round(view.turn * 180 / Math.PI)} degrees`);
    });
  };
}

/**
 * data: {xs, ys: labels; xName, yName; z: [row][column] or null; write(figure)}; `top` is the greatest
 * height of the axis, so that surfaces side by side share it; position(figure) the place in the
 * palette.
 */
export function surface(data, { label, top, position, palette = 'safe' }) {
  const view = { turn: -0.62, tilt: 0.5 };
  const quads = quadsOf(data, top);
  const option = () => ({
    tooltip: tooltip(({ data: one }) => smallCard(withPowers(label), [
      [data.xName, `${data.xs[one.quad.column]} – ${data.xs[one.quad.column + 1]}`],
      [data.yName, `${data.ys[one.quad.row]} – ${data.ys[one.quad.row + 1]}`],
      ['Mean of the corners', data.write(one.quad.mean)]])),
    series: [{ type: 'custom', coordinateSystem: 'none', ...polygons() }],
  });
  const polygons = () => {
    // Far things are drawn first; how wide the chart is does not change that.
    const flat = projection(view, height);
    const depth = ({ points }) => points.reduce((sum, one) => sum + flat(one).depth, 0);
    const ordered = quads.map((quad) => ({ quad, depth: depth(quad) }))
      .sort((a, b) => b.depth - a.depth);
    return {
      data: [{ value: 0 }, ...ordered.map(({ quad }, i) => ({ value: i + 1, quad }))],
      renderItem({ dataIndex }, api) {
        const project = projection(view, api.getWidth());
        if (dataIndex === 0) {
          return { type: 'group', silent: true, children: frame(data, project, top) };
        }
        const { quad } = ordered[dataIndex - 1];
        return { type: 'polygon',
          shape: { points: quad.points.map(project).map(({ x, y }) => [x, y]) },
          style: { fill: shade(palette, theme(), position(quad.mean)).fill, stroke: colour('raised'),
            lineWidth: 0.7, opacity: 0.94 },
          emphasis: { style: { stroke: colour('ink'), lineWidth: 1.5 } } };
      },
    };
  };
  return chart(option, { height, label, minWidth: 280,
    keyboard: (drawn) => turning(view, () => drawn.refresh())(drawn) });
}
