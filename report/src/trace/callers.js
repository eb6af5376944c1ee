// Callers and callees: what a function's own frames, and those below them, weigh, by who calls it and by
// what it calls. In a recursion the outermost invocation counts, so that nothing is counted twice.

import { h } from '../dom.js';
import { fill } from '../sections/section.js';
import { table } from '../table.js';
import { treeOf } from './flame_tree.js';
import { functionName, percent, weights } from './names.js';
import { flameOf } from './range.js';

const most = 15;

/** {total, self, callers: [[name, weight]], callees} of a function. */
export function neighbours(root, name) {
  const sums = { total: 0, self: 0, callers: new Map(), callees: new Map() };
  const add = (to, key, value) => to.set(key, (to.get(key) ?? 0) + value);
  const inside = (node) => {
    sums.self += node.self;
    for (const child of node.sorted) {
      if (child.name === name) inside(child);
      else add(sums.callees, child.name, child.total);
    }
  };
  const open = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (node.parent && node.name === name) {
      sums.total += node.total;
      add(sums.callers, node.parent.parent ? node.parent.name : '(the beginning)', node.total);
      inside(node);
    } else open.push(...node.sorted);
  }
  const sorted = (map) => [...map].sort(([, a], [, b]) => b - a);
  return { ...sums, callers: sorted(sums.callers), callees: sorted(sums.callees) };
}

/** A panel for one function after the other. */
export class CallersPanel {
  constructor(model) {
    this.model = model;
    this.element = h('div', { class: 'callers', id: 'callers', 'aria-live': 'polite' });
  }

  link(name, length = 80) {
    const known = !name.startsWith('(');
    return known ? h('button', { type: 'button', class: 'link', 'aria-label': `Callers and callees of ${name}`,
      onclick: () => this.show(name) }, functionName(name, length)) : name;
  }

  show(name = this.name, weight = this.weight) {
    Object.assign(this, { name, weight });
    if (!name) return fill(this.element, '');
    const root = treeOf(flameOf(this.model), this.model.functions, weight, false);
    const found = neighbours(root, name);
    const { write } = weights[weight];
    const part = (title, rows) => h('div', {}, h('h4', {}, title), table([
      { title: 'Function', cell: ([one]) => this.link(one, 60) },
      { title: weights[weight].name, numeric: true, cell: ([, value]) => write(value) },
      { title: 'Share', numeric: true, cell: ([, value]) => percent(value / Math.max(found.total, 1e-300)) },
    ], rows.slice(0, most), { caption: `${title} of ${name}`, className: 'compact' }));
    const callees = [['(in itself)', found.self], ...found.callees].filter(([, value]) => value > 0);
    return fill(this.element, h('h3', {}, functionName(name, 100)),
      h('p', { class: 'hint' }, `${weights[weight].name}: ${write(found.total)}, ` +
        `${percent(found.total / Math.max(root.total, 1e-300))} of all, with what it calls.`),
      h('div', { class: 'pair' }, part('Callers', found.callers), part('Callees', callees)));
  }
}
