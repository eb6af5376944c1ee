// Cards over table cells: on pointing at one, and on giving it the focus.

import { h } from './dom.js';

let shown = null;

function hide() {
  shown?.remove();
  shown = null;
}

/** Beside the element, inside the window. */
function place(card, element) {
  const box = element.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const gap = 8;
  const left = Math.min(box.left, window.innerWidth - width - gap);
  const below = box.bottom + gap + height <= window.innerHeight;
  card.style.left = `${Math.max(left, gap)}px`;
  card.style.top = `${Math.max(below ? box.bottom + gap : box.top - gap - height, gap)}px`;
}

function show(element, make) {
  hide();
  shown = h('div', { class: 'hover', role: 'tooltip' }, make());
  document.body.append(shown);
  place(shown, element);
}

/** Gives an element a card; `make` is called when it is wanted. */
export function hoverCard(element, make) {
  element.addEventListener('mouseenter', () => show(element, make));
  element.addEventListener('focus', () => show(element, make));
  element.addEventListener('mouseleave', hide);
  element.addEventListener('blur', hide);
  return element;
}

window.addEventListener('scroll', hide, { passive: true });
window.addEventListener('keydown', ({ key }) => { if (key === 'Escape') hide(); });
