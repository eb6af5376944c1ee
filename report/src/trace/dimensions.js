// The six dimensions of each subsystem: a table, the same as axes side by side, and as a radar.

import { chart, legend, tooltip } from '../chart.js';
import { h } from '../dom.js';
import { figureTable } from '../figures.js';
import { bytes, count, significant } from '../format.js';
import { fill, section } from '../sections/section.js';
import { csvButton } from '../table.js';
import { colour } from '../theme.js';
import { smallCard } from '../tooltip.js';
import { dimensionsOfAll, share, toneOf } from './names.js';
import { onRange, range, sum } from './range.js';

/** More lines than this cannot be told apart. */
const mostLines = 7;

function card(one) {
  return smallCard(one.name, [
    ...dimensionsOfAll.map(([letter, name]) => [`${letter} ${name}`, share(one[letter].scaled) +
      (one[letter].literal === undefined ? '' : ` (literal ${one[letter].literal === null ? '–'
        : significant(one[letter].literal, 2)})`)]),
    ['Bytes', bytes(one.bytes)], ['Operations', count(one.operations)], ['Peak', bytes(one.peak)]]);
}

function ofWhole(one) {
  const { bytes: all, peak_bytes: peak, allocations, frees, reallocations } = one.total;
  return { ...one, bytes: all, peak, operations: allocations + frees + reallocations };
}

/** The windows by which each dimension's mean is weighted. Where blocks lie is known for the peak alone. */
const weightOf = { D: null, V: 'allocations', U: 'bytes', C: 'operations', F: 'allocations' };

/** A subsystem in the part of the time that is chosen: sums, and means of the figures of its windows. */
function inPart(one, { from, to }) {
  const part = (name) => one.windows[name].slice(from, to + 1);
  const [allocations, frees, sizes] = [part('allocations'), part('frees'), part('bytes')];
  const operations = allocations.map((n, at) => n + frees[at]);
  const weights = { allocations, bytes: sizes, operations };
  const made = { name: one.name, bytes: sum(sizes), operations: sum(operations),
    peak: Math.max(...part('peak_bytes')), L: { scaled: null } };
  for (const [letter, by] of Object.entries(weightOf)) {
    const figures = part(letter);
    const weight = figures.map((figure, at) => (figure === null ? 0 : by ? weights[by][at] : 1));
    const all = sum(weight);
    made[letter] = { scaled: all > 0 ? sum(figures.map((figure, at) => (figure ?? 0) * weight[at])) / all : null };
  }
  return made;
}

const narrow = () => window.innerWidth < 700;

const namesOf = (all) => legend(all.map(({ name }) => name), { itemWidth: 18, itemHeight: 9, width: 260 });

/** One vertical axis for each dimension, a line for each subsystem; gaps where nothing was recorded. */
function parallel(all) {
  return {
    legend: namesOf(all),
    grid: { left: 34, right: 20, top: 40, bottom: 44 },
    // Beside each other the names have no room where the page is narrow; the radar has them.
    xAxis: { type: 'category',
      data: dimensionsOfAll.map(([letter, name]) => (narrow() ? letter : `${letter}\n${name}`)),
      axisTick: { show: false }, axisLine: { lineStyle: { color: colour('line') } },
      axisLabel: { color: colour('muted'), fontSize: 11, lineHeight: 15, interval: 0 },
      splitLine: { show: true, lineStyle: { color: colour('line') } } },
    yAxis: { type: 'value', min: 0, max: 1, axisLabel: { color: colour('muted'), fontSize: 11 },
      splitLine: { lineStyle: { color: colour('line'), opacity: 0.4 } } },
    tooltip: tooltip(({ seriesIndex }) => card(all[seriesIndex])),
    series: all.map((one, at) => ({ type: 'line', name: one.name, color: colour(toneOf(at)), symbolSize: 8,
      symbol: 'circle', lineStyle: { width: 2 }, data: dimensionsOfAll.map(([letter]) => one[letter].scaled) })),
  };
}

function radar(all) {
  return {
    legend: namesOf(all),
    radar: { center: ['50%', '56%'], radius: narrow() ? '44%' : '66%', splitNumber: 4,
      indicator: dimensionsOfAll.map(([letter, name]) => ({ name: narrow() ? name : `${letter} ${name}`, max: 1 })),
      axisName: { color: colour('muted'), fontSize: narrow() ? 11 : 12 },
      splitLine: { lineStyle: { color: colour('line') } }, splitArea: { show: false },
      axisLine: { lineStyle: { color: colour('line') } } },
    tooltip: tooltip(({ dataIndex }) => card(all[dataIndex])),
    series: [{ type: 'radar', symbolSize: 6, data: all.map((one, at) => ({ name: one.name,
      value: dimensionsOfAll.map(([letter]) => one[letter].scaled ?? 0),
      itemStyle: { color: colour(toneOf(at)) }, lineStyle: { width: 2 },
      areaStyle: { opacity: 0.06 } })) }],
  };
}

/** What was imported has no windows. */
export const hasWindows = ({ subsystems }) => subsystems.every(({ windows }) => windows.bytes);

export function dimensions(model) {
  const { subsystems } = model;
  let all = [];
  const isPart = () => range() && hasWindows(model);
  const choose = () => { all = subsystems.map((one) => (isPart() ? inPart(one, range()) : ofWhole(one))); };
  choose();
  const drawn = () => all.slice(0, mostLines);
  const charts = [
    chart(() => parallel(drawn()), { height: 360, label: 'The six dimensions as parallel axes' }),
    chart(() => radar(drawn()), { height: 360, label: 'The six dimensions as radar' })];
  const rows = () => [['subsystem', ...dimensionsOfAll.flatMap(([letter]) =>
    [`${letter}_scaled`, `${letter}_literal`]), 'bytes', 'operations', 'peak_bytes'],
  ...all.map((one) => [one.name, ...dimensionsOfAll.flatMap(([letter]) =>
    [one[letter].scaled, one[letter].literal ?? null]), one.bytes, one.operations, one.peak])];
  const body = h('div', {});
  const list = () => fill(body,
    range() ? h('p', { class: 'hint part' }, isPart()
      ? 'Of the chosen part of the time: each figure is the mean of its stretches. Locality is known for the whole ' +
        'run alone.'
      : 'Of the whole run: what was imported has no figures of parts.') : [],
    figureTable({ heads: ['Subsystem'], caption: 'The six dimensions of each subsystem', palette: 'viridis',
      columns: [...dimensionsOfAll.map(([letter, name]) => `${letter} ${name}`), 'Bytes', 'Operations', 'Peak'],
      rows: all.map((one) => ({ labels: [one.name], figures: [
        ...dimensionsOfAll.map(([letter]) => ({ text: share(one[letter].scaled), t: one[letter].scaled ?? undefined,
          card: () => card(one) })),
        { text: bytes(one.bytes) }, { text: count(one.operations) }, { text: bytes(one.peak) }] })) }));
  list();
  onRange(() => {
    choose();
    list();
    for (const one of charts) one.refresh();
  });
  return section('dimensions', 'The six dimensions',
    'Density, variation, locality, utilization, contention and fragmentability of each subsystem, scaled to 0 to ' +
    '1. Point at a figure for the value of the documents’ own formula.',
    h('div', { class: 'pair' },
      h('article', { class: 'card' }, h('h3', {}, 'Side by side'), charts[0].element),
      h('article', { class: 'card' }, h('h3', {}, 'As shapes'), charts[1].element)),
    h('article', { class: 'card after' },
      h('div', { class: 'card-head' }, h('h3', {}, 'All subsystems'), csvButton(rows, 'the six dimensions')),
      body,
      h('ul', { class: 'hint meanings' }, dimensionsOfAll.map(([letter, name, zero, one]) =>
        h('li', {}, h('strong', {}, `${letter} ${name}`), `: 0 ${zero}, 1 ${one}`)))));
}
