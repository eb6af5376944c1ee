// The way in which the figures of a recording are made, and what they do not say.

import { section, topics } from '../sections/section.js';

const said = [
  ['What is recorded', 'Every call of malloc, free, realloc, operator new and their relatives, with its size, its ' +
    'address, its thread, its time and its stack. The program itself is unchanged; its blocks come from the ' +
    'malloc that it would have without the recording.'],
  ['Arena scopes', 'An invocation of a function is told from the next by the addresses of its frame. A block ' +
    'belongs to every invocation on the stack it was allocated from; it is dead at return if it was freed before ' +
    'the first event of the thread that no longer has the frame. Of nested functions the outermost is shown.'],
  ['The six dimensions', 'D: calibrated cost of the operations by the subsystem’s processor time. V: entropy over ' +
    'size classes, four to a doubling. L: neighbours in time that are neighbours in memory, and how many pages ' +
    'the live blocks lie on. U: peak by total. C: how much of the time threads spend inside the heap at once. ' +
    'F: how often other subsystems allocate in between, among blocks of one size class.'],
  ['What it does not say', 'Recording slows the program, so times are not those of the program alone; shares are ' +
    'what to read. Inlined functions have no frames of their own: their names come from debug information. ' +
    'Whether an arena would pay is for a replay or a trial to say, not for this page.'],
];

export const method = () => section('method', 'How this was measured', null, topics(said));
