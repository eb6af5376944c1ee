// Grouped bars of figures, each with its 95 % interval: from zero, or on a logarithmic axis.

import { slot } from './bars.js';
import { across, figureAxis, legend, tooltip } from './chart.js';
import { binaryAxis, ticks, tones } from './lines.js';
import { colour } from './theme.js';

/** A bar's size, in pixels. */
const widest = 72;

/** The power of ten at or below. */
const below = (value) => 10 ** Math.floor(Math.log10(value));

/** An axis from zero with some five steps of 1, 2 or 5 times a power of ten. */
function decimalAxis(greatest) {
  if (!(greatest > 0)) return { min: 0, max: 1 };
  const power = below(greatest / 5);
  const interval = power * [1, 2, 5, 10].find((step) => step * power >= greatest / 5);
  const max = interval * Math.ceil(greatest / interval);
  return { min: 0, interval, max: Number(max.toPrecision(6)) };
}

/**
 * Bars of one series and the intervals on them, from `origin`; nothing reaches below `floor`. Colours
 * beyond the last come again, paler.
 */
function bars({ name, points }, index, total, origin, floor) {
  const tone = colour(tones[index % tones.length]);
  const opacity = index < tones.length ? 1 : 0.5;
  return {
    type: 'custom', name, color: tone, itemStyle: { opacity }, clip: true,
    data: points.map((one, at) => [at, one?.value ?? NaN, one?.low ?? NaN, one?.high ?? NaN]),
    encode: { x: 0, y: [1, 2, 3] },
    renderItem(params, api) {
      const one = points[params.dataIndex];
      if (!one) return null;
      const group = api.size([1, 0])[0];
      const { left, width: share } = slot(index, total);
      const width = Math.min(share, widest / group);
      const y = (value) => api.coord([0, Math.max(value, floor)])[1];
      const x = api.coord([params.dataIndex, origin])[0] - group / 2 +
        (left + (share - width) * (total / 2 - index)) * group;
      const middle = x + width * group / 2;
      return { type: 'group', children: [
        { type: 'rect', shape: { x, width: Math.max(width * group - 1, 1.5),
          y: Math.min(y(one.value), y(origin)),
          height: Math.max(Math.abs(y(origin) - y(one.value)), 1), r: 2 },
        style: { fill: tone, opacity } },
        { type: 'line', shape: { x1: middle, x2: middle, y1: y(one.low), y2: y(one.high) },
          style: { stroke: colour('ink'), lineWidth: 1.5, opacity: 0.75 } }] };
    },
  };
}

/**
 * positions: labels of the groups; series: [{name, points: [{value, low, high, card()} or null]}];
 * write(figure) writes the axis; `log`: logarithmic; `one`: figures are ratios, with a line at 1, from
 * which logarithmic bars go up and down;
 * `binary`: they are bytes.
 */
export function figureBars({ positions, series, xName, write, log = false, one = false,
  binary = false }) {
  return () => {
    const most = (pick) => Math.max(0, ...series.flatMap(({ points }) =>
      points.map((point) => (point ? pick(point) : 0))));
    // An interval that is far too wide leaves the chart, so that the bars can still be seen.
    const greatest = Math.min(most(({ high }) => high), 1.5 * most(({ value }) => value));
    const fromZero = binary ? binaryAxis(greatest) : decimalAxis(greatest);
    const shown = series.flatMap(({ points }) => points).filter((point) => point?.low > 0);
    const least = Math.min(...shown.map(({ low, value }) => Math.max(low, value / 3)));
    const floor = log && shown.length > 0 ? below(least) : 0;
    const top = Number((10 * below(most(({ high, value }) => Math.min(high, 3 * value)) || 1))
      .toPrecision(6));
    const fromPower = { type: 'log', min: floor, max: top };
    const custom = log ? { customValues: ticks(floor, top) } : {};
    const origin = log && one ? 1 : floor;
    return {
      legend: legend(series.map(({ name }) => name), { itemWidth: 12, itemHeight: 12, icon: 'roundRect' }),
      grid: { left: 62, right: 8, top: 36, bottom: positions.length > 8 ? 92 : 44 },
      xAxis: { type: 'category', data: positions, name: xName, nameLocation: 'middle',
        nameGap: positions.length > 8 ? 78 : 28,
        nameTextStyle: { color: colour('muted'), fontSize: 12 }, axisTick: { show: false },
        axisLine: { onZero: false, lineStyle: { color: colour('line') } },
        axisLabel: { interval: 0, color: colour('muted'), fontSize: 11,
          rotate: positions.length > 8 ? 32 : 0 } },
      yAxis: figureAxis(log ? fromPower : { type: 'value', ...fromZero }, write, custom),
      tooltip: tooltip(({ seriesIndex, dataIndex }) => series[seriesIndex].points[dataIndex].card()),
      series: [...series.map((single, at) => bars(single, at, series.length, origin, floor)),
        // The figure that all others are divided by.
        ...(one ? [across(1, { lineDash: [4, 3], opacity: 0.6 })] : [])],
    };
  };
}
