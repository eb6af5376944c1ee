// Colours of the heat maps. A palette is a list of stops from "fast" (0) to "slow" (1).

import { h } from './dom.js';

const palettes = {
  safe: {
    name: 'Blue–orange',
    light: ['#2166ac', '#67a9cf', '#f4f1ea', '#ef9a4d', '#b3420a'],
    dark: ['#3f8fd2', '#2f5f8f', '#2a3136', '#9a5a22', '#ee8a3c'],
  },
  viridis: {
    name: 'Viridis',
    light: ['#fde725', '#5ec962', '#21918c', '#3b528b', '#440154'],
    dark: ['#fde725', '#5ec962', '#21918c', '#3b528b', '#440154'],
  },
  paper: {
    name: 'Green–yellow–red',
    light: ['#63be7b', '#ffeb84', '#f8696b'],
    dark: ['#4fa868', '#d9c255', '#d9565a'],
  },
};

export const paletteOptions = Object.entries(palettes).map(([id, { name }]) => [id, name]);

const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** The colour at position t of 0..1, as [r, g, b]. */
function mix(stops, t) {
  const at = Math.min(Math.max(t, 0), 1) * (stops.length - 1);
  const left = Math.min(Math.floor(at), stops.length - 2);
  const [a, b] = [channels(stops[left]), channels(stops[left + 1])];
  return a.map((value, i) => Math.round(value + (b[i] - value) * (at - left)));
}

/** Relative luminance as WCAG defines it. */
function luminance(rgb) {
  const [r, g, b] = rgb.map((value) => {
    const c = value / 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Fill at t and the text colour with the better contrast on it. */
export function shade(id, theme, t) {
  const rgb = mix(palettes[id][theme], t);
  const light = luminance(rgb);
  const onWhite = 1.05 / (light + 0.05);
  const onBlack = (light + 0.05) / 0.05;  // a lighter ink is too faint on some of the colours
  return { fill: `rgb(${rgb.join(',')})`, text: onWhite > onBlack ? '#ffffff' : '#000000' };
}

/** An element with the colour at t; the style sheet picks the one of the theme in force. */
export function heat(element, id, t) {
  for (const name of ['light', 'dark']) {
    const { fill, text } = shade(id, name, t);
    element.style.setProperty(`--${name}`, fill);
    element.style.setProperty(`--${name}-ink`, text);
  }
  return element;
}

/** A strip of the palette; the style sheet picks the gradient of the theme in force. */
export function gradient(id) {
  const strip = h('span', { class: 'gradient', 'aria-hidden': 'true' });
  for (const name of ['light', 'dark']) {
    strip.style.setProperty(`--${name}`,
      `linear-gradient(to right, ${palettes[id][name].join(', ')})`);
  }
  return strip;
}

/** Values closer to the median than this factor never get the full colour: they may be noise. */
const leastSpread = Math.log(1.25);

/**
 * The scale of a whole table, as the paper colours it: the least value at one end, the median in
 * the middle, the greatest at the other end; logarithmic between them. `at` gives the position of
 * a value, `ends` the values at the left end, the middle and the right end. Null without values.
 */
export function tableScale(values, higherIsBetter) {
  const logs = values.filter((v) => v > 0).map(Math.log).sort((a, b) => a - b);
  if (logs.length === 0) return values.length ? { at: () => 0.5, ends: [0, 0, 0] } : null;
  const middle = logs[logs.length >> 1];
  const below = Math.max(middle - logs[0], leastSpread);
  const above = Math.max(logs[logs.length - 1] - middle, leastSpread);
  const position = (value) => {
    if (!(value > 0)) return 0;
    const from = Math.log(value) - middle;
    return 0.5 + 0.5 * from / (from < 0 ? below : above);
  };
  const ends = [middle - below, middle, middle + above].map(Math.exp);
  return higherIsBetter ? { at: (value) => 1 - position(value), ends: ends.reverse() }
    : { at: position, ends };
}

/** Positions for ratios: 1 in the middle, `extreme` times faster or slower at the ends. */
export const ratioScale = (extreme) => (ratio) => 0.5 - Math.log(ratio) / Math.log(extreme) / 2;
