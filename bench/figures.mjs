// Writes the figures of Benchmark I into README.md and docs/results.md, and the engine that they were measured with
// into reference/engine.txt: node bench/figures.mjs RESULT.jsonl (the file goals.jsonl of bench/run.sh)
//
// The engine is known by a sample of its lines: those whose FNV-1a hash is a multiple of 16. So a test can tell how
// much of it has changed since, in a tree without git, too (tests/structure/figures_test.cpp).

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const top = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const folders = ['include/mallard', 'src/core', 'src/os', 'src/pages', 'src/resources'];
// Not a part of the resources.
const others = /^(detail\/)?(malloc|memory|checks)\//;

function hash(line) {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(line)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}

export function sample(root) {
  const found = new Set();
  for (const folder of folders) {
    for (const name of readdirSync(path.join(root, folder), { recursive: true })) {
      if (!/\.[ch]pp$/.test(name) || others.test(name)) continue;
      for (const line of readFileSync(path.join(root, folder, name), 'utf8').split('\n').map((one) => one.trim())) {
        const value = hash(line);
        if (line.length > 11 && !line.startsWith('//') && value % 16 === 0) found.add(value.toString(16));
      }
    }
  }
  return [...found].sort();
}

export function engine(root, commit, date) {
  const words = sample(root);
  const rows = [];
  for (let at = 0; at < words.length; at += 12) rows.push(words.slice(at, at + 12).join(' '));
  return '# The engine that the figures of README.md, docs/results.md and docs/choosing.md were measured with.\n' +
    `# bench/figures.mjs writes this file.\ncommit ${commit}\ndate ${date}\n${rows.join('\n')}\n`;
}

// --- the tables -----------------------------------------------------------------------------------

const rows = [
  ['multipool, by type (AS7)', 'AS7@mallard', 'the global heap', 'AS1@global', true],
  ['multipool, by type (AS7)', 'AS7@mallard', 'std::pmr::unsynchronized_pool_resource', 'AS7@std', true],
  ['multipool, by type (AS7)', 'AS7@mallard', 'Boost\'s unsynchronized pool', 'AS7@boost', true],
  ['monotonic with a buffer, by type (AS3)', 'AS3@mallard', 'the global heap', 'AS1@global', true],
  ['monotonic with a buffer, by type (AS3)', 'AS3@mallard',
    'std::pmr::monotonic_buffer_resource, by base, same buffer', 'AS5@std', true],
  ['monotonic with a buffer, by type (AS3)', 'AS3@mallard', 'the same, bound by type too', 'AS3@std', true],
  ['monotonic with a buffer, by base (AS5)', 'AS5@mallard',
    'std::pmr::monotonic_buffer_resource, by base, same buffer', 'AS5@std'],
  ['multipool, by base (AS9)', 'AS9@mallard', 'multipool, by type', 'AS7@mallard'],
  ['multipool on monotonic, by type (AS11)', 'AS11@mallard', 'monotonic, by type', 'AS3@mallard'],
  ['monotonic, winked out (AS4)', 'AS4@mallard', 'monotonic, destroyed', 'AS3@mallard'],
  ['multipool, winked out (AS8)', 'AS8@mallard', 'multipool, destroyed', 'AS7@mallard'],
  ['multipool on monotonic, winked out (AS12)', 'AS12@mallard', 'the same, destroyed', 'AS11@mallard'],
];

// Says how many times as fast the one column is as the other: the mean over all places, and the places by verdict.
function compare(cells, ours, theirs, heap) {
  const of = (column) => new Map(cells.filter((cell) => cell.heap === heap && cell.status === 'ok' &&
    `${cell.strategy}@${cell.peer}` === column).map((cell) => [JSON.stringify(cell.at), cell.measures.time]));
  const mine = of(ours);
  const pairs = [...of(theirs)].filter(([at]) => mine.has(at)).map(([at, other]) => [mine.get(at), other]);
  if (pairs.length === 0) throw new Error(`nothing of ${ours} and ${theirs} on the ${heap} heap`);
  const log = pairs.reduce((sum, [a, b]) => sum + Math.log(b.median / a.median), 0) / pairs.length;
  const faster = pairs.filter(([a, b]) => a.ci_high < b.ci_low).length;
  const slower = pairs.filter(([a, b]) => a.ci_low > b.ci_high).length;
  return { ratio: Math.exp(log).toFixed(2), verdicts: `${faster} faster, ${slower} slower, ${
    pairs.length - faster - slower} undecided` };
}

// The text between the marks of a page, with the sentence on the engine before it.
function rewrite(page, table, said) {
  const file = path.join(top, page);
  const text = readFileSync(file, 'utf8');
  const marks = /(<!-- figures: begin -->\n)[^]*?(<!-- figures: end -->)/;
  if (!marks.test(text)) throw new Error(`${page}: no marks of figures`);
  writeFileSync(file, text.replace(marks, (all, begin, end) => `${begin}${said}\n\n${table}\n${end}`));
}

function main(result) {
  const lines = readFileSync(result, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const cells = lines.filter(({ kind, bench }) => kind === 'cell' && bench === 'density');
  const commit = execFileSync('git', ['-C', top, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const date = lines[0].date.slice(0, 10);
  const said = `Measured at ${commit} on ${date}; at most 5 % of the engine's lines have changed since.`;
  const measured = rows.map(([name, ours, other, theirs, first]) =>
    ({ name, other, first, heaps: ['clean', 'aged'].map((heap) => compare(cells, ours, theirs, heap)) }));
  rewrite('docs/results.md', ['| ours | against | clean heap | aged heap |', '|---|---|---|---|',
    ...measured.map(({ name, other, heaps }) =>
      `| ${name} | ${other} | ${heaps.map((one) => `${one.ratio} (${one.verdicts})`).join(' | ')} |`)].join('\n'), said);
  rewrite('README.md', ['| | clean heap | aged heap |', '|---|---|---|', ...measured.filter(({ first }) => first)
    .map(({ name, other, heaps }) => `| ${name.replace(/ \(AS\d+\)/, '')} / ${other} | ${
      heaps.map((one) => one.ratio).join(' | ')} |`)].join('\n'), said);
  writeFileSync(path.join(top, 'reference/engine.txt'), engine(top, commit, date));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.length !== 3) {
    console.error('usage: node bench/figures.mjs RESULT.jsonl');
    process.exit(2);
  }
  main(process.argv[2]);
}
