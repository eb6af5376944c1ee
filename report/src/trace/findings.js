// The first things that a reader should know, in words; then the figures of the whole run.

import { commandLine, shellCommand } from '../command.js';
import { h } from '../dom.js';
import { bytes, count, duration, significant, times } from '../format.js';
import { fill, section, tile } from '../sections/section.js';
import { hasWindows } from './dimensions.js';
import { functionName, percent } from './names.js';
import { onRange, secondsOf, sumsOf } from './range.js';

/** Stands for a function in lists; there is nothing to say of it. */
const noStack = '(no stack)';
const strong = (text) => h('strong', {}, text);

/** Arena scopes take the order of operations. */
export const hasScopes = ({ not_recorded: lacks }) => !lacks.includes('the order of operations');

/** They also take the stacks of all operations; null where these are there, else what is missing. */
export const missingForScopes = ({ not_recorded: lacks }) =>
  ['stacks of frees', 'most stacks'].find((one) => lacks.includes(one)) ?? null;

/** The place for an arena: the scope with the most bytes in it. */
function scopeFinding(model) {
  const { arena_scopes: scopes, total } = model;
  if (!hasScopes(model)) return null;
  if (scopes.every((one) => one.trunk) && missingForScopes(model)) return null;
  if (scopes.length === 0) {
    return ['No arena scope', 'No function was found whose blocks are dead when it returns, so the recording ' +
      'shows no place for a monotonic resource.'];
  }
  const real = scopes.filter((one) => !one.trunk);
  if (real.length === 0) {
    const [run] = scopes;
    return ['No arena scope', [functionName(run.function), ' was called once and has ',
      strong(percent(run.bytes.total / total.bytes)), ' of all bytes below it: an arena there would only grow until it is ' +
      'released as a whole. No function below it returns with its blocks dead.']];
  }
  const best = real.reduce((a, b) => (b.bytes.total > a.bytes.total ? b : a));
  if (best.bytes.total < 0.01 * total.bytes) {
    return missingForScopes(model) ? null : ['No arena scope', 'Only functions below which less than 1 % of all bytes ' +
      'are allocated return with these blocks dead.'];
  }
  const calls = best.invocations === 1 ? 'once' : `${count(best.invocations)} times`;
  const called = best.confidence !== 'high' ? 'seems to have been called' : 'was called';
  return ['An arena scope', [functionName(best.function), ` ${called} ${calls}; `,
    strong(percent(best.dead_share)), ' of the blocks allocated below it were dead when it returned. One ' +
    'call takes ', strong(bytes(best.bytes.median)), ' in the median and at most ', bytes(best.bytes.max),
    `; all calls take ${percent(best.bytes.total / total.bytes)} of all bytes.`,
    best.survivor_blocks > 0 ? ` ${count(best.survivor_blocks)} blocks survived.` : '']];
}

/** Beyond it the least error of the share makes another gain, so nothing more is said. */
const greatestShare = 0.9;

/** The speed without the heap's operations, by both ends of the interval of their share. */
function speedText({ low, high }) {
  const [least, most] = [low, high].map((share) => strong(times(1 / (1 - Math.min(share, greatestShare)))));
  if (low > greatestShare) return ['more than ', least];
  return high > greatestShare ? ['at least ', least] : [least, ' to ', most];
}

/** The share of time that `mallard dims` tells, and the gain from allocation alone, which advice bounds itself. */
function densityFinding({ heap, advice }) {
  if (!heap) return null;
  const { share, low, high, looks, measured } = heap;
  const [text, from, to] = [share, low, high].map((value) => (100 * value).toFixed(1));
  const samples = `${count(looks)} sample${looks === 1 ? '' : 's'}`;
  return ['Density', ['The heap takes ', strong(`${text} %`), ` of the program’s time (${from} to ${to}), `,
    measured ? `measured with ${samples} of the unmodified program.`
      : `estimated from ${samples} and timed operations of the recorded run.`,
    !advice && [' If its operations cost nothing, the program would be ', speedText(heap), ' as fast; the cost of ' +
      'block placement comes on top.']]];
}

/** The blocks alive at the highest instant: look at them where memory is short. */
function peakFinding({ top, total }) {
  if (top.length === 0 || total.peak_bytes === 0) return null;
  const most = top.reduce((a, b) => (b.peak_bytes > a.peak_bytes ? b : a));
  if (most.function === noStack) return null;
  return ['The peak', [strong(bytes(total.peak_bytes)), ' were live at the highest instant; ',
    functionName(most.function), ' had allocated ', strong(percent(most.peak_bytes / total.peak_bytes)), ' of them.']];
}

function topFinding({ top, total }) {
  if (top.length === 0 || total.bytes === 0) return null;
  const most = top.reduce((a, b) => (b.bytes > a.bytes ? b : a));
  if (most.function === noStack) return null;
  return ['Most bytes', [functionName(most.function), ' allocates ', strong(percent(most.bytes / total.bytes)),
    ` of all bytes in ${count(most.operations)} operations.`]];
}

function temporaryFinding({ total }) {
  if (total.allocations === 0) return null;
  const part = total.temporary / total.allocations;
  return part < 0.1 ? null : ['Temporary blocks', [strong(percent(part)), ' of all blocks are freed by the ' +
    'next operation of their thread.']];
}

function remoteFinding({ total }) {
  const part = total.frees > 0 ? total.remote_frees / total.frees : 0;
  return part < 0.01 ? null : ['Remote frees', [strong(percent(part)), ' of all blocks are freed by a ' +
    'thread that did not allocate them: they need a synchronized resource.']];
}

function moveFinding({ total }) {
  return total.moved_bytes < 0.05 * total.bytes ? null : ['Reallocation',
    [`${count(total.reallocations)} reallocations copied `, strong(bytes(total.moved_bytes)),
      '. If arrays grow in place (heap_resource), nothing is copied.']];
}

function leakFinding({ total }) {
  return total.live_bytes === 0 ? null : ['Live at the end', [strong(bytes(total.live_bytes)),
    ` in ${count(total.live_blocks)} blocks were not freed before the recording ended.`]];
}

const makers = [scopeFinding, densityFinding, peakFinding, topFinding, temporaryFinding, moveFinding, remoteFinding,
  leakFinding];

function facts(model) {
  const { recording, not_recorded: lacks } = model;
  const command = shellCommand(model.command);
  const has = (what) => !lacks.includes(what);
  const rows = [
    ['Program', h('code', {}, command)],
    ...(model.pid > 0 ? [['Process', `${model.pid}${recording.ended ? `, ${recording.ended}` : ''}`]] : []),
    ...(has('times') ? [['Recorded', `${duration(model.duration_ns / 1e9)} from ${recording.started}`]] : []),
    ...(recording.events > 0 ? [['Events', `${count(recording.events)}, ${significant(recording.trace_bytes / Math.max(recording.events, 1))} ` +
      'bytes each in the file']] : []),
    ['Stacks', recording.unwinder],
    ...(has('threads') ? [['Threads', count(model.threads)]] : []),
    ['Waited', model.waited_ns > 0 ? `${duration(model.waited_ns / 1e9)} for full buffers` : 'never'],
    ...(model.dropped > 0 ? [['Dropped', `${count(model.dropped)} events`]] : []),
    ['Made by', `mallard ${recording.version}`],
  ];
  return h('aside', { class: 'facts card', 'aria-label': 'What was recorded' },
    h('dl', {}, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
    h('div', { class: 'reproduce' }, h('h3', {}, 'To record it again'),
      commandLine(`mallard record -- ${command}`)));
}

function tiles({ total, duration_ns: lasted, not_recorded: lacks }) {
  return h('div', { class: 'tiles' },
    tile('Blocks', [[count(total.allocations), 'allocated'], [count(total.frees), 'freed']]),
    tile('Bytes', [[bytes(total.bytes), 'in total'], [bytes(total.peak_bytes), 'at the peak']]),
    !lacks.includes('times') &&
      tile('Rate', [[count(total.allocations / Math.max(lasted / 1e9, 1e-9)), 'allocations a second']]),
    !lacks.includes('reallocations') && !lacks.includes('the order of operations') &&
      tile('Reallocations', [[count(total.reallocations), 'calls'], [bytes(total.moved_bytes), 'copied']]));
}

/** Names what does not follow the chosen part of the time. */
function wholeText(model) {
  const kept = ['the findings above', !hasWindows(model) && 'the dimensions', hasScopes(model) &&
    'the figures of arena scopes other than “Bytes then”'];
  return ` Still of the whole run: ${kept.filter(Boolean).join('; ')}.`;
}

/** Sums of the chosen part of the time, and what does not follow it. */
function chosenPart(model) {
  const box = h('div', { class: 'notes part', role: 'status', hidden: true });
  onRange((part) => {
    box.hidden = !part;
    if (!part) return;
    const sums = sumsOf(model);
    const [from, to] = [secondsOf(model.history, part.from), secondsOf(model.history, part.to + 1)];
    fill(box, h('p', {}, `From ${from === 0 ? 'the start' : duration(from)} to ${duration(to)}: `,
      strong(bytes(sums.bytes)), ` allocated in ${count(sums.operations)} operations; `, strong(bytes(sums.peak_bytes)),
      ' live at the highest instant, ', strong(bytes(sums.live_bytes)), ' at the end.', wholeText(model)));
  });
  return box;
}

export function findings(model) {
  const said = makers.map((make) => make(model)).filter(Boolean);
  return section('top', 'Where does this program’s memory come from, and where would an arena go?', null,
    h('div', { class: 'hero' },
      h('div', { class: 'hero-main' },
        h('ul', { class: 'said' }, said.map(([title, text]) =>
          h('li', {}, h('h3', {}, title), h('p', {}, text)))), tiles(model)), facts(model)),
    chosenPart(model),
    model.notes.length > 0 && h('div', { class: 'notes', role: 'note' },
      model.notes.map((text) => h('p', {}, text))));
}
