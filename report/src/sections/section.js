// The frame of a section: anchor, heading, lead text, content.

import { h, withPowers } from '../dom.js';

export const section = (id, title, lead, ...content) =>
  h('section', { id, 'aria-labelledby': `${id}-title` },
    h('div', { class: 'section-head' },
      h('h2', { id: `${id}-title` }, title),
      lead && h('p', { class: 'lead' }, lead)),
    ...content);

/** Replaces what is inside an element. */
export const fill = (element, ...content) => element.replaceChildren(...content.flat());

/**
 * Puts sections, [anchor, name in the bar, element], on the page behind `before`. The first heading is
 * the page's title, whichever section it is of.
 */
export function showSections(main, sections, before = []) {
  fill(main, before, sections.map(([, , element]) => element));
  fill(document.getElementById('sections'),
    sections.map(([id, text]) => h('a', { href: `#${id}` }, text)));
  const first = main.querySelector('h2');
  first?.replaceWith(h('h1', { id: first.id }, [...first.childNodes]));
}

/** Figures with a word on each below a title. */
export const tile = (title, figures, tone = '') =>
  h('div', { class: `tile ${tone}` }, h('span', { class: 'tile-title' }, title),
    h('div', { class: 'tile-figures' }, figures.map(([value, detail]) =>
      h('div', {}, h('strong', {}, value), h('span', {}, detail)))));

/** Topics of a method: [title, paragraph or paragraphs]. */
export const topics = (all) => h('div', { class: 'topics' }, all.map(([title, text]) =>
  h('article', {}, h('h3', {}, title), [text].flat().map((one) => h('p', {}, withPowers(one))))));
