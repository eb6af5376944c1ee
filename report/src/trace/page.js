// The page of a recorded program: its sections in their order.

import { shellCommand } from '../command.js';
import { showSections } from '../sections/section.js';
import { addresses } from './addresses.js';
import { advice } from './advice.js';
import { dimensions } from './dimensions.js';
import { findings, hasScopes } from './findings.js';
import { flame } from './flame.js';
import { lifetimes } from './lifetimes.js';
import { method } from './method.js';
import { scopes } from './scopes.js';
import { threads } from './threads.js';
import { timeline } from './timeline.js';
import { top } from './top.js';

const always = () => true;

/** Anchor, name in the bar, what makes the section, and for which recordings. */
const sections = [
  ['advice', 'Advice', advice, ({ advice: said }) => Boolean(said)],
  ['top', 'Findings', findings, always],
  ['scopes', 'Arena scopes', scopes, hasScopes],
  ['dimensions', 'Dimensions', dimensions, ({ subsystems }) => subsystems.length > 0],
  ['flame', 'Flame graph', flame, ({ flame: { parent } }) => parent.length > 1],
  ['timeline', 'Timeline', timeline, ({ timeline: { seconds } }) => seconds.length > 1],
  ['lifetimes', 'Lifetimes', lifetimes, ({ lifetimes: { blocks } }) => blocks.length > 0],
  ['threads', 'Threads', threads, ({ activity: { threads: all } }) => all.length > 0],
  ['addresses', 'Addresses', addresses, ({ addresses: { snapshots } }) => snapshots.length > 0],
  ['functions', 'Functions', top, ({ top: rows }) => rows.length > 0],
  ['method', 'Method', method, always],
];

export function showTrace(model, main) {
  showSections(main, sections.filter(([, , , wanted]) => wanted(model))
    .map(([id, text, make]) => [id, text, make(model)]));
  document.title = `Mallard: ${shellCommand(model.command)}`;
}
