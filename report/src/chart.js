// The only door to ECharts: registers the few parts the page uses (the bundler drops the rest),
// draws a chart when it comes near the screen, and redraws it when theme or data change.

import { CustomChart, LineChart, RadarChart } from 'echarts/charts';
import { GridComponent, LegendComponent, LegendScrollComponent, RadarComponent, TooltipComponent }
  from 'echarts/components';
import * as echarts from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

import { h } from './dom.js';
import { colour, onThemeChange } from './theme.js';

// SVG and not canvas: sharp on paper and when zoomed.
echarts.use([CustomChart, LineChart, RadarChart, GridComponent, LegendComponent,
  LegendScrollComponent, RadarComponent, TooltipComponent, SVGRenderer]);

export const fontFamily = "'Inter Variable', system-ui, sans-serif";
const live = new Set();

/** Redraws every chart on the page, drawing also those not yet seen. */
const refreshAll = () => live.forEach((chart) => chart.refresh());
onThemeChange(refreshAll);
window.addEventListener('beforeprint', () => live.forEach((chart) => chart.fitPaper()));
window.addEventListener('afterprint', () => live.forEach((chart) => chart.fitScreen()));

const nearScreen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) target.chart.draw();
  }
}, { rootMargin: '800px' });

const resized = new ResizeObserver((entries) => {
  for (const { target } of entries) target.chart.resize();
});

class Chart {
  #engine = null;

  constructor(element, option) {
    this.element = element;
    this.option = option;
    element.chart = this;
    live.add(this);
    nearScreen.observe(element);
    resized.observe(element);
  }

  draw() {
    if (this.#engine || this.element.clientWidth === 0) return;
    this.#engine = echarts.init(this.element, null, { renderer: 'svg' });
    this.refresh();
  }

  /** Makes the option anew (selectors or theme changed) and shows it. */
  refresh() {
    if (!this.#engine) return;
    const option = { ...base(), ...this.option() };
    option.tooltip.position = (point, params, card, rect, { contentSize }) =>
      this.#beside(point, contentSize);
    this.#engine.setOption(option, { notMerge: true });
  }

  resize() {
    this.#engine?.resize();
  }

  /** Draws the chart if need be and lets the style sheet scale it to the paper's width. */
  fitPaper() {
    this.draw();
    this.#engine?.dispatchAction({ type: 'hideTip' });
    const svg = this.element.querySelector('svg');
    svg?.setAttribute('viewBox', `0 0 ${svg.getAttribute('width')} ${svg.getAttribute('height')}`);
  }

  fitScreen() {
    this.element.querySelector('svg')?.removeAttribute('viewBox');
    this.resize();
  }

  /** Places a tooltip next to a point, inside the window and off the point itself. */
  #beside([x, y], [width, height]) {
    const gap = 14;
    const frame = this.element.getBoundingClientRect();
    const fits = (start, size, limit) => start + gap + size <= limit - 8;
    const left = fits(frame.left + x, width, window.innerWidth) ? x + gap : x - gap - width;
    const top = fits(frame.top + y, height, window.innerHeight) ? y + gap : y - gap - height;
    return [Math.max(left, 8 - frame.left), Math.max(top, 8 - frame.top)];
  }

  /** Shows the tooltip of one item of the first series, as the mouse would. */
  point(dataIndex) {
    this.#engine?.dispatchAction({ type: 'downplay', seriesIndex: 0 });
    this.#engine?.dispatchAction({ type: 'highlight', seriesIndex: 0, dataIndex });
    this.#engine?.dispatchAction({ type: 'showTip', seriesIndex: 0, dataIndex });
  }

  unpoint() {
    this.#engine?.dispatchAction({ type: 'downplay', seriesIndex: 0 });
    this.#engine?.dispatchAction({ type: 'hideTip' });
  }

  dispose() {
    live.delete(this);
    nearScreen.unobserve(this.element);
    resized.unobserve(this.element);
    this.#engine?.dispose();
  }
}

/** Options that every chart has. */
function base() {
  return {
    animation: false,
    textStyle: { fontFamily, color: colour('ink') },
  };
}

/** A legend that scrolls where there are many names; those of a `width` are cut there. */
export const legend = (names, { width, ...look }) => ({ type: 'scroll', top: 0, left: 0, itemGap: 14,
  textStyle: { color: colour('muted'), fontSize: 12, ...(width && { width, overflow: 'truncate' }) },
  inactiveColor: colour('faint'), pageTextStyle: { color: colour('muted') },
  pageIconColor: colour('muted'), data: names, ...look });

/** The axis of figures, with lines across; `custom` says at which of them. */
export const figureAxis = (axis, write, custom = {}) => ({ ...axis,
  axisLabel: { color: colour('muted'), fontSize: 11, formatter: write, ...custom },
  minorSplitLine: { show: false },
  splitLine: { lineStyle: { color: colour('line') }, ...custom } });

/** A line across at a figure. */
export const across = (value, look) => ({
  type: 'custom', silent: true, data: [0], tooltip: { show: false }, legendHoverLink: false,
  renderItem(params, api) {
    const { x, width } = params.coordSys;
    const y = api.coord([0, value])[1];
    return { type: 'line', shape: { x1: x, x2: x + width, y1: y, y2: y },
      style: { stroke: colour('ink'), lineWidth: 1, ...look } };
  },
});

/** A tooltip dressed like the page; `content(params)` returns an element. */
export function tooltip(content) {
  return {
    trigger: 'item',
    appendTo: 'body',
    transitionDuration: 0.1,
    backgroundColor: colour('raised'),
    borderColor: colour('line'),
    padding: 0,
    extraCssText: 'box-shadow: var(--shadow); border-radius: 10px; z-index: 50;',
    textStyle: { color: colour('ink'), fontFamily, fontSize: 13 },
    formatter: content,
  };
}

/** A chart of the given height in pixels; `option` is called whenever it is (re)drawn. */
export function chart(option, { height, label, keyboard, minWidth }) {
  const element = h('div', { class: 'chart', role: 'img', 'aria-label': label,
    style: { height: `${height}px`, minWidth: minWidth && `${minWidth}px` } });
  const made = new Chart(element, option);
  keyboard?.(made);
  return made;
}

/** Forgets the charts inside an element that is about to be removed. */
export function disposeCharts(root) {
  for (const element of root.querySelectorAll('.chart')) element.chart.dispose();
}
