// Tables of coloured figures: what a row is about on the left, then one figure per column, with a
// card that tells its spread.

import { h, withPowers } from './dom.js';
import { hoverCard } from './hover.js';
import { shade } from './palette.js';
import { framed } from './table.js';

/** Fill and ink of both themes; the style sheet picks those of the theme in force. */
function paint(element, palette, t) {
  for (const theme of ['light', 'dark']) {
    const { fill, text } = shade(palette, theme, t);
    element.style.setProperty(`--${theme}-fill`, fill);
    element.style.setProperty(`--${theme}-ink`, text);
  }
}

function figureCell(figure, palette) {
  if (!figure) return h('td', { class: 'figure-cell none' }, '–');
  const failed = figure.failed ? ' failed' : '';
  const painted = figure.t === undefined || failed ? '' : ' painted';
  const cell = h('td', { class: `figure-cell${failed}${painted}`,
    tabindex: figure.card ? '-1' : null }, figure.text);
  if (painted) paint(cell, palette, figure.t);
  return figure.card ? hoverCard(cell, figure.card) : cell;
}

/** One stop for the tab key; from there the arrow keys walk through the figures that have a card. */
function walkable(table) {
  table.querySelector('td[tabindex]')?.setAttribute('tabindex', '0');
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  table.addEventListener('keydown', (event) => {
    const from = event.target.closest('td');
    if (!steps[event.key] || !from) return;
    event.preventDefault();
    const [across, down] = steps[event.key];
    let [column, row] = [from.cellIndex, from.parentElement.rowIndex];
    let next;
    do {
      column += across;
      row += down;
      next = table.rows[row]?.cells[column];
    } while (next && !next.hasAttribute('tabindex'));
    if (!next) return;
    from.setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    next.focus();
  });
}

/**
 * heads: names of the row labels; columns: names of the figures; rows: [{labels, figures}] with
 * figures [{text, t, failed, card} or null], t being the place in the palette.
 */
export function figureTable({ heads, columns, rows, caption, palette = 'safe' }) {
  const frame = framed(caption, 'figures-table', [
    heads.map((head) => h('th', { scope: 'col', class: 'row-label' }, head)),
    columns.map((name) => h('th', { scope: 'col', class: 'number' }, name))],
  rows.map(({ labels, figures }) => [
    labels.map((label) => h('th', { scope: 'row', class: 'row-label' }, withPowers(label))),
    figures.map((figure) => figureCell(figure, palette))]));
  walkable(frame.firstChild);
  return frame;
}
