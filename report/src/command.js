// A command as it is typed, with a button that copies it.

import { copyButton, h } from './dom.js';

/** As a shell takes it: in quotes where a word has to be. */
export const shellCommand = (words) => words.map((word) =>
  (/^[\w%+,./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');

/** Words stay whole, so that a line never ends inside an option. */
export const commandLine = (text, title) => h('div', { class: 'command' },
  h('code', { title }, text.split(' ').map((word) => [h('span', {}, word), ' '])),
  copyButton('Copy', () => text, { 'aria-label': 'Copy the command' }));
