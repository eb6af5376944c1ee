// Small helpers that build the page. Text only ever goes in as text, never as markup, so nothing
// inside a result file can become an element of the page.

/** Creates an element: h('td', {class: 'num'}, '1.2', otherElement). */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') Object.assign(element.style, value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child || child === 0));
  return element;
}

/** 2 to the n, as people write it. */
export const power = (n, base = '2') =>
  h('span', { class: 'power' }, base, h('sup', {}, String(n)));

/** Text with every 2^n and 10^n in it written as a power. */
export const withPowers = (text) => text.split(/((?:2|10)\^\d+)/)
  .map((part, at) => (at % 2 ? power(...part.split('^').reverse()) : part));

let nextId = 0;
const uniqueId = (prefix) => `${prefix}-${++nextId}`;

/** A row of mutually exclusive choices; options are [value, text] pairs. Null if there is none. */
export function choice(label, options, current, onChange, props = {}) {
  if (options.length < 2) return null;
  const name = uniqueId('choice');
  const radios = options.map(([value, text]) =>
    h('label', {},
      h('input', { type: 'radio', name, value, checked: value === current,
        onchange: () => onChange(value) }),
      h('span', {}, text)));
  return h('fieldset', { class: 'choice', ...props },
    h('legend', {}, label), h('div', { class: 'segments' }, radios));
}

/** A labelled drop-down list; options are [value, text] pairs. */
export function dropdown(label, options, current, onChange, props = {}) {
  const id = uniqueId('list');
  return h('div', { class: 'dropdown', ...props },
    h('label', { for: id }, label),
    h('select', { id, onchange: (event) => onChange(event.target.value) },
      options.map(([value, text]) =>
        h('option', { value, selected: value === current }, text))));
}

/** A labelled check box. */
export function checkbox(label, checked, onChange) {
  return h('label', { class: 'checkbox' },
    h('input', { type: 'checkbox', checked, onchange: (event) => onChange(event.target.checked) }),
    label);
}

/** The pen of a canvas that has this size, as sharp as the screen. */
export function penOf(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  return pen;
}

/** Tells screen readers (and nobody else) what has just changed. */
export function announce(text) {
  document.getElementById('announcer').textContent = text;
}

/** A button that copies the text made by `produce` and says so. */
export function copyButton(text, produce, props = {}) {
  const button = h('button', { type: 'button', class: 'copy', ...props }, text);
  button.addEventListener('click', async () => {
    const copied = await copyText(produce());
    button.textContent = copied ? 'Copied' : 'Press Ctrl+C to copy';
    announce(copied ? 'Copied to the clipboard' : 'The browser refused access to the clipboard');
    setTimeout(() => { button.textContent = text; }, 1600);
  });
  return button;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Some browsers keep the clipboard from pages opened as files; the old way still works there.
    const area = h('textarea', { class: 'offscreen', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}
