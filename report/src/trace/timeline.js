// Live bytes over time, one layer for each subsystem; below, the epochs: stretches of time between two
// instants at which nothing of a subsystem lives.

import { chart, fontFamily, tooltip } from '../chart.js';
import { h } from '../dom.js';
import { bytes, count, duration } from '../format.js';
import { binaryAxis } from '../lines.js';
import { section } from '../sections/section.js';
import { csvButton } from '../table.js';
import { colour } from '../theme.js';
import { smallCard } from '../tooltip.js';
import { otherTone, toneOf } from './names.js';

const tone = (names, at) => colour(at === names.length - 1 && names[at] === 'others' ? otherTone : toneOf(at));
const grid = { left: 70, right: 14 };

function timeAxis(seconds) {
  return { type: 'value', min: 0, max: seconds.at(-1), axisLabel: { color: colour('muted'), fontSize: 11,
    formatter: (value) => (value === 0 ? '0' : duration(value)) }, splitLine: { show: false },
  axisLine: { lineStyle: { color: colour('line') } } };
}

function layers({ seconds, names, live }) {
  const sums = seconds.map((unused, i) => live.reduce((sum, one) => sum + one[i], 0));
  return () => ({
    legend: { type: 'scroll', top: 0, left: 0, itemWidth: 14, itemHeight: 10, icon: 'roundRect', data: names,
      textStyle: { color: colour('muted'), fontSize: 12, width: 260, overflow: 'truncate' },
      inactiveColor: colour('faint'), pageTextStyle: { color: colour('muted') } },
    grid: { ...grid, top: 38, bottom: 26 },
    xAxis: timeAxis(seconds),
    yAxis: { type: 'value', ...binaryAxis(Math.max(1, ...sums)),
      axisLabel: { color: colour('muted'), fontSize: 11, formatter: (value) => (value === 0 ? '0' : bytes(value)) },
      splitLine: { lineStyle: { color: colour('line') } } },
    tooltip: { ...tooltip((all) => smallCard(`after ${duration(Math.max(all[0].value[0], 1e-9))}`,
      [...all.map(({ seriesName, value }) => [seriesName, bytes(value[1])]),
        ['together', bytes(all.reduce((sum, { value }) => sum + value[1], 0))]])), trigger: 'axis' },
    series: names.map((name, at) => ({ type: 'line', name, stack: 'live', symbol: 'none', step: 'end',
      color: tone(names, at), lineStyle: { width: 0.6 }, areaStyle: { opacity: 0.75 },
      data: seconds.map((x, i) => [x, live[at][i]]) })),
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
        ['Epochs in all', count(withEpochs[row].all.count)]])),
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

export function timeline({ timeline: data }) {
  const csv = () => [['seconds', ...data.names], ...data.seconds.map((x, i) => [x, ...data.live.map((one) => one[i])])];
  return section('timeline', 'Live bytes over time',
    'Each layer is what one subsystem has allocated and not yet freed, at the end of each stretch of time. Where ' +
    'a subsystem falls to nothing again and again, each epoch could have an arena of its own.',
    h('article', { class: 'card' },
      h('div', { class: 'card-head' }, h('h3', {}, 'Live bytes'), csvButton(csv, 'the live bytes over time')),
      chart(layers(data), { height: 340, label: 'Live bytes over time, by subsystem' }).element,
      epochRows(data)));
}
