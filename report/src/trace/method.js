// The way in which the figures of a recording are made, and what they do not say.

import { section, topics } from '../sections/section.js';

const said = [
  ['Recorded events', 'Every call of malloc, free, realloc, operator new and their relatives is recorded with its size, ' +
    'address, thread, time and stack. The program itself is unchanged, and its blocks come from the same malloc ' +
    'as without recording.'],
  ['Arena scopes', 'Frame addresses tell the invocations of a function apart. A block belongs to every invocation on the ' +
    'stack that allocated it. It is dead at return if it was freed before the first event of the thread that no ' +
    'longer has the frame. Of nested functions, the outermost is shown.'],
  ['The six dimensions', 'D: calibrated cost of the operations by the subsystem’s processor time. V: entropy over ' +
    'size classes, four to a doubling. L: neighbours in time that are neighbours in memory, and the number of pages ' +
    'that the live blocks lie on. U: peak by total. C: the share of the time that threads spend inside the heap at ' +
    'once. F: how often other subsystems allocate a block of the same size class in between.'],
  ['Limits', 'Recording slows the program, so times include its cost: read the shares. Inlined functions have no ' +
    'frames of their own; their names come from debug information. This page does not tell whether an arena ' +
    'would pay; a replay or a trial does.'],
];

export const method = () => section('method', 'How this was measured', null, topics(said));
