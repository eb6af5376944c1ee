// The frame of a section: anchor, heading, lead text, content.

import { h } from '../dom.js';

export const section = (id, title, lead, ...content) =>
  h('section', { id, 'aria-labelledby': `${id}-title` },
    h('div', { class: 'section-head' },
      h('h2', { id: `${id}-title` }, title),
      lead && h('p', { class: 'lead' }, lead)),
    ...content);

/** Replaces what is inside an element. */
export const fill = (element, ...content) => element.replaceChildren(...content.flat());
