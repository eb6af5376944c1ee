// What a reader should know first, in words; then the figures of the whole run.

import { commandLine } from '../command.js';
import { h } from '../dom.js';
import { bytes, count, duration, significant } from '../format.js';
import { section } from '../sections/section.js';
import { functionName, percent } from './names.js';

const strong = (text) => h('strong', {}, text);

/** Where an arena would go: the scope with the most bytes in it. */
function scopeFinding({ arena_scopes: scopes, total }) {
  if (scopes.length === 0) {
    return ['No arena scope', 'No function was found whose blocks are dead when it returns: a monotonic ' +
      'resource has no place here that the recording shows.'];
  }
  const real = scopes.filter((one) => !one.whole_program);
  if (real.length === 0) {
    const [run] = scopes;
    return ['No arena scope', [functionName(run.function), ' is the whole run: it was called once and has ',
      strong(percent(run.bytes.total / total.bytes)), ' of all bytes below it. What dies with it dies with the ' +
      'program, so an arena there would only grow; of no function below it are the blocks dead when it returns.']];
  }
  const best = real.reduce((a, b) => (b.bytes.total > a.bytes.total ? b : a));
  const calls = best.invocations === 1 ? 'once' : `${count(best.invocations)} times`;
  return ['An arena scope', [functionName(best.function), ` was called ${calls}; `,
    strong(percent(best.dead_share)), ' of the blocks allocated below it were dead when it returned. One ' +
    'call takes ', strong(bytes(best.bytes.median)), ' in the median and ', bytes(best.bytes.max),
    ` at most; together ${percent(best.bytes.total / total.bytes)} of all bytes.`,
    best.survivors_blocks > 0 ? ` ${count(best.survivors_blocks)} blocks survived.` : '']];
}

/** How much time there is to gain from allocation alone. */
function densityFinding({ total }) {
  if (total.density === null) return null;
  const bound = 1 / Math.max(1 - total.density, 0.01);
  return ['Density', [strong(percent(total.density)), ' of the program’s processor time goes into malloc and ' +
    'free. Were they free of charge, the program would be ', strong(`${significant(bound)}×`), ' as fast; ' +
    'what the placement of blocks costs comes on top.']];
}

function topFinding({ top, total }) {
  if (top.length === 0 || total.bytes === 0) return null;
  const most = top.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  return ['Most bytes', [functionName(most.function), ' allocates ', strong(percent(most.bytes / total.bytes)),
    ` of all bytes in ${count(most.operations)} operations.`]];
}

function temporaryFinding({ total }) {
  if (total.allocations === 0) return null;
  const part = total.temporary / total.allocations;
  return part < 0.1 ? null : ['Temporary blocks', [strong(percent(part)), ' of all blocks are freed by the very ' +
    'next operation of their thread.']];
}

function remoteFinding({ total }) {
  const part = total.frees > 0 ? total.remote_frees / total.frees : 0;
  return part < 0.01 ? null : ['Remote frees', [strong(percent(part)), ' of all blocks are freed by another ' +
    'thread than the one that allocated them: an unsynchronized resource will not do for those.']];
}

function moveFinding({ total }) {
  return total.moved_bytes < 0.05 * total.bytes ? null : ['Reallocation',
    [`${count(total.reallocations)} reallocations copied `, strong(bytes(total.moved_bytes)),
      '. Where arrays can grow in place (heap_resource), nothing is copied.']];
}

function leakFinding({ total }) {
  return total.leaked_bytes === 0 ? null : ['Live at the end', [strong(bytes(total.leaked_bytes)),
    ` in ${count(total.live_blocks)} blocks were never freed.`]];
}

const makers = [scopeFinding, densityFinding, topFinding, temporaryFinding, moveFinding, remoteFinding,
  leakFinding];

function facts({ recording }) {
  const rows = [
    ['Program', h('code', {}, recording.command)],
    ['Process', `${recording.pid}${recording.ended ? `, ${recording.ended}` : ''}`],
    ['Recorded', `${duration(recording.seconds)} from ${recording.started} on`],
    ['Events', `${count(recording.events)}, ${significant(recording.trace_bytes / Math.max(recording.events, 1))} ` +
      'bytes each in the file'],
    ['Stacks', recording.unwinder],
    ['Threads', count(recording.threads)],
    ['Waited', recording.waited_seconds > 0 ? `${duration(recording.waited_seconds)} for full buffers` : 'never'],
    ...(recording.dropped > 0 ? [['Dropped', `${count(recording.dropped)} events`]] : []),
    ['Made by', `mallard ${recording.version}`],
  ];
  return h('aside', { class: 'facts card', 'aria-label': 'What was recorded' },
    h('dl', {}, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
    h('div', { class: 'reproduce' }, h('h3', {}, 'To record it again'),
      commandLine(`mallard record -- ${recording.command}`)));
}

function tiles({ total, recording }) {
  const tile = (title, ...figures) => h('div', { class: 'tile' }, h('span', { class: 'tile-title' }, title),
    h('div', { class: 'tile-figures' }, figures.map(([value, detail]) =>
      h('div', {}, h('strong', {}, value), h('span', {}, detail)))));
  return h('div', { class: 'tiles' },
    tile('Blocks', [count(total.allocations), 'allocated'], [count(total.frees), 'freed']),
    tile('Bytes', [bytes(total.bytes), 'in all'], [bytes(total.peak_bytes), 'at the peak']),
    tile('Rate', [count(total.allocations / Math.max(recording.seconds, 1e-9)), 'allocations a second']),
    tile('Reallocations', [count(total.reallocations), 'calls'], [bytes(total.moved_bytes), 'copied']));
}

export function findings(model) {
  const said = makers.map((make) => make(model)).filter(Boolean);
  return section('top', 'Where does this program’s memory come from, and where would an arena go?', null,
    h('div', { class: 'hero' },
      h('div', { class: 'hero-main' },
        h('ul', { class: 'said' }, said.map(([title, text]) =>
          h('li', {}, h('h3', {}, title), h('p', {}, text)))), tiles(model)), facts(model)),
    model.notes.length > 0 && h('div', { class: 'notes', role: 'note' },
      model.notes.map((text) => h('p', {}, text))));
}
