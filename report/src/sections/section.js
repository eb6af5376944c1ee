// The frame of a section: anchor, heading, lead text, content.

import { h } from '../dom.js';

export const section = (id, title, lead, ...content) =>
  h('section', { id, 'aria-labelledby': `${id}-title` },
    h('div', { class: 'section-head' },
      h('h2', { id: `${id}-title` }, title),
      lead && h('p', { class: 'lead' }, lead)),
    ...content);

/** The first heading of the page is its title, whichever section it is of. */
export function promoteTitle(main) {
  const first = main.querySelector('h2');
  first?.replaceWith(h('h1', { id: first.id }, [...first.childNodes]));
}

/** Replaces what is inside an element. */
export const fill = (element, ...content) => element.replaceChildren(...content.flat());
