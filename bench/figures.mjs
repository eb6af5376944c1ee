// Writes the figures of bench/run.sh into README.md and docs/results.md, and the engine that they were measured with
// into reference/engine.txt: node bench/figures.mjs FOLDER (that of bench/run.sh's results)
//
// The engine is known by a sample of its lines: those whose FNV-1a hash is a multiple of 16. So a test can tell how
// much of it has changed since, in a tree without git, too (tests/structure/figures_test.cpp).

import { execFileSync, spawnSync } from 'node:child_process';
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

// The text between the marks of a table of a page.
function rewrite(page, name, text) {
  const file = path.join(top, page);
  const before = readFileSync(file, 'utf8');
  const marks = new RegExp(`(<!-- figures: ${name} begin -->\\n)[^]*?(<!-- figures: ${name} end -->)`);
  if (!marks.test(before)) throw new Error(`${page}: no marks of figures: ${name}`);
  writeFileSync(file, before.replace(marks, (all, begin, end) => `${begin}${text}\n${end}`));
}

function table(heads, body) {
  const [first, ...rest] = [heads, ...body].map((row) => `| ${row.join(' | ')} |`);
  return [first, `|${'---|'.repeat(heads.length)}`, ...rest].join('\n');
}

// The medians of a measure: a row for each place, a column for each strategy. `of`: its unit, in a cell.
function medians(cells, places, columns, measure, digits, of = () => 1) {
  return places.map((at) => columns.map((column) => {
    const cell = cells.find((one) => one.status === 'ok' && `${one.strategy}@${one.peer}` === column &&
      Object.entries(at).every(([axis, value]) => one.at[axis] === value));
    return cell ? (cell.measures[measure].median / of(cell)).toFixed(digits) : '–';
  }));
}

function density(cells, said) {
  const measured = rows.map(([name, ours, other, theirs, first]) =>
    ({ name, other, first, heaps: ['clean', 'aged'].map((heap) => compare(cells, ours, theirs, heap)) }));
  rewrite('docs/results.md', 'density', `${said}\n\n${table(['ours', 'against', 'clean heap', 'aged heap'],
    measured.map(({ name, other, heaps }) =>
      [name, other, ...heaps.map((one) => `${one.ratio} (${one.verdicts})`)]))}`);
  rewrite('README.md', 'density', `${said}\n\n${table(['', 'clean heap', 'aged heap'],
    measured.filter(({ first }) => first).map(({ name, other, heaps }) =>
      [`${name.replace(/ \(AS\d+\)/, '')} / ${other}`, ...heaps.map((one) => one.ratio)]))}`);
}

const pools = ['AS1@global', 'AS7@mallard', 'AS7@std', 'AS7@boost'];
const named = ['malloc', 'multipool', 'std pool', 'Boost pool'];
const nano = 1e-9;

function locality(cells, said) {
  const places = [4, 6, 8, 10, 12, 14, 16, 18].map((subsystem) => ({ subsystem }));
  const after = medians(cells, places, pools, 'access_after', 1,
    ({ measures }) => nano * measures.steps.median);
  const worse = medians(cells, places, pools, 'degradation', 2);
  rewrite('docs/results.md', 'locality', `${said}\n\n${table(['links in a list', ...named, ...named],
    places.map(({ subsystem }, at) => [`2^${subsystem}`, ...after[at], ...worse[at]]))}`);
}

function utilization(cells, said) {
  const places = [[15, 10], [20, 10], [20, 12], [20, 13], [20, 15]].map(([active, block]) => ({ active, block }));
  const columns = ['AS1@global', 'AS7@mallard', 'AS9@mallard', 'AS7@std', 'AS7@boost'];
  const times = medians(cells, places, columns, 'time', 1, ({ at }) => nano * 2 ** (at.total - at.block));
  rewrite('docs/results.md', 'utilization', `${said}\n\n${table(
    ['in use at once', 'block', 'malloc', 'multipool', 'multipool by base', 'std pool', 'Boost pool'],
    places.map(({ active, block }, at) => [`2^${active}`, `2^${block}`, ...times[at]]))}`);
}

function contention(cells, said) {
  const places = [['own', [1, 2, 8]], ['shared', [1, 2, 8]], ['handoff', [2, 8]]].flatMap(([form, numbers]) =>
    numbers.map((threads) => ({ form, threads })));
  const columns = ['AS1@global', 'AS7@mallard', 'sync@mallard', 'sync@std', 'sync@boost', 'mutex@mallard'];
  const times = medians(cells, places, columns, 'time', 1, ({ at }) => nano * 2 ** at.iterations);
  rewrite('docs/results.md', 'contention', `${said}\n\n${table(
    ['form', 'threads', 'malloc', 'multipool for each', 'synchronized multipool', 'std\'s synchronized',
      'Boost\'s synchronized', 'multipool and a mutex'],
    places.map(({ form, threads }, at) => [form, threads, ...times[at]]))}`);
}

// What `mallard claims` says of our own goals.
function goals(name, files) {
  const command = ['claims', '--statements', path.join(top, 'bench/goals.json'), ...files];
  const { error, stdout } = spawnSync(path.join(top, 'build/release/tools/mallard'), command, { encoding: 'utf8' });
  if (error) throw error;
  const judged = stdout.split('\n').filter((line) => !line.startsWith('mallard bench ')).join('\n');
  rewrite('docs/results.md', name, `\`\`\`text\n${judged.trim()}\n\`\`\``);
}

function main(folder) {
  const file = (name) => path.join(folder, `${name}.jsonl`);
  const linesOf = (name) => readFileSync(file(name), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const commit = execFileSync('git', ['-C', top, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const date = linesOf('goals')[0].date.slice(0, 10);
  const said = `Measured at ${commit} on ${date}; at most 5 % of the engine's lines have changed since.`;
  for (const write of [density, locality, utilization, contention]) {
    const lines = linesOf(write === density ? 'goals' : write.name);
    write(lines.filter(({ kind, bench }) => kind === 'cell' && bench === write.name), said);
  }
  goals('goals of density', [file('goals')]);
  goals('goals of others', ['locality', 'utilization', 'contention'].map(file));
  goals('goals of extended', ['expand-forward', 'expand-backward', 'shrink', 'burst', 'adaptive-pool', 'mixed'].map(file));
  writeFileSync(path.join(top, 'reference/engine.txt'), engine(top, commit, date));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.length !== 3) {
    console.error('usage: node bench/figures.mjs FOLDER');
    process.exit(2);
  }
  main(process.argv[2]);
}
