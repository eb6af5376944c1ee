// The flame graph: which functions a weight comes from. A click makes a function as wide as the page, the
// field finds functions by name, and the arrow keys walk the tree.

import { announce, choice, h, penOf } from '../dom.js';
import { fill, section } from '../sections/section.js';
import { csvButton } from '../table.js';
import { colour, onThemeChange } from '../theme.js';
import { smallCard } from '../tooltip.js';
import { isSummedUp, pathOf, treeOf, weightOfMatches } from './flame_tree.js';
import { percent, weights } from './names.js';
import { flameOf, onRange } from './range.js';

const rowHeight = 19;
const shown = ['peak_bytes', 'bytes', 'operations', 'cpu_ns', 'live_bytes', 'temporary'];

/** A steady colour for each name: warm for the program, by the hash of what stands before the last ::. */
function hue(name) {
  let hash = 0;
  for (const c of name.replace(/<.*/, '').split('::').slice(0, 2).join('::')) {
    hash = (hash * 31 + c.codePointAt(0)) % 997;
  }
  return hash / 997;
}

function fillOf(name, dark) {
  const at = hue(name);
  return dark ? `hsl(${165 + 40 * at} ${28 + 14 * at}% ${26 + 12 * at}%)`
    : `hsl(${28 + 26 * at} ${72 - 14 * at}% ${78 - 10 * at}%)`;
}

/** As much of the name as there is room for, in pixels. */
function fitted(pen, name, room) {
  const width = pen.measureText(name).width;
  if (width <= room) return name;
  let length = Math.max(1, Math.floor(name.length * room / width));
  while (length > 1 && pen.measureText(`${name.slice(0, length)}…`).width > room) --length;
  return `${name.slice(0, length)}…`;
}

/** The boxes that are wide enough to be seen, of the tree below `root` and the path to it. */
function boxesOf(root, width) {
  const boxes = pathOf(root).slice(0, -1).map((node) => ({ node, x: 0, w: width, faint: true }));
  const open = [{ node: root, x: 0 }];
  const scale = width / Math.max(root.total, 1e-300);
  while (open.length > 0) {
    const { node, x } = open.pop();
    const w = node.total * scale;
    if (w < 0.6) continue;
    boxes.push({ node, x, w });
    let left = x;
    for (const child of node.sorted) {
      open.push({ node: child, x: left });
      left += child.total * scale;
    }
  }
  return boxes;
}

export class FlameGraph {
  /** `tint(node)`, if there is one: a colour, where it has to say more than which function it is. */
  constructor(functions, tint = null) {
    this.functions = functions;
    this.tint = tint;
    this.canvas = h('canvas', { class: 'flame', tabindex: '0', role: 'img',
      'aria-label': 'Flame graph: arrow keys move, Enter zooms in, Escape zooms out' });
    this.card = null;
    this.pattern = '';
    this.canvas.addEventListener('mousemove', (event) => this.point(this.boxAt(event), event));
    this.canvas.addEventListener('mouseleave', () => this.point(null));
    this.canvas.addEventListener('click', (event) => {
      const box = this.boxAt(event);
      if (box) this.zoom(box.node);
    });
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onThemeChange(() => this.draw());
  }

  show(flame, weight, inverted) {
    this.weight = weight;
    this.root = treeOf(flame, this.functions, weight, inverted);
    this.at = this.root;
    this.cursor = this.root;
    this.draw();
  }

  matches() {
    const wanted = this.pattern.toLowerCase();
    return wanted === '' ? null : (name) => name.toLowerCase().includes(wanted);
  }

  zoom(node) {
    this.at = node;
    this.cursor = node;
    this.point(null);
    this.draw();
  }

  draw() {
    const width = this.canvas.clientWidth;
    if (!this.root || width === 0) return;
    this.boxes = boxesOf(this.at, width);
    const height = (1 + Math.max(...this.boxes.map(({ node }) => node.depth))) * rowHeight;
    const pen = penOf(this.canvas, width, height);
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    pen.textBaseline = 'middle';
    const dark = document.documentElement.dataset.theme === 'dark';
    const matches = this.matches();
    for (const box of this.boxes) this.drawBox(pen, box, dark, matches);
  }

  drawBox(pen, { node, x, w, faint }, dark, matches) {
    const y = node.depth * rowHeight;
    const found = matches?.(node.name) && node.parent;
    pen.fillStyle = found ? colour('line-5') : faint ? colour('sunken')
      : this.tint?.(node, dark) ?? fillOf(node.name, dark);
    pen.globalAlpha = matches && !found ? 0.45 : 1;
    pen.fillRect(x, y, Math.max(w - 0.7, 0.6), rowHeight - 1);
    if (node === this.cursor && document.activeElement === this.canvas) {
      pen.strokeStyle = colour('ink');
      pen.strokeRect(x + 0.5, y + 0.5, Math.max(w - 1.5, 1), rowHeight - 2);
    }
    if (w > 26) {
      pen.fillStyle = found ? '#ffffff' : colour('ink');
      pen.fillText(fitted(pen, node.name, w - 8), x + 4, y + rowHeight / 2);
    }
    pen.globalAlpha = 1;
  }

  boxAt({ offsetX, offsetY }) {
    const depth = Math.floor(offsetY / rowHeight);
    return this.boxes?.find(({ node, x, w }) => node.depth === depth && offsetX >= x && offsetX < x + w);
  }

  describe(node) {
    const { name, write } = weights[this.weight];
    return [[name, write(node.total)], ['Of all', percent(node.total / Math.max(this.root.total, 1e-300))],
      ['In itself', write(node.self)]];
  }

  point(box, event) {
    this.card?.remove();
    this.card = null;
    this.canvas.style.cursor = box ? 'pointer' : 'default';
    if (!box) return;
    this.card = h('div', { class: 'hover' }, smallCard(box.node.name, this.describe(box.node)));
    document.body.append(this.card);
    const { width, height } = this.card.getBoundingClientRect();
    this.card.style.left = `${Math.max(8, Math.min(event.clientX + 14, window.innerWidth - width - 8))}px`;
    this.card.style.top = `${event.clientY + 20 + height > window.innerHeight ? event.clientY - height - 12
      : event.clientY + 16}px`;
  }

  key(event) {
    const { cursor } = this;
    const siblings = cursor.parent?.sorted ?? [cursor];
    const near = (step) => siblings[siblings.indexOf(cursor) + step];
    const next = { ArrowDown: () => cursor.sorted[0], ArrowUp: () => cursor.parent, ArrowLeft: () => near(-1),
      ArrowRight: () => near(1) }[event.key];
    if (event.key === 'Enter') this.zoom(cursor);
    else if (event.key === 'Escape') this.zoom(this.root);
    else if (!next) return;
    else {
      this.cursor = next() ?? cursor;
      announce(`${this.cursor.name}: ${this.describe(this.cursor).flat().join(' ')}`);
      this.draw();
    }
    event.preventDefault();
  }
}

/** Name, own weight and total of each function; in a recursion the outermost counts. */
function listOf(root) {
  const all = new Map();
  const open = [[root, new Set()]];
  while (open.length > 0) {
    const [node, above] = open.pop();
    if (node.parent) {
      const one = all.get(node.name) ?? { own: 0, total: 0 };
      one.own += node.self;
      if (!above.has(node.name)) one.total += node.total;
      all.set(node.name, one);
    }
    const names = node.parent ? new Set(above).add(node.name) : above;
    for (const child of node.sorted) open.push([child, names]);
  }
  return [...all].sort(([, a], [, b]) => b.total - a.total);
}

const measuredOf = (flame) => shown.filter((one) => flame[one]?.some((value) => value > 0));

export function flame(model) {
  const graph = new FlameGraph(model.functions);
  const state = { weight: measuredOf(model.flame)[0] ?? 'bytes', inverted: false };
  const found = h('p', { class: 'hint found', 'aria-live': 'polite' });
  const tell = () => {
    const matches = graph.matches();
    if (!matches) return fill(found, '');
    const sum = weightOfMatches(graph.root, matches);
    const bound = isSummedUp(model) ? 'at least ' : '';
    return fill(found, `${bound}${weights[state.weight].write(sum)}, ${percent(sum / Math.max(graph.root.total, 1e-300))} ` +
      `of all, below functions with “${graph.pattern}” in their name`);
  };
  const redraw = () => { graph.show(flameOf(model), state.weight, state.inverted); tell(); };
  const search = h('input', { type: 'search', id: 'flame-search', placeholder: 'Find a function', oninput: () => {
    graph.pattern = search.value.trim();
    graph.draw();
    tell();
  } });
  const csv = () => [['function', `own_${state.weight}`, `total_${state.weight}`],
    ...listOf(treeOf(flameOf(model), model.functions, state.weight, false))
      .map(([name, { own, total }]) => [name, own, total])];
  // A part of the time has fewer weights than the whole.
  const chooser = h('div', {});
  const offer = () => {
    const measured = measuredOf(flameOf(model));
    if (!measured.includes(state.weight)) state.weight = measured[0] ?? 'bytes';
    fill(chooser, choice('Weight', measured.map((one) => [one, weights[one].name]), state.weight,
      (value) => { state.weight = value; redraw(); }, { id: 'flame-weight' }) ?? '');
    redraw();
  };
  offer();
  onRange(offer);
  return section('flame', 'Where it is allocated',
    'The width of a box is its weight. Callers are above their callees. Click a function to zoom in, and a box above ' +
    'it to zoom out.' + (isSummedUp(model) ? ' Boxes below 1/4000 of the whole are summed up as “(others)”, ' +
    'so what is found by a name may be more.' : ''),
    h('article', { class: 'card' },
      h('div', { class: 'controls' },
        chooser,
        choice('Direction', [['down', 'Callers first'], ['up', 'Allocating function first']], 'down',
          (value) => { state.inverted = value === 'up'; redraw(); }, { id: 'flame-direction' }),
        h('div', { class: 'dropdown' }, h('label', { for: 'flame-search' }, 'Search'), search),
        csvButton(csv, 'the functions of the flame graph')),
      found, h('div', { class: 'flame-frame' }, graph.canvas)));
}
