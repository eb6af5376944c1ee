// Makes the library's one-file form, mallard.hpp and mallard.cpp, from the headers and sources: every
// include of ours is replaced by the file, where it comes first.
//
//   node packaging/one-file.mjs FOLDER [--without memory] [--without checks]

import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [folder, ...rest] = process.argv.slice(2);
if (folder === '--help') {
  console.log('usage: node packaging/one-file.mjs FOLDER [--without memory] [--without checks]');
  process.exit();
}
if (!folder || folder.startsWith('-')) fail('there is no folder to write to');
const without = new Set();
for (let i = 0; i < rest.length; i += 2) {
  if (rest[i] !== '--without') fail(`'${rest[i]}' is not known`);
  if (!['memory', 'checks'].includes(rest[i + 1])) fail(`--without takes memory or checks, not '${rest[i + 1] ?? ''}'`);
  without.add(rest[i + 1]);
}
function fail(text) {
  console.error(`one-file: ${text}`);
  process.exit(1);
}

/** The file that an include of ours names, below the repository; undefined for others'. */
function ours(name) {
  return [`include/${name}`, `src/${name}`].find((file) =>
    statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile());
}

/** Its lines, without the place where the malloc's engine has a file of its own. */
function lines(file) {
  return readFileSync(path.join(root, file), 'utf8').trimEnd()
    .replace(/#ifdef (MALLARD_\w+)\n#include \1\n#else\n([^]*)\n#endif.*$/, '$2').split('\n');
}

function expanded(files) {
  const seen = new Set(expanded.before);
  const out = [];
  const add = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    out.push(`// ---- ${file}`);
    let depth = 0;
    for (const line of lines(file)) {
      if (/^\s*#\s*if/.test(line)) depth += 1;
      if (/^\s*#\s*endif/.test(line)) depth -= 1;
      if (/^\s*#\s*pragma once/.test(line)) continue;
      const name = /^\s*#\s*include\s*[<"]([^>"]+)[>"]/.exec(line)?.[1];
      const file_named = name && ours(name);
      if (!file_named) {
        out.push(line);
      } else if (depth > 0 && !seen.has(file_named)) {
        fail(`${file}: ${name} is included under a condition`);
      } else {
        add(file_named);
      }
    }
  };
  files.forEach(add);
  expanded.before = seen;
  return out.join('\n');
}
expanded.before = [];

// Headers that need Boost, or define `free` for a test program, are for those who include them by name.
const by_name = ['boost.hpp', 'watch_program.hpp'];
const headers = (below) =>
  readdirSync(path.join(root, below)).filter((name) => name.endsWith('.hpp') && !by_name.includes(name))
    .sort().map((name) => `${below}/${name}`);
const build = readFileSync(path.join(root, 'src/CMakeLists.txt'), 'utf8');
const all = /set\(mallard_sources([^)]*)\)/.exec(build)[1].trim().split(/\s+/);
const is_left_out = (name) => without.has(name.split('/')[0]);
const header_of = (name) => `mallard/${name.replace(/cpp$/, 'hpp')}`;
// A part that is left out keeps what the others name.
const included = all.filter((name) => !is_left_out(name)).flatMap((name) => lines(`src/${name}`));
const named = all.filter((name) => is_left_out(name) && included.includes(`#include "${header_of(name)}"`));
const sources = all.filter((name) => !is_left_out(name) || named.includes(name)).map((name) => `src/${name}`);
const parts = ['memory', 'checks'].filter((part) => !without.has(part));
const version = /project\(mallard VERSION ([0-9.]+)/.exec(
  readFileSync(path.join(root, 'CMakeLists.txt'), 'utf8'))[1];

const licence = readFileSync(path.join(root, 'LICENSE'), 'utf8').trimEnd().split('\n')
  .map((line) => `// ${line}`.trimEnd()).join('\n');
const first = (what) => `// Mallard ${version}: ${what} Made from the sources, not to be edited.\n//\n${licence}\n`;
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'mallard.hpp'),
  `${first('every header. Compile mallard.cpp once beside it.')}#pragma once\n` +
  `${expanded([...headers('include/mallard'), ...parts.flatMap((part) => headers(`include/mallard/${part}`)),
    ...named.map((name) => `include/${header_of(name)}`)])}\n`);
writeFileSync(path.join(folder, 'mallard.cpp'),
  `${first('the library. Link with -pthread.')}#include "mallard.hpp"\n\n${expanded(sources)}\n`);
