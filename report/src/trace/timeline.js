// Live bytes over time, one layer for each subsystem; below, the epochs: stretches of time between two
// instants at which nothing of a subsystem lives.

import { chart, figureAxis, fontFamily, legend, tooltip } from '../chart.js';
import { h } from '../dom.js';
import { bytes, count, duration } from '../format.js';
import { binaryAxis } from '../lines.js';
import { fill, section } from '../sections/section.js';
import { csvButton } from '../table.js';
import { colour } from '../theme.js';
import { smallCard } from '../tooltip.js';
import { otherTone, toneOf } from './names.js';
import { chooseRange, onRange, range, secondsOf } from './range.js';

const tone = (names, at) => colour(at === names.length - 1 && names[at] === 'others' ? otherTone : toneOf(at));
// The margins by which the sliders' mark and the pointer find a time; labels must not move them.
const grid = { left: 70, right: 14, outerBoundsMode: 'none' };

function timeAxis(seconds) {
  return { type: 'value', min: 0, max: seconds.at(-1), axisLabel: { color: colour('muted'), fontSize: 11,
    hideOverlap: true, alignMaxLabel: 'right', formatter: (value) => (value === 0 ? '0' : duration(value)) },
  splitLine: { show: false }, axisLine: { lineStyle: { color: colour('line') } } };
}

const residentName = 'resident memory';

function layers({ seconds, names, live, resident }) {
  const sums = [...seconds.map((unused, i) => live.reduce((sum, one) => sum + one[i], 0)), ...resident.bytes];
  const hasResident = resident.bytes.length > 1;
  return () => ({
    legend: legend(hasResident ? [...names, residentName] : names,
      { itemWidth: 14, itemHeight: 10, icon: 'roundRect', width: 260 }),
    grid: { ...grid, top: 38, bottom: 26 },
    xAxis: timeAxis(seconds),
    yAxis: figureAxis({ type: 'value', ...binaryAxis(Math.max(1, ...sums)) },
      (value) => (value === 0 ? '0' : bytes(value))),
    tooltip: { ...tooltip((all) => smallCard(`after ${duration(Math.max(all[0].value[0], 1e-9))}`,
      [...all.map(({ seriesName, value }) => [seriesName, bytes(value[1])]),
        ['live in total', bytes(all.reduce((sum, { seriesName, value }) =>
          (seriesName === residentName ? sum : sum + value[1]), 0))]])), trigger: 'axis' },
    series: [...names.map((name, at) => ({ type: 'line', name, stack: 'live', symbol: 'none', step: 'end',
      color: tone(names, at), lineStyle: { width: 0.6 }, areaStyle: { opacity: 0.75 },
      data: seconds.map((x, i) => [x, live[at][i]]) })),
    ...(hasResident ? [{ type: 'line', name: residentName, symbol: 'none', color: colour('ink'),
      lineStyle: { width: 1.4, type: 'dashed' },
      data: resident.seconds.map((x, i) => [Math.min(x, seconds.at(-1)), resident.bytes[i]]) }] : [])],
  });
}

/** A row for each subsystem that has epochs; more than can be seen are drawn as one band. */
function epochRows({ seconds, names, epochs }) {
  const withEpochs = names.map((name, at) => ({ name, at, all: epochs[at] })).filter(({ all }) => all.count > 1);
  if (withEpochs.length === 0) return null;
  const bars = withEpochs.flatMap(({ at, all }, row) => all.from.map((from, i) => [row, from, all.to[i], at]));
  const option = () => ({
    grid: { ...grid, top: 4, bottom: 24 },
    xAxis: timeAxis(seconds),
    yAxis: { type: 'category', inverse: true, data: withEpochs.map(({ name }) => name), axisTick: { show: false },
      axisLine: { show: false }, axisLabel: { inside: false, width: 64, overflow: 'truncate', fontSize: 11, fontFamily,
        color: colour('muted') } },
    tooltip: tooltip(({ value: [row, from, to] }) => smallCard(withEpochs[row].name,
      [['Epoch', `${duration(Math.max(from, 1e-9))} to ${duration(to)}`],
        ['Epochs in total', count(withEpochs[row].all.count)]])),
    series: [{ type: 'custom', data: bars, encode: { x: [1, 2], y: 0 }, renderItem(params, api) {
      const [left, y] = api.coord([api.value(1), api.value(0)]);
      const right = api.coord([api.value(2), api.value(0)])[0];
      return { type: 'rect', shape: { x: left, y: y - 6, width: Math.max(right - left - 1, 1), height: 12, r: 2 },
        style: { fill: tone(names, api.value(3)) } };
    } }],
  });
  return h('div', {}, h('h4', {}, 'Epochs'), chart(option, { height: 30 + withEpochs.length * 22,
    label: 'Epochs of the subsystems' }).element);
}

/**
 * Two sliders, and dragging in the chart: which part of the time the page shows. The chart's own margins are
 * those of `grid`.
 */
function rangePicker(model, frame) {
  const { history } = model;
  const last = history.steps.length - 1;
  const end = model.timeline.seconds.at(-1);
  const mark = h('div', { class: 'range-mark', hidden: true });
  const said = h('span', { class: 'hint', 'aria-live': 'polite' });
  const slider = (id, text, value) => {
    const input = h('input', { type: 'range', id, min: '0', max: String(last), value: String(value),
      oninput: () => chooseRange(history, Number(sliders.from.value), Number(sliders.to.value)) });
    return [input, h('div', { class: 'dropdown wide' }, h('label', { for: id }, text), input)];
  };
  const [from, fromBox] = slider('range-from', 'From', 0);
  const [to, toBox] = slider('range-to', 'To', last);
  const sliders = { from, to };
  const whole = h('button', { type: 'button', onclick: () => chooseRange(history, 0, last) }, 'Whole run');
  const place = (seconds) => {
    const inner = frame.clientWidth - grid.left - grid.right;
    return grid.left + inner * Math.min(seconds / end, 1);
  };
  const show = () => {
    const part = range();
    const [a, b] = part ? [part.from, part.to] : [0, last];
    [from.value, to.value] = [String(a), String(b)];
    mark.hidden = !part;
    whole.disabled = !part;
    const [left, right] = [secondsOf(history, a), Math.min(secondsOf(history, b + 1), end)];
    mark.style.left = `${place(left)}px`;
    mark.style.width = `${Math.max(place(right) - place(left), 2)}px`;
    fill(said, part ? `${left === 0 ? 'the start' : duration(left)} to ${duration(right)}` : 'the whole run');
  };
  const stepAt = (event) => {
    const box = frame.getBoundingClientRect();
    const inner = box.width - grid.left - grid.right;
    const at = (event.clientX - box.left - grid.left) / Math.max(inner, 1) * end;
    return Math.floor(at / history.step_seconds);
  };
  let begun = null;
  frame.addEventListener('pointerdown', (event) => { begun = event.button === 0 ? stepAt(event) : null; });
  const drag = (event) => {
    if (begun !== null && stepAt(event) !== begun) chooseRange(history, begun, stepAt(event));
  };
  frame.addEventListener('pointermove', (event) => { if (event.buttons & 1) drag(event); });
  // A busy browser leaves out the last moves.
  window.addEventListener('pointerup', (event) => {
    drag(event);
    begun = null;
  });
  new ResizeObserver(show).observe(frame);
  frame.append(mark);
  onRange(show);
  show();
  return h('div', { class: 'controls range' }, fromBox, toBox, whole, said);
}

export function timeline(model) {
  const { timeline: data } = model;
  const frame = h('div', { class: 'range-frame' },
    chart(layers(data), { height: 340, label: 'Live bytes over time, by subsystem' }).element);
  const csv = () => [['seconds', ...data.names], ...data.seconds.map((x, i) => [x, ...data.live.map((one) => one[i])])];
  return section('timeline', 'Live bytes over time',
    'Each layer is one subsystem’s live bytes, at the highest instant of each stretch of time, so the top of the curve ' +
    'is the peak. The dashed line is the resident memory of the process. A subsystem that falls to nothing again and ' +
    'again could have an arena for each epoch. Drag over the chart, or move the sliders, to limit the dimensions, ' +
    'the flame graph, the functions, the lifetimes, the threads and the addresses to a part of the time.',
    h('article', { class: 'card' },
      h('div', { class: 'card-head' }, h('h3', {}, 'Live bytes'), csvButton(csv, 'the live bytes over time')),
      model.history.steps.length > 1 && rangePicker(model, frame),
      frame, epochRows(data)));
}
