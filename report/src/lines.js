// Lines over some positions, on a logarithmic axis or from zero, each point with its 95 % interval.

import { figureAxis, legend, tooltip } from './chart.js';
import { colour } from './theme.js';

/** Distinguishable in both themes, also for the colour-blind; then the same again, dashed. */
export const tones = ['line-1', 'line-2', 'line-3', 'line-4', 'line-5', 'line-6', 'line-7', 'line-8'];

function intervals(points, tone) {
  return {
    type: 'custom', silent: true, tooltip: { show: false }, z: 1,
    data: points.map(({ x, low, high }) => [x, low, high]), encode: { x: 0, y: [1, 2] },
    renderItem(params, api) {
      const [x, top] = api.coord([api.value(0), api.value(2)]);
      const bottom = api.coord([api.value(0), api.value(1)])[1];
      return { type: 'line', shape: { x1: x, x2: x, y1: top, y2: bottom },
        style: { stroke: tone, lineWidth: 5, opacity: 0.35 } };
    },
  };
}

/** An axis of bytes from zero: some five steps of a power of two. */
export function binaryAxis(greatest) {
  const interval = 2 ** Math.max(0, Math.ceil(Math.log2(greatest / 6)));
  return { min: 0, interval, max: interval * Math.ceil(greatest / interval) };
}

/** 1, 2 and 5 times each power of ten in a range; in a long one the powers alone. */
export function ticks(min, max) {
  const steps = max / min > 2000 ? [1] : [1, 2, 5];
  const first = Math.floor(Math.log10(min));
  const decades = Math.ceil(Math.log10(max)) - first + 1;
  return Array.from({ length: decades }, (unused, at) => steps.map((step) => step * 10 ** (first + at)))
    .flat().filter((value) => value > min * 0.999 && value < max * 1.001);
}

/**
 * positions: labels along the axis; series: [{name, points: [{x (index), value, low, high, card()}]}];
 * write(figure) writes the axis; `linear`: from zero, `binary`: figures are bytes.
 */
export function lineChart({ positions, series, xName, write, linear = false, binary = false }) {
  return () => {
    const all = series.flatMap(({ points }) => points.flatMap(({ low, high }) => [low, high]));
    const nearest = (value, round) => {
      const power = 10 ** Math.floor(Math.log10(value));
      const steps = round === Math.floor ? [5, 2, 1] : [1, 2, 5, 10];
      return power * steps.find((step) => (round === Math.floor ? step * power <= value
        : step * power >= value));
    };
    const many = positions.length > 20;
    const [min, max] = [nearest(Math.min(...all), Math.floor), nearest(Math.max(...all), Math.ceil)];
    const axis = linear
      ? { type: 'value', min: 0, ...(binary ? binaryAxis(Math.max(1, ...all)) : {}) }
      : { type: 'log', min, max };
    const custom = linear ? {} : { customValues: ticks(min, max) };
    const tone = (at) => colour(tones[at % tones.length]);
    return {
      legend: legend(series.map(({ name }) => name), { itemWidth: 18, itemHeight: 9 }),
      grid: { left: 62, right: 12, top: 36, bottom: 44 },
      xAxis: { type: 'category', data: positions, boundaryGap: positions.length < 12, name: xName,
        nameLocation: 'middle', nameGap: 28, nameTextStyle: { color: colour('muted'), fontSize: 12 },
        axisTick: { show: false }, axisLine: { lineStyle: { color: colour('line') } },
        axisLabel: { color: colour('muted'), fontSize: 11,
          ...(many ? { interval: Math.ceil(positions.length / 12) - 1 } : {}) } },
      yAxis: figureAxis(axis, write, custom),
      tooltip: tooltip(({ data }) => data.card()),
      series: series.flatMap(({ name, points }, at) => [
        { type: 'line', name, z: 2, symbol: 'circle', symbolSize: many ? 4 : 7, color: tone(at),
          lineStyle: { width: 2, type: at < tones.length ? 'solid' : 'dashed' },
          data: points.map(({ x, value, card }) => ({ value: [x, value], card })) },
        intervals(points, tone(at))]),
    };
  };
}
