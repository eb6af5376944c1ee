// Opens a report in a real browser, from a file, and uses it as a reader would. See browser.mjs.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { assert, complaints, copied, drawAll, faintText, file, loneCards, mallard, open, test, testInEach }
  from './browser.mjs';
import { measure } from './made_up.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));

// --- the reports under test -----------------------------------------------------------------------

const hostileCpu = '</script><script>document.title="broken"</script><b>CPU';

/** A cell of density with the figures of a whole run, which has as many leaf insertions. */
const leaves = 2 ** 21;
function ofWholeRun({ at, measures, ...rest }) {
  if (!measures) return { ...rest, ...at };
  const { median, ci_low: low, ci_high: high } = measures.time;
  return { ...rest, ...at, leaves, median: median * leaves, ci_low: low * leaves, ci_high: high * leaves,
    minor_faults: measures.minor_faults.samples };
}

const linesOf = (name) => readFileSync(file(name), 'utf8').trim().split('\n')
  .map((line) => JSON.parse(line));
const writeLines = (name, lines) =>
  writeFileSync(file(name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

function makeCells(script, name, ...options) {
  execFileSync(process.execPath, [path.join(here, script), file(name), ...options]);
  return linesOf(name).filter(({ kind }) => kind === 'cell');
}
const makeResults = (...args) => makeCells('make_results.mjs', ...args).map(ofWholeRun);

function makeReport(name, ...results) {
  execFileSync(mallard, ['report', ...results.map(file), '-o', file(name)]);
  return pathToFileURL(file(name)).href;
}

const cells = makeResults('fair.jsonl', '--fail', 'DS6/14/AS8/mallard/clean');
makeResults('again.jsonl', '--ds', 'DS1', '--sizes', '6', '--seed', '5');
makeResults('paper.jsonl', '--mode', 'paper', '--sizes', '6,8', '--cpu', hostileCpu, '--seed', '2');
const single = makeReport('single.html', 'fair.jsonl');

const benches = ['locality', 'shuffles', 'utilization', 'contention', 'false-sharing'];
const makeSeries = (bench, malloc = 'glibc') =>
  makeCells('make_series_results.mjs', `${bench}-${malloc}.jsonl`, bench, '--malloc', malloc);
const seriesCells = [...benches.flatMap((bench) => makeSeries(bench)),
  ...makeSeries('contention', 'jemalloc'), ...makeSeries('utilization', 'jemalloc')];
const seriesFiles = [...benches.map((bench) => `${bench}-glibc.jsonl`),
  'contention-jemalloc.jsonl', 'utilization-jemalloc.jsonl'];
/** Benches of arrays and nodes, and of mallocs. */
const newer = ['expand-forward', 'shrink', 'burst', 'adaptive-pool', 'mixed', 'churn', 'thrash', 'speed',
  'memory', 'larson', 'mixed-malloc'];
seriesCells.push(...newer.flatMap((bench) => makeSeries(bench)));
const newerReport = makeReport('newer.html', ...newer.map((bench) => `${bench}-glibc.jsonl`));
const several = makeReport('several.html', ...seriesFiles, 'fair.jsonl');
const findSeries = (bench, at, strategy, peer, malloc = 'glibc') =>
  seriesCells.find((cell) => cell.bench === bench && cell.strategy === strategy &&
    cell.peer === peer && cell.malloc === malloc &&
    Object.entries(at).every(([name, value]) => cell.at[name] === value));
const timeOf = (cell) => cell.measures.time.median;
const merged = makeReport('merged.html', 'fair.jsonl', 'again.jsonl', 'paper.jsonl');

/** A report on what `change` makes of the cells of fair.jsonl; it returns null to drop a cell. */
function reportOn(name, change) {
  writeLines(`${name}.jsonl`, linesOf('fair.jsonl')
    .map((line) => (line.kind === 'cell' ? change(line) : line)).filter(Boolean));
  return makeReport(`${name}.html`, `${name}.jsonl`);
}

const find = (ds, size, strategy, peer, heap) => cells.find((cell) => cell.ds === ds &&
  cell.size === size && cell.strategy === strategy && cell.peer === peer && cell.heap === heap);

const sectionsOf = (page) => page.locator('main section')
  .evaluateAll((all) => all.map(({ id }) => id));

/** The texts drawn in a chart, in document order. */
const textsOf = (locator) => locator.locator('svg text').allTextContents();
const map = (page, ds, which) => page.getByLabel(`Heat map of ${ds}, ${which}`);

/** Waits until a chart is drawn and returns its markup. */
async function drawing(locator) {
  await locator.scrollIntoViewIfNeeded();
  await locator.locator('svg text').first().waitFor();
  return locator.innerHTML();
}

const close = (actual, expected, message) =>
  assert.ok(Math.abs(actual / expected - 1) < 1e-4, `${message}: ${actual} is not ${expected}`);

const geometricMean = (values) =>
  Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);

// --- what a reader relies on ----------------------------------------------------------------------

test('every chart of the page is drawn', async (t) => {
  const page = await open(t, single);
  await drawAll(page);
  const charts = await page.locator('.chart').evaluateAll((all) => all.map((chart) => ({
    label: chart.getAttribute('aria-label'),
    texts: chart.querySelectorAll('svg text').length,
    shapes: chart.querySelectorAll('svg path').length })));
  // Two charts of bars, a comparison, and a measured and a published table per structure.
  assert.equal(charts.length, 3 + 2 * 12);
  for (const { label, texts, shapes } of charts) {
    assert.ok(texts > 10 && shapes > 10, `${label}: ${texts} texts, ${shapes} shapes`);
  }
});

test('a heat map shows every cell that was measured, and marks the failed one', async (t) => {
  const page = await open(t, single);
  const measured = map(page, 'DS6', 'measured');
  await drawing(measured);
  const texts = await textsOf(measured);
  const expected = (find('DS6', 10, 'AS3', 'mallard', 'clean').median / 2 ** 21 * 1e9);
  assert.ok(texts.includes(expected.toPrecision(3)), `${expected} is among ${texts}`);
  assert.equal(texts.filter((text) => text === '✕').length, 1);
  const numbers = texts.filter((text) => /^[\d.]+k?$/.test(text) && text !== '2');
  // 18 strategies of three sizes, less the failed cell; the axis adds the three exponents.
  assert.equal(numbers.length, 18 * 3 - 1 + 3);
});

test('a published heat map shows the paper’s figures, all of them on demand', async (t) => {
  const page = await open(t, single);
  await page.getByLabel('Value').selectOption('seconds');
  const published = map(page, 'DS2', 'published');
  await drawing(published);
  assert.ok((await textsOf(published)).includes('68.9'));
  assert.equal((await copied(page, 'DS2, published')).length, 3 * 14);
  await page.getByLabel('Whole published tables').check();
  assert.equal((await copied(page, 'DS2, published')).length, 11 * 14);
});

test('the first screen gives the true geometric means', async (t) => {
  const page = await open(t, single);
  const rows = await copied(page, 'the speed-ups');
  for (const heap of ['clean', 'aged']) {
    const row = rows.find((one) => one.strategy === 'AS7' && one.peer === 'mallard' &&
      one.heap === heap);
    const ratios = cells.filter((cell) => cell.strategy === 'AS7' && cell.peer === 'mallard' &&
      cell.heap === heap).map((cell) =>
      find(cell.ds, cell.size, 'AS1', 'global', heap).median / cell.median);
    close(Number(row.speedup), geometricMean(ratios), `AS7 ${heap}`);
    assert.equal(Number(row.cells), 36);
    assert.ok(Number(row.low) < Number(row.speedup) && Number(row.speedup) < Number(row.high));
    assert.match(await page.locator('.tiles').innerText(),
      new RegExp(`${Number(row.speedup).toPrecision(3)}×`));
  }
});

test('the best strategy of a structure is the one with the greatest mean', async (t) => {
  const page = await open(t, single);
  const row = (await copied(page, 'the best strategies'))
    .find((one) => one.structure === 'DS3' && one.heap === 'clean');
  const means = new Map();
  for (const cell of cells) {
    if (cell.ds !== 'DS3' || cell.heap !== 'clean' || cell.peer !== 'mallard') continue;
    if (!means.has(cell.strategy)) means.set(cell.strategy, []);
    means.get(cell.strategy).push(
      find('DS3', cell.size, 'AS1', 'global', 'clean').median / cell.median);
  }
  const [best] = [...means].map(([name, ratios]) => [name, geometricMean(ratios)])
    .sort((a, b) => b[1] - a[1]);
  assert.equal(row.best, best[0]);
  close(Number(row.speedup), best[1], 'DS3');
});

test('selecting a library, heap, value or palette redraws the heat maps', async (t) => {
  const page = await open(t, single);
  const measured = map(page, 'DS1', 'measured');
  let last = await drawing(measured);
  const changes = {
    library: () => page.locator('#map-peer').getByRole('radio', { name: 'Boost' }).check(),
    heap: () => page.locator('#map-heap').getByRole('radio', { name: 'Aged heap' }).check(),
    value: () => page.getByLabel('Value').selectOption('ratio'),
    palette: () => page.getByLabel('Colours').selectOption('paper'),
  };
  for (const [what, change] of Object.entries(changes)) {
    await change();
    const next = await drawing(measured);
    assert.ok(next !== last, `${what} changes the chart`);
    last = next;
  }
  const rows = await copied(page, 'DS1, measured');
  const row = rows.find((one) => one.strategy === 'AS9' && one.size === '1024');
  assert.equal(row.peer, 'boost');
  assert.equal(row.heap, 'aged');
  close(Number(row.value), find('DS1', 10, 'AS1', 'global', 'aged').median /
    find('DS1', 10, 'AS9', 'boost', 'aged').median, 'speed-up of AS9');
});

test('memory and page faults have no published side', async (t) => {
  const page = await open(t, single);
  for (const value of ['rss', 'faults']) {
    await page.getByLabel('Value').selectOption(value);
    await drawing(map(page, 'DS12', 'measured'));
    assert.equal(await map(page, 'DS12', 'published').count(), 0);
  }
  const row = (await copied(page, 'DS12, measured')).find((one) => one.strategy === 'AS1');
  const faults = [...find('DS12', 6, 'AS1', 'global', 'clean').minor_faults].sort((a, b) => a - b);
  assert.equal(Number(row.value), faults[2]);
});

test('page faults and verdicts are counts without decimals, however few', async (t) => {
  const few = measure('count', [1, 2, 12, 40, 99]);
  const page = await open(t, reportOn('few-faults', (cell) => (cell.status !== 'ok' ? cell
    : { ...cell, measures: { ...cell.measures, minor_faults: few } })));
  await page.getByLabel('Value').selectOption('faults');
  await drawing(map(page, 'DS12', 'measured'));
  const texts = await textsOf(map(page, 'DS12', 'measured'));
  assert.equal(texts.filter((text) => text === '12').length, 18 * 3, `${texts}`);
  const verdicts = await page.locator('table.tally td.number').allTextContents();
  assert.ok(verdicts.length > 0 && verdicts.every((text) => /^\d+$/.test(text)), `${verdicts}`);
});

test('the CSV of a heat map holds the measured figures and the reason of a failure', async (t) => {
  const page = await open(t, single);
  const rows = await copied(page, 'DS6, measured');
  assert.equal(rows.length, 18 * 3);
  for (const row of rows) {
    const cell = find('DS6', Math.log2(row.size), row.strategy, row.peer, 'clean');
    if (cell.status === 'failed') assert.equal(row.value, `failed: ${cell.error}`);
    else close(Number(row.value), cell.median / cell.leaves, `${row.strategy} ${row.size}`);
  }
});

test('pointing at a cell shows its median, interval and repetitions', async (t) => {
  const page = await open(t, single);
  const measured = map(page, 'DS3', 'measured');
  await drawing(measured);
  const cell = find('DS3', 10, 'AS3', 'mallard', 'clean');
  const text = (cell.median / cell.leaves * 1e9).toPrecision(3);
  await measured.locator('svg text', { hasText: text }).first().hover({ force: true });
  const card = page.locator('.card-tip');
  await card.waitFor();
  const shown = await card.innerText();
  for (const part of ['DS3', 'Median', '95 % interval', 'Peak memory', 'Page faults',
    '5 repetitions', 'global heap']) {
    assert.ok(shown.includes(part), `${part} in ${shown}`);
  }
  assert.equal(await card.locator('circle').count(), 5);
});

test('arrow keys walk through the cells, and the failed one gives its reason', async (t) => {
  const page = await open(t, single);
  const measured = map(page, 'DS6', 'measured');
  await drawing(measured);
  await measured.focus();
  for (let step = 0; step < 8; ++step) await page.keyboard.press('ArrowRight');
  for (let step = 0; step < 2; ++step) await page.keyboard.press('ArrowDown');
  const reason = 'killed by signal 9 <out of memory>';
  assert.ok((await page.locator('#announcer').textContent()).includes(reason));
  assert.ok((await page.locator('.card-tip .error').innerText()).includes(reason));
  await page.keyboard.press('Escape');
  await page.locator('.card-tip').waitFor({ state: 'hidden' });
});

test('any strategy can be set against any other', async (t) => {
  const page = await open(t, single);
  await page.locator('#compare-a select').selectOption('AS3@mallard');
  await page.locator('#compare-b select').selectOption('AS9@boost');
  await page.locator('#compare-heap').getByRole('radio', { name: 'Aged heap' }).check();
  const rows = await copied(page, 'the comparison');
  assert.equal(rows.length, 36);
  for (const row of rows) {
    const [a, b] = [['AS3', 'mallard'], ['AS9', 'boost']].map(([strategy, peer]) =>
      find(row.structure, Math.log2(row.size), strategy, peer, 'aged'));
    close(Number(row.speedup), b.median / a.median, row.structure);
    const verdict = a.ci_high < b.ci_low ? 'won' : a.ci_low > b.ci_high ? 'lost' : 'undecided';
    assert.equal(row.verdict, verdict);
  }
  const figures = (await page.locator('.figure strong').allTextContents()).map(Number);
  assert.equal(figures.reduce((sum, one) => sum + one), 36);
  assert.equal(figures[0], rows.filter(({ verdict }) => verdict === 'won').length);
  await page.getByRole('button', { name: 'Swap the two' }).click();
  const swapped = await copied(page, 'the comparison');
  close(Number(swapped[5].speedup), 1 / Number(rows[5].speedup), 'swapped');
});

test('the libraries’ bars follow strategy and heap', async (t) => {
  const page = await open(t, single);
  const bars = page.getByLabel('Bars: speed-up over the global heap by library');
  const all = await drawing(bars);
  await page.locator('#peers-strategy select').selectOption('AS7');
  assert.ok(await drawing(bars) !== all, 'other bars');
  const rows = await copied(page, 'the libraries');
  assert.equal(rows.length, 3 * 12);
  const row = rows.find((one) => one.group === 'DS7' && one.peer === 'std');
  close(Number(row.speedup), geometricMean([6, 10, 14].map((size) =>
    find('DS7', size, 'AS1', 'global', 'clean').median /
    find('DS7', size, 'AS7', 'std', 'clean').median)), 'AS7@std in DS7');
});

test('claims are filtered by verdict', async (t) => {
  const page = await open(t, single);
  const claims = page.locator('#claims');
  await claims.getByRole('radio', { name: 'Aged heap' }).check();
  const total = await claims.locator('table.claims tbody tr').count();
  let sum = 0;
  for (const verdict of ['holds', 'fails', 'undecided']) {
    await claims.getByRole('radio', { name: verdict }).check();
    const badges = await claims.locator('tbody .badge').allTextContents();
    assert.ok(badges.every((text) => text.includes(verdict)), `${badges}`);
    sum += badges.length;
  }
  assert.ok(total > 0);
  assert.equal(sum, total);
  await claims.getByRole('radio', { name: 'Both' }).check();
  await claims.getByRole('radio', { name: 'All' }).first().check();
  assert.equal(await claims.locator('tbody .badge').count(), 2 * total);
});

test('the system’s theme is followed until another is chosen', async (t) => {
  const page = await open(t, single, { colorScheme: 'dark' });
  const becomes = (theme) => page.waitForFunction((wanted) => {
    const channels = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return Math.max(...channels) < 60 === (wanted === 'dark');
  }, theme, { timeout: 5000 });
  const inkOf = (locator) => locator.locator('svg text').first().getAttribute('fill');
  const chart = page.getByLabel('Bars: speed-up of each strategy over the global heap');
  await drawing(chart);
  await becomes('dark');
  const dark = await inkOf(chart);
  await page.emulateMedia({ colorScheme: 'light' });
  await becomes('light');
  assert.notEqual(await inkOf(chart), dark);
  await page.getByLabel('Theme').selectOption('dark');
  await becomes('dark');
  assert.equal(await inkOf(chart), dark);
});

test('merged files: a note on replaced cells, and data sets to choose from', async (t) => {
  const page = await open(t, merged);
  assert.match(await page.locator('.notes').innerText(), /again\.jsonl/);
  const before = await drawing(map(page, 'DS2', 'measured'));
  const [, second] = await page.locator('#dataset option').allTextContents();
  assert.ok(second.includes(hostileCpu));
  await page.getByLabel('Data set').selectOption(second);
  assert.ok(await drawing(map(page, 'DS2', 'measured')) !== before, 'another table');
  assert.match(await page.locator('.facts').innerText(), /paper/);
});

test('text from a result file stays text', async (t) => {
  const page = await open(t, merged);
  const title = await page.title();
  await page.locator('#dataset select').selectOption({ index: 1 });
  assert.ok((await page.locator('.facts').innerText()).includes(hostileCpu));
  assert.equal(await page.title(), title);
  assert.equal(await page.locator('main b').count(), 0);
});

test('benches of several files stand in one report, each with its section', async (t) => {
  const page = await open(t, several);
  await drawAll(page);
  assert.equal(await page.locator('#dataset').count(), 0, 'one data set');
  const sections = await sectionsOf(page);
  assert.deepEqual(sections, ['top', 'claims', 'density', 'maps', 'compare', 'peers',
    'locality', 'utilization', 'contention', 'false-sharing', 'mallocs', 'method']);
  const links = await page.locator('#sections a').evaluateAll((all) =>
    all.map((link) => link.getAttribute('href').slice(1)));
  assert.deepEqual(links, sections);
  for (const id of ['locality', 'contention', 'false-sharing']) {
    const shapes = await page.locator(`#${id} .chart`).evaluateAll((all) =>
      all.map((chart) => chart.querySelectorAll('svg path').length));
    assert.ok(shapes.length > 0 && shapes.every((count) => count > 4), `${id}: ${shapes}`);
  }
  assert.doesNotMatch(await page.locator('main').innerText(), /NaN|undefined[^.,]|Infinity/);
});

test('a bench that this program does not know gets lines and a table', async (t) => {
  writeLines('novel.jsonl', linesOf('utilization-glibc.jsonl').map((line) =>
    ({ ...line, bench: 'novel-bench', ...(line.at ? { at: { type: 'int', ...line.at } } : {}) })));
  const page = await open(t, makeReport('novel.html', 'novel.jsonl'));
  assert.equal(await page.locator('#novel-bench h2').innerText(), 'Novel bench');
  await drawing(page.getByLabel('Lines: Time, Novel bench by block'));
  const rows = await copied(page, 'novel bench by block');
  assert.ok(rows.length >= 9);
  for (const row of rows) {
    const at = { total: Number(row.total), active: Number(row.active), block: Number(row.block) };
    const cell = findSeries('utilization', at, row.strategy, row.peer);
    if (cell.status === 'ok') close(Number(row.value), timeOf(cell), row.strategy);
  }
  assert.doesNotMatch(await page.locator('main').innerText(), /NaN|undefined[^.,]|Infinity/);
});

test('what a result file says of its benches is on the page, whoever wrote it', async (t) => {
  const said = (title, better) => ({ title, summary: '', main: 'score',
    measures: { score: { title: 'Points scored', unit: 'B', better } } });
  const [run, ...all] = linesOf('utilization-glibc.jsonl').filter(({ status = 'ok' }) => status === 'ok');
  const page = async (name, bench, better) => {
    const cellsOf = all.map(({ measures, ...rest }) =>
      ({ ...rest, bench, measures: { score: { ...measures.time, unit: 'B' } } }));
    const about = { ...run, bench, benches: { [bench]: said('Foreign title: what it is', better) } };
    writeLines(`${name}.jsonl`, [about, ...cellsOf]);
    return open(t, makeReport(`${name}.html`, `${name}.jsonl`));
  };
  /** The colour of a table's greatest figure. */
  const best = (opened, id) => opened.locator(`#${id} tbody td`).evaluateAll((cells) =>
    cells.map((one) => [parseFloat(one.textContent), one.getAttribute('style')])
      .sort(([a], [b]) => b - a)[0][1]);
  const less = await page('said-less', 'foreign', 'less');
  assert.equal(await less.locator('#foreign h2').innerText(), 'Foreign title: what it is');
  await drawing(less.getByLabel('Lines: Points scored, Foreign title by block'));
  const more = await page('said-more', 'foreign', 'more');
  assert.notEqual(await best(more, 'foreign'), await best(less, 'foreign'));
  // Also of a bench that this program knows under another title.
  const known = await page('said-known', 'mixed', 'less');
  assert.equal(await known.locator('#mixed h2').innerText(), 'Foreign title: what it is');
});

const medianOf = (cell, measure) => cell.measures[measure].median;
/** The text of a figure in the card's table: by what its row and its column are called. */
const figureText = (card, row, column) => card.locator('table').evaluate((table, [rowName, name]) => {
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  const found = [...table.tBodies[0].rows].find(({ cells: [head] }) => head.textContent === rowName);
  return found.cells[heads.indexOf(name)].textContent;
}, [row, column]);
const cardOf = (page, title) => page.locator('.card').filter({ has: page.getByRole('heading',
  { name: title, exact: true }) });
const ratioText = (value) => `${Number(value.toPrecision(3)) >= 1 ? value.toPrecision(3)
  : value.toFixed(2 - Math.floor(Math.log10(value)))}×`;

test('benches of arrays, nodes and mallocs have sections, and every chart is drawn', async (t) => {
  const page = await open(t, newerReport);
  await drawAll(page);
  const sections = await sectionsOf(page);
  assert.deepEqual(sections, ['top', 'claims', 'arrays', 'nodes', 'malloc-benches', 'mixed',
    'mallocs', 'method']);
  const charts = await page.locator('.chart').evaluateAll((all) => all.map((chart) =>
    [chart.getAttribute('aria-label'), chart.querySelectorAll('svg path').length]));
  assert.equal(charts.length, 2 + 2 + 8 + 1);
  for (const [label, shapes] of charts) assert.ok(shapes > 15, `${label}: ${shapes} shapes`);
  assert.doesNotMatch(await page.locator('main').innerText(), /NaN|undefined[^.,]|Infinity/);
});

test('the first screen says what growing in place, bursts and another malloc gain', async (t) => {
  const page = await open(t, newerReport);
  const gain = (bench, measure, a, b, matches) => geometricMean(seriesCells
    .filter((one) => one.bench === bench && matches(one) && a(one))
    .map((one) => medianOf(seriesCells.find((other) => b(other) && other.bench === bench &&
      JSON.stringify(other.at) === JSON.stringify(one.at)), measure) / medianOf(one, measure)));
  const column = (strategy, peer) => (one) => one.strategy === strategy && one.peer === peer;
  const arrays = gain('expand-forward', 'time', column('v2', 'mallard'), column('std', 'std'),
    ({ at }) => at.elements === 10000);
  const lists = gain('burst', 'insert', column('v2', 'mallard'), column('v1', 'mallard'),
    ({ at }) => at.container === 'list');
  const text = await page.locator('.verdict').innerText();
  assert.match(text, /^Large arrays that grow in place have/);
  // The chains of speed are many, and still only one bench.
  const underMalloc = (name) => (one) => one.malloc === name;
  const mallocs = geometricMean(['churn', 'thrash', 'speed', 'mixed-malloc'].map((bench) =>
    gain(bench, 'time', underMalloc('mallard'), underMalloc('glibc'), () => true)));
  for (const one of [arrays, lists, mallocs]) {
    assert.ok(text.includes(ratioText(one)), `${text}: ${one}`);
  }
  assert.match(text, /Our malloc has [\d.]+× the speed of glibc’s\.$/);
});

test('arrays: times in proportion to a column that can be chosen', async (t) => {
  const page = await open(t, newerReport);
  const card = cardOf(page, 'Vectors that grow forward');
  const at = { elements: 10000, type: 'int' };
  const time = (strategy, peer) => timeOf(findSeries('expand-forward', at, strategy, peer));
  const ours = time('v2', 'mallard');
  assert.equal(await figureText(card, '104', 'v2 mallard'), ratioText(ours / time('v1', 'mallard')));
  assert.equal(await figureText(card, '104', 'v1 mallard'), '1.00×');
  const before = await drawing(card.locator('.chart'));
  await card.locator('.chart').evaluate(({ chart }) => chart.point(3));
  assert.match(await page.locator('.card-tip').innerText(), /In proportion to v1 mallard[^]* repetitions:/);
  await card.locator('.chart').evaluate(({ chart }) => chart.unpoint());
  await card.getByLabel('In proportion to').selectOption({ label: 'std' });
  assert.equal(await figureText(card, '104', 'v2 mallard'), ratioText(ours / time('std', 'std')));
  assert.notEqual(await drawing(card.locator('.chart')), before);
  await card.getByLabel('In proportion to').selectOption({ label: 'the slowest' });
  const all = await card.locator('tbody tr').last().locator('td').allTextContents();
  assert.ok(all.includes('1.00×') && all.every((one) => one === '–' || parseFloat(one) <= 1), `${all}`);
  await card.getByLabel('In proportion to').selectOption({ label: 'nothing' });
  assert.match(await figureText(card, '104', 'v2 mallard'), /^[\d.]+ (s|ms)$/);
  const row = (await copied(page, 'vectors that grow forward')).find((one) =>
    one.strategy === 'v2' && one.peer === 'mallard' && one.elements === '10000');
  close(Number(row.value), ours, 'v2');
  assert.equal(row.iterations, '10000');
});

test('arrays: what was never tried is not the same as what never succeeded', async (t) => {
  const lines = linesOf('expand-forward-glibc.jsonl');
  for (const { strategy, peer, at, measures } of lines) {
    if (strategy !== 'v2' || peer !== 'boost' || at.elements !== 10) continue;
    measures.success = { unit: 'ratio', samples: [0], median: 0, ci_low: 0, ci_high: 0 };
  }
  writeLines('zero.jsonl', lines);
  const page = await open(t, makeReport('zero.html', 'zero.jsonl'));
  const card = cardOf(page, 'Vectors that grow forward');
  await card.getByLabel('Measure').selectOption({ label: 'Success in place' });
  assert.equal(await figureText(card, '10', 'v2 Boost'), '0×');
  const heads = await card.locator('thead th').allTextContents();
  assert.ok(!heads.includes('v1 Boost'), `${heads}`);
});

test('pools: bytes after erasing are bytes, also where there are none', async (t) => {
  const page = await open(t, newerReport);
  const card = cardOf(page, 'Pools of nodes');
  await card.getByLabel('Measure').selectOption({ label: 'In use after erasing' });
  assert.equal(await figureText(card, '100', 'v2 mallard'), '0 B');
  assert.match(await figureText(card, '100', 'node mallard'), /^4[5-9](\.\d+)? MiB$/);
});

test('mallocs: lines by threads, chains in proportion to glibc, percentiles, throughput', async (t) => {
  const page = await open(t, newerReport);
  const malloc = (bench, at, name) => findSeries(bench, at, 'AS1', 'global', name);
  const churn = cardOf(page, 'Churn: blocks replaced at random');
  const shared = await figureText(churn, '2', 'jemalloc');
  await churn.getByLabel('At', { exact: true }).selectOption({ label: 'sharing private' });
  assert.notEqual(await figureText(churn, '2', 'jemalloc'), shared);
  const heads = await churn.locator('thead th').allTextContents();
  assert.deepEqual(heads.slice(0, 4), ['Threads', 'glibc', 'mallard', 'mallard-hardened']);

  const chain = { chain: 'calloc-free', threads: 1 };
  assert.equal(await figureText(cardOf(page, 'Speed: chains of calls'), 'calloc-free', 'mallard'),
    ratioText(medianOf(malloc('speed', chain, 'mallard'), 'per_op') /
      medianOf(malloc('speed', chain, 'glibc'), 'per_op')));
  assert.match(await figureText(cardOf(page, 'Latency of single calls'), 'malloc p99.9', 'glibc'),
    /^6\.\d+ µs$/);
  assert.match(await figureText(cardOf(page, 'Larson: a server’s throughput'), '2', 'glibc'),
    /^4\dM\/s$/);
});

test('memory over time: a line for each malloc beside what was requested', async (t) => {
  const page = await open(t, newerReport);
  const card = cardOf(page, 'Memory over time');
  const resident = await drawing(card.locator('.chart'));
  assert.ok((await textsOf(card.locator('.chart'))).includes('requested by the program'));
  await card.getByLabel('Measure').selectOption({ label: 'Heap area (sbrk)' });
  assert.notEqual(await drawing(card.locator('.chart')), resident);
  assert.equal(await figureText(card, '51 %', 'jemalloc'), '0 B');
  assert.match(await figureText(card, '51 %', 'glibc'), / MiB$/);
  // Points between are in the chart and in the CSV alone.
  assert.equal(await card.locator('tbody tr').count(), 10);
  assert.equal((await copied(page, 'memory over time')).length, 60 * 7);
});

test('sections appear only where there is data', async (t) => {
  const page = await open(t, makeReport('one-bench.html', 'utilization-glibc.jsonl'));
  const sections = await sectionsOf(page);
  assert.deepEqual(sections, ['top', 'claims', 'utilization', 'method']);
  assert.doesNotMatch(await page.locator('main').innerText(), /NaN|undefined[^.,]|Infinity/);
  const without = await open(t, single);
  assert.equal(await without.locator('#utilization').count(), 0);
});

test('the first table of the page is that of the claims, over all benches', async (t) => {
  const page = await open(t, several);
  assert.equal(await page.locator('main table').first()
    .evaluate((table) => table.closest('section').id), 'claims');
  const claims = page.locator('#claims');
  await claims.getByRole('radio', { name: 'Contention' }).check();
  const ids = await claims.locator('table.claims tbody strong').allTextContents();
  assert.ok(ids.length >= 10 && ids.every((id) => /^(IV-|M-)/.test(id)), `${ids}`);
});

test('utilization: seconds of AS1, percent of it for the others, failures with their reason',
  async (t) => {
    const page = await open(t, several);
    const rows = await copied(page, 'utilization, measured');
    const at = { total: 30, active: 20, block: 12 };
    const row = (strategy, malloc = 'glibc') => rows.find((one) => one.strategy === strategy &&
      one.malloc === malloc && Number(one.total) === at.total &&
      Number(one.active) === at.active && Number(one.block) === at.block);
    const base = timeOf(findSeries('utilization', at, 'AS1', 'global'));
    close(Number(row('AS1').time), base, 'AS1');
    for (const strategy of ['AS3', 'AS7', 'AS13']) {
      close(Number(row(strategy).percent_of_AS1),
        100 * timeOf(findSeries('utilization', at, strategy, 'mallard')) / base, strategy);
    }
    close(Number(row('AS1', 'jemalloc').percent_of_AS1),
      100 * timeOf(findSeries('utilization', at, 'AS1', 'global', 'jemalloc')) / base, 'jemalloc');
    assert.ok(rows.some((one) => one.time === 'failed: out of memory <limit 5 GB>'));
    const failed = page.locator('#utilization td.failed').first();
    await failed.scrollIntoViewIfNeeded();
    await failed.focus();
    assert.match(await page.locator('.hover .error').innerText(), /out of memory <limit 5 GB>/);
  });

test('utilization: the published table stands beside, whole on demand', async (t) => {
  const page = await open(t, several);
  const part = await copied(page, 'utilization, published');
  assert.equal(part.length, 12 * 8);
  const printed = part.find((one) => one.total === '30' && one.active === '15' &&
    one.strategy === 'AS7');
  assert.equal(printed.value, '46');
  assert.ok(part.some(({ value }) => value === 'failed'));
  await page.locator('#utilization').getByLabel('Whole published table').check();
  assert.equal((await copied(page, 'utilization, published')).length, 66 * 8);
});

test('utilization: with less memory in all, the published rows of the same blocks stand beside',
  async (t) => {
    const lines = linesOf('utilization-glibc.jsonl').filter(({ at }) => !at || at.total === 30);
    for (const { at } of lines) if (at) at.total = 28;
    writeLines('small.jsonl', lines);
    const page = await open(t, makeReport('small.html', 'small.jsonl'));
    const rows = await copied(page, 'utilization, published');
    assert.equal(rows.length, 6 * 8);
    assert.ok(rows.every(({ total }) => total === '30'));
  });

test('contention: the table by threads, and the shared forms as lines', async (t) => {
  const page = await open(t, several);
  const rows = await copied(page, 'contention, measured');
  const at = { iterations: 19, block: 8, threads: 4, form: 'own' };
  const row = rows.find((one) => one.strategy === 'AS7' && one.iterations === '19' &&
    one.threads === '4' && one.malloc === 'glibc');
  close(Number(row.percent_of_AS1), 100 * timeOf(findSeries('contention', at, 'AS7', 'mallard')) /
    timeOf(findSeries('contention', at, 'AS1', 'global')), 'AS7');
  assert.equal((await copied(page, 'contention, published')).length, 12 * 8);
  const card = cardOf(page, 'Time by number of threads');
  const lines = card.locator('.chart');
  const own = await drawing(lines);
  const shared = { label: 'iterations 2¹⁹, block 2⁸, form shared' };
  await card.getByLabel('At', { exact: true }).selectOption(shared);
  assert.ok(await drawing(lines) !== own, 'other lines');
  const texts = await textsOf(lines);
  for (const name of ['AS1', 'mutex mallard', 'sync mallard', 'sync Boost', 'AS1 jemalloc']) {
    assert.ok(texts.includes(name), `${name} is among ${texts}`);
  }
  assert.ok((await copied(page, 'time by number of threads')).every(({ form }) => form === 'shared'));
});

test('locality: the three surfaces measured beside published', async (t) => {
  const page = await open(t, several);
  const at = { links: 2 ** 21, subsystem: 18, accesses: 8 };
  const slowdown = (strategy, peer) =>
    findSeries('locality', at, strategy, peer).measures.degradation.median;
  const figure = async (what) => Number((await copied(page, what)).find((one) =>
    one.subsystem === '18' && one.accesses === '8').figure);
  close(await figure('the slow-down without, measured'), slowdown('AS1', 'global'), 'without');
  close(await figure('the slow-down with, measured'), slowdown('AS7', 'mallard'), 'with');
  close(await figure('the ratio, measured'),
    slowdown('AS1', 'global') / slowdown('AS7', 'mallard'), 'ratio');
  await page.locator('#locality-strategy select').selectOption({ label: 'AS9 Boost' });
  close(await figure('the slow-down with, measured'), slowdown('AS9', 'boost'), 'another strategy');
  const published = await copied(page, 'the slow-down without, published, 2^21 links');
  assert.equal(published.length, 22 * 9);
  assert.equal(published.find((one) => one.subsystem === '18' && one.accesses === '256').figure,
    '18');
});

test('locality: a surface can be turned, and says what lies under the pointer', async (t) => {
  const page = await open(t, several);
  const surface = page.getByLabel('Surface of the slow-down without, measured');
  const first = await drawing(surface);
  assert.equal(await surface.locator('svg path[fill^="rgb"]').count(), 5 * 10,
    'a quad between each four cells');
  await surface.focus();
  await page.keyboard.press('ArrowRight');
  const turned = await drawing(surface);
  assert.ok(turned !== first, 'turned by a key');
  const box = await surface.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 10, { steps: 3 });
  await page.mouse.up();
  assert.ok(await drawing(surface) !== turned, 'turned by dragging');
});

test('locality: shuffles by number at ten million links, and every measure by strategy',
  async (t) => {
    const page = await open(t, several);
    await page.locator('#locality-run select')
      .selectOption({ label: '10⁷ links, shuffled as in the code, clean heap' });
    const measured = await copied(page, 'the slow-down by shuffles, measured');
    assert.equal(measured.length, 8 * 6);
    const published = await copied(page, 'the slow-down by shuffles, published, 10^7 links');
    assert.equal(published.length, 8 * 10);
    assert.equal(published.find((one) => one.subsystem === '6' && one.shuffles === '1').figure,
      '11.4');
    await page.locator('#locality-measure select').selectOption('bytes_per_node');
    const rows = await copied(page, 'times and memory');
    const row = rows.find((one) => one.strategy === 'AS7' && one.peer === 'std' &&
      one.subsystem === '4');
    const cell = findSeries('locality', { links: 1e7, subsystem: 4, shuffles: 5 }, 'AS7', 'std');
    close(Number(row.figure), cell.measures.bytes_per_node.median, 'bytes per link');
  });

test('false sharing: time by threads and form, in lines and a table', async (t) => {
  const page = await open(t, several);
  await drawing(page.getByLabel('Lines: Time by threads and form'));
  const rows = await copied(page, 'false sharing');
  const row = rows.find((one) => one.form === 'shared array' && one.threads === '2');
  close(Number(row.time), timeOf(findSeries('false-sharing', { form: 'shared array', threads: 2 },
    'AS1', 'global')), 'shared array');
  assert.ok(rows.every(({ peer }) => peer === 'global' || peer === 'mallard'));
  await page.locator('#false-sharing-peer').getByRole('radio', { name: 'Boost' }).check();
  assert.ok((await copied(page, 'false sharing')).some(({ peer }) => peer === 'boost'));
});

test('pointing at a figure of a table shows its spread', async (t) => {
  const page = await open(t, several);
  const cell = page.locator('#false-sharing td.painted').first();
  await cell.scrollIntoViewIfNeeded();
  await cell.hover();
  const card = page.locator('.hover');
  const shown = await card.innerText();
  for (const part of ['Time', '95 % interval', '5 repetitions']) {
    assert.ok(shown.includes(part), `${part} in ${shown}`);
  }
  assert.equal(await card.locator('circle').count(), 5);
  await page.mouse.move(0, 0);
  await card.waitFor({ state: 'detached' });
  await cell.focus();
  await page.keyboard.press('ArrowDown');
  assert.match(await card.innerText(), /Time/);
  assert.equal(await page.evaluate(() => document.activeElement.parentElement.rowIndex), 2);
  await page.keyboard.press('Escape');
  await card.waitFor({ state: 'detached' });
});

test('other mallocs: the global heap under each, in the mean', async (t) => {
  const page = await open(t, several);
  const rows = await copied(page, 'the mallocs');
  assert.deepEqual(rows.map(({ bench }) => bench).sort(), ['contention', 'utilization']);
  const ratios = seriesCells.filter((one) => one.bench === 'utilization' && one.strategy === 'AS1' &&
    one.malloc === 'glibc').map((one) => timeOf(one) /
    timeOf(findSeries('utilization', one.at, 'AS1', 'global', 'jemalloc')));
  close(Number(rows.find(({ bench }) => bench === 'utilization').speedup), geometricMean(ratios),
    'jemalloc');
});

test('a narrow screen never scrolls sideways, and several benches are on paper', async (t) => {
  for (const report of [single, several, newerReport]) {
    const page = await open(t, report, { viewport: { width: 360, height: 740 } });
    await drawAll(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  }
  const pdf = await (await open(t, several)).pdf({ preferCSSPageSize: true });
  assert.ok(pdf.length > 50000);
});

test('the first claim can be read in a narrow window', async (t) => {
  for (const report of [single, several, newerReport]) {
    const page = await open(t, report, { viewport: { width: 400, height: 800 } });
    const statement = page.locator('#claims table.claims tbody tr').first().locator('td').nth(1);
    await statement.evaluate((cell) => cell.scrollIntoView({ block: 'center', inline: 'nearest' }));
    const [x, width, scrolled] = await statement.evaluate((cell) => [cell.getBoundingClientRect().x,
      cell.getBoundingClientRect().width, cell.closest('.scroll').scrollLeft]);
    assert.ok(width > 200 && x >= 0 && x + width <= 400, `${x} and ${width} of 400 pixels`);
    assert.equal(scrolled, 0);
  }
});

for (const colorScheme of ['light', 'dark']) {
  test(`text of results can be read where the system is ${colorScheme}, below one heading`, async (t) => {
    for (const report of [single, several, newerReport, merged]) {
      const page = await open(t, report, { colorScheme });
      assert.equal(await page.locator('h1').count(), 1);
      assert.deepEqual(await faintText(page), [], report);
    }
  });
}

for (const width of [1440, 800]) {
  test(`no card of results stands alone in a row of two in a window of ${width} pixels`, async (t) => {
    for (const report of [single, several, newerReport]) {
      const page = await open(t, report, { viewport: { width, height: 900 } });
      assert.deepEqual(await loneCards(page), [], report);
    }
  });
}

const sparse = {
  'the global heap alone': (cell) => (cell.strategy === 'AS1' ? cell : null),
  'one strategy without the global heap': (cell) =>
    (cell.strategy === 'AS7' && cell.peer === 'std' ? cell : null),
  'failures alone': ({ kind, bench, at, strategy, peer, heap }) =>
    ({ kind, bench, at, strategy, peer, heap, status: 'failed', error: 'no memory' }),
  'a single cell': (() => {
    let taken = false;
    return (cell) => { const first = !taken; taken = true; return first ? cell : null; };
  })(),
};

for (const [what, change] of Object.entries(sparse)) {
  test(`a report on ${what} shows what there is`, async (t) => {
    const page = await open(t, reportOn(what.replaceAll(' ', '-'), change));
    await drawAll(page);
    await drawing(page.locator('#maps .chart').first());
    for (const id of ['top', 'claims', 'density', 'maps', 'compare', 'peers', 'method']) {
      assert.doesNotMatch(await page.locator(`#${id}`).innerText(), /NaN|undefined|null|Infinity/);
    }
  });
}

test('paper gets every chart, in light colours', async (t) => {
  const page = await open(t, single, { colorScheme: 'dark' });
  await page.evaluate(() => window.addEventListener('afterprint', () => { window.printed = true; }));
  const drawn = page.evaluate(() => new Promise((done) => {
    window.addEventListener('beforeprint', () => done({
      theme: document.documentElement.dataset.theme,
      blank: [...document.querySelectorAll('.chart')].filter((c) => !c.querySelector('svg')).length,
    }));
  }));
  const pdf = await page.pdf({ preferCSSPageSize: true });
  assert.ok(pdf.length > 50000);
  assert.deepEqual(await drawn, { theme: 'light', blank: 0 });
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
});

testInEach('nothing on any page asked for anything or complained', () => {
  assert.deepEqual(complaints, []);
});
