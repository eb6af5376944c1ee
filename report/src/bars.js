// Grouped bars of speed-ups on a logarithmic axis that starts at 1×: up is faster, down is slower.
// Over each bar: its 95 % interval and the range from the worst to the best cell.

import { across, tooltip } from './chart.js';
import { interval, times } from './format.js';
import { colour } from './theme.js';
import { smallCard } from './tooltip.js';

/** Left edge and width of bar `index` of `total` in a group, as fractions of the group's width. */
export function slot(index, total) {
  const gap = 0.24;
  const width = (1 - gap) / total;
  return { left: gap / 2 + index * width, width };
}

/** Bars and whiskers of one series drawn together: they share the place inside the group. */
function barSeries({ name, tone, means }, index, total) {
  return {
    type: 'custom', name, color: colour(tone),
    // The dimensions beyond the bar's own value make the axis reach the whiskers.
    data: means.map((mean, at) => (mean
      ? [at, ...[mean.value, mean.worst, mean.best].map(Math.log2)]
      : [at, NaN, NaN, NaN])),
    encode: { x: 0, y: [1, 2, 3] },
    renderItem(params, api) {
      const mean = means[params.dataIndex];
      if (!mean) return null;
      const group = api.size([1, 0])[0];
      const { left, width } = slot(index, total);
      const y = (ratio) => api.coord([0, Math.log2(ratio)])[1];
      const x = api.coord([params.dataIndex, 0])[0] - group / 2 + left * group;
      const middle = x + width * group / 2;
      const barWidth = Math.max(width * group - 1.5, 2);
      const line = (from, to, lineWidth, opacity) => ({ type: 'line',
        shape: { x1: middle, x2: middle, y1: y(from), y2: y(to) },
        style: { stroke: colour('ink'), lineWidth, opacity } });
      return { type: 'group', children: [
        { type: 'rect', shape: { x, width: barWidth, y: Math.min(y(mean.value), y(1)),
          height: Math.max(Math.abs(y(mean.value) - y(1)), 1), r: 2 },
        style: { fill: colour(tone) } },
        line(mean.worst, mean.best, 1, 0.45),
        line(mean.low, mean.high, 2.5, 0.9)] };
    },
  };
}

const axisText = (log) => (log >= 0 ? `${2 ** log}×` : `1/${2 ** -log}×`);

/**
 * categories: labels along the axis; titles: the same in full, for the tooltips;
 * series: [{name, tone (a colour of the style sheet), means: [geometricMean or null]}].
 */
export function strategyBars({ categories, titles, series }) {
  return () => ({
    legend: { top: 0, left: 32, itemWidth: 12, itemHeight: 12, itemGap: 16, icon: 'roundRect',
      textStyle: { color: colour('muted'), fontSize: 12 }, inactiveColor: colour('faint') },
    grid: { left: 40, right: 6, top: 34, bottom: categories.length > 8 ? 42 : 26 },
    xAxis: { type: 'category', data: categories, axisTick: { show: false },
      axisLine: { onZero: false, lineStyle: { color: colour('line') } },
      axisLabel: { interval: 0, color: colour('muted'), fontSize: 11,
        rotate: categories.length > 8 ? 40 : 0 } },
    yAxis: { type: 'value', minInterval: 1,
      axisLabel: { color: colour('muted'), fontSize: 11, formatter: axisText },
      splitLine: { lineStyle: { color: colour('line'), opacity: 0.6 } } },
    tooltip: tooltip(({ seriesIndex, dataIndex }) => {
      const { name, means } = series[seriesIndex];
      const mean = means[dataIndex];
      return smallCard(titles[dataIndex], [['Of', name], ['Geometric mean', times(mean.value)],
        ['95 % interval', interval(mean, times)], ['Worst cell', times(mean.worst)],
        ['Best cell', times(mean.best)], ['Cells', String(mean.cells)]]);
    }),
    series: [
      ...series.map((one, index) => barSeries(one, index, series.length)),
      // The line of "no difference".
      across(0),
    ],
  });
}
