// Tables and their CSV twins.

import { copyButton, h } from './dom.js';

const quote = (value) => {
  const text = value === null || value === undefined ? '' : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** RFC 4180 text of a list of rows. */
export const toCsv = (rows) => rows.map((row) => row.map(quote).join(',') + '\r\n').join('');

/** The button that every table and heat map carries; `rows` is called on the click. */
export const csvButton = (rows, what) =>
  copyButton('Copy as CSV', () => toCsv(rows()), { 'aria-label': `Copy ${what} as CSV` });

/** A table of rows of cells. Wide ones scroll inside their frame, never the page. */
export const framed = (caption, className, head, rows) =>
  h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h('table', { class: className },
      h('caption', { class: 'offscreen' }, caption),
      h('thead', {}, h('tr', {}, head)),
      h('tbody', {}, rows.map((cells) => h('tr', {}, cells)))));

/** The same of columns: [{title, cell(row) -> node or text, numeric}]. */
export function table(columns, rows, { caption, className = '' }) {
  const cellProps = ({ numeric }) => ({ class: numeric ? 'number' : null });
  return framed(caption, className,
    columns.map((column) => h('th', { scope: 'col', ...cellProps(column) }, column.title)),
    rows.map((row) => columns.map((column) => h('td', cellProps(column), column.cell(row)))));
}
