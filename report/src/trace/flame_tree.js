// The tree behind the flame graph: from the columns of the model to nodes with totals, either way up.

/** One function below another, with what its whole subtree weighs. */
class Node {
  constructor(name, parent) {
    this.name = name;
    this.parent = parent;
    this.depth = parent ? parent.depth + 1 : 0;
    this.self = 0;
    this.total = 0;
    this.children = new Map();
  }

  child(name) {
    let found = this.children.get(name);
    if (!found) {
      found = new Node(name, this);
      this.children.set(name, found);
    }
    return found;
  }
}

/** Totals from the leaves up, and children with the heaviest first; without recursion. */
function finish(root) {
  const order = [root];
  for (let at = 0; at < order.length; ++at) order.push(...order[at].children.values());
  for (const node of order) node.total = node.self;
  for (let at = order.length - 1; at > 0; --at) order[at].parent.total += order[at].total;
  for (const node of order) {
    node.sorted = [...node.children.values()].filter(({ total }) => total > 0)
      .sort((a, b) => b.total - a.total);
  }
  return root;
}

/** Whether light parts of the tree were summed up, so that sums by name leave something out. */
export const isSummedUp = ({ functions, flame }) => flame.function.includes(functions.indexOf('(others)'));

/**
 * flame: {parent: [], function: [], <weight>: []}, a node's parent before it, the root at 0; the weights
 * are each node's own. Callers on top; `inverted`: what allocates on top, its callers below.
 */
export function treeOf(flame, functions, weight, inverted) {
  const root = new Node('all', null);
  if (!inverted) {
    const nodes = flame.parent.map(() => null);
    nodes[0] = root;
    for (let at = 1; at < nodes.length; ++at) {
      nodes[at] = nodes[flame.parent[at]].child(functions[flame.function[at]]);
      nodes[at].self += flame[weight][at];
    }
    return finish(root);
  }
  for (let at = 1; at < flame.parent.length; ++at) {
    const own = flame[weight][at];
    if (own === 0) continue;
    let node = root;
    for (let up = at; up !== 0; up = flame.parent[up]) node = node.child(functions[flame.function[up]]);
    node.self += own;
  }
  return finish(root);
}

/** From the root down to a node. */
export function pathOf(node) {
  const path = [];
  for (let at = node; at; at = at.parent) path.unshift(at);
  return path;
}

/** The weight of all functions with a name that matches, each stack counted once. */
export function weightOfMatches(root, matches) {
  let sum = 0;
  const open = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (node.parent && matches(node.name)) sum += node.total;
    else open.push(...node.sorted);
  }
  return sum;
}
