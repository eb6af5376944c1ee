// Records a program, opens its report in a real browser, and uses it as a reader would. See browser.mjs; the
// program is the argument after the folder.

import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { assert, complaints, copied, drawAll, faintText, file, loneCards, mallard, modules, open, openOther, test }
  from './browser.mjs';

const program = path.resolve(process.argv[5]);
const words = ['[.[]|keys]', 'it\'s "one" $word', ''];  // which it does not look at
const out = execFileSync(mallard, ['record', '-o', file('one.mallard'), '--', program, ...words],
  { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
execFileSync(mallard, ['report', file('one.mallard'), '-o', file('one.html')]);
const dims = JSON.parse(execFileSync(mallard, ['dims', file('one.mallard'), '--json'], { encoding: 'utf8' }));
const page1 = pathToFileURL(file('one.html')).href;
const said = JSON.parse(execFileSync(mallard, ['advise', '--quick', '--json', '-o', file('advice.html'),
  file('one.mallard')], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
const advicePage = pathToFileURL(file('advice.html')).href;
execFileSync(mallard, ['diff', file('one.mallard'), file('one.mallard'), '-o', file('diff.html')],
  { stdio: 'ignore' });
const differences = pathToFileURL(file('diff.html')).href;

const dataScript = /(<script type="application\/json"[^>]*>)([^]*?)(?=<\/script>)/;
const dataOf = (text) => JSON.parse(text.match(dataScript)[2]);
const model = dataOf(readFileSync(file('one.html'), 'utf8'));

/** The page of the recording with other data in places of its own. */
function pageWith(name, change) {
  const data = JSON.stringify({ ...model, ...change }).replaceAll('<', '\\u003c');
  writeFileSync(file(name), readFileSync(file('one.html'), 'utf8').replace(dataScript, (all, begin) => begin + data));
  return pathToFileURL(file(name)).href;
}

test('the recorded program says what it says without the recording', () => {
  assert.equal(out, `${300 * 20 + 500}\n`);
});

test('the page names the arena scope first, with its figures', async (t) => {
  const page = await open(t, page1);
  const said = await page.locator('.said').innerText();
  assert.match(said, /handle_request/);
  assert.match(said, /seems to have been called 300 times/);
  assert.match(await page.title(), /server_program/);
  assert.equal(await page.locator('h1').count(), 1);
  assert.match(await page.locator('h1').innerText(), /where would an arena go/);
});

/** The finding about density, or none. */
const densityOf = async (page) => {
  const all = await page.locator('#top .said li').allInnerTexts();
  return all.find((text) => text.startsWith('Density'))?.replaceAll(/\s+/g, ' ') ?? null;
};
const shareText = ({ share, low, high }) => `The heap takes ${(100 * share).toFixed(1)} % of the program’s time ` +
  `(${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}), `;

test('the density is that of mallard dims, in its words', async (t) => {
  const loop = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done';
  execFileSync(mallard, ['record', '-o', file('busy.mallard'), '--', 'sh', '-c', loop], { stdio: 'ignore' });
  execFileSync(mallard, ['report', file('busy.mallard'), '-o', file('busy.html')], { stdio: 'ignore' });
  const [screen, json] = [[], ['--json']].map((options) =>
    execFileSync(mallard, ['dims', file('busy.mallard'), ...options], { encoding: 'utf8' }));
  // Sums of floating-point numbers depend on the number of windows.
  const rounded = ({ heap }) =>
    JSON.stringify(heap, (key, value) => (typeof value === 'number' ? value.toFixed(9) : value));
  assert.equal(rounded(dataOf(readFileSync(file('busy.html'), 'utf8'))), rounded(JSON.parse(json)));
  if (JSON.parse(json).heap === null) return t.skip('no sample of the processor time');
  const said = await densityOf(await open(t, pathToFileURL(file('busy.html')).href));
  const words = screen.match(/the heap takes ([^;]*)/)[1].replace("'", '’');
  assert.ok(said.includes(`The heap takes ${words}.`), `${said}: ${words}`);
  return assert.ok(said.includes(shareText(JSON.parse(json).heap)), said);
});

test('without a sample of the processor time there is no density', async (t) => {
  assert.equal(await densityOf(await open(t, pageWith('unknown.html', { heap: null }))), null);
});

const ordinary = { share: 0.322, low: 0.162, high: 0.483, looks: 243, measured: false };
const gains = {
  'an ordinary share gains between both ends of its interval': [ordinary, 'would be 1.19× to 1.93× as fast'],
  'a share that may be all of the time gains at least something': [
    { ...ordinary, share: 1, low: 0.5, high: 1 }, 'would be at least 2.00× as fast'],
  'a share of all the time gains more than can be told': [
    { ...ordinary, share: 1, low: 0.999, high: 1 }, 'would be more than 10.0× as fast'],
};
for (const [what, [heap, gain]] of Object.entries(gains)) {
  test(what, async (t) => {
    const said = await densityOf(await open(t, pageWith('density.html', { heap })));
    assert.ok(said.includes(`${shareText(heap)}estimated from 243 samples and timed operations`), said);
    assert.ok(said.includes(gain), said);
  });
}

test('a measured share beside advice, which bounds the gain, says no gain of its own', async (t) => {
  const heap = { ...ordinary, measured: true };
  const advised = dataOf(readFileSync(file('advice.html'), 'utf8')).advice;
  const said = await densityOf(await open(t, pageWith('measured.html', { heap, advice: advised })));
  assert.ok(said.endsWith(`${shareText(heap)}measured with 243 samples of the unmodified program.`), said);
});

test('the command that records it again is one that a shell takes', async (t) => {
  const page = await open(t, page1);
  await page.getByRole('button', { name: 'Copy the command' }).first().click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  const run = command.replace('mallard record --', "printf '%s\\n'");
  assert.equal(execFileSync('sh', ['-c', run], { encoding: 'utf8' }), [program, ...words, ''].join('\n'));
});

test('the arena scopes are those of mallard dims', async (t) => {
  const page = await open(t, page1);
  const rows = await copied(page, 'the arena scopes');
  assert.equal(rows.length, dims.arena_scopes.length);
  const own = rows.find((row) => row.function.includes('handle_request'));
  assert.equal(Number(own.invocations), 300);
  assert.equal(Number(own.survivors), 0);
  const median = dims.arena_scopes.find((one) => one.function.includes('handle_request')).bytes.median;
  assert.equal(Number(own.median_bytes), median);
});

test('every chart, canvas and table of the page is drawn', async (t) => {
  const page = await open(t, page1);
  await drawAll(page);
  for (const chart of await page.locator('.chart').all()) {
    assert.ok(await chart.locator('svg path').count() > 3, await chart.getAttribute('aria-label'));
  }
  for (const id of ['flame', 'addresses']) {
    const painted = await page.locator(`#${id} canvas`).evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    assert.ok(painted > 3, `${id} has ${painted} colours`);
  }
  for (const what of ['the six dimensions', 'the functions of the flame graph', 'the live bytes over time',
    'sizes and lifetimes', 'threads over time', 'the address map', 'the functions']) {
    assert.ok((await copied(page, what)).length > 0, what);
  }
});

test('the flame graph sums to the bytes of the recording', async (t) => {
  const page = await open(t, page1);
  const rows = await copied(page, 'the functions of the flame graph');
  const sum = (name) => (all, row) => all + Number(row[name]);
  assert.equal(rows.reduce(sum('own_peak_bytes'), 0), dims.total.peak_bytes);
  await page.locator('#flame').getByRole('radio', { name: 'Bytes allocated', exact: true }).check();
  const all = await copied(page, 'the functions of the flame graph');
  assert.equal(all.reduce(sum('own_bytes'), 0), dims.total.bytes);
});

test('counts have no decimals', async (t) => {
  const page = await open(t, page1);
  const columns = ['Operations', 'Invocations', 'Threads', 'Survivors', 'Temporary blocks'];
  const counts = await page.locator('main table').evaluateAll((tables, names) => tables.flatMap((table) => {
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    const all = table.closest('#threads, #lifetimes');
    return [...table.tBodies[0].rows].flatMap(({ cells }) => [...cells].filter((cell, at) =>
      (all ? cell.tagName === 'TD' : names.includes(heads[at]))).map((cell) => cell.textContent));
  }), columns);
  assert.ok(counts.filter((text) => /^\d{1,2}$/.test(text)).length > 0, `${counts}`);
  assert.deepEqual(counts.filter((text) => /\d\.\d+(?![\d.]*[kMG])/.test(text)), []);
  assert.doesNotMatch(await page.locator('#top .tiles').innerText(), /\d\.00\b/);
});

test('the curve of live bytes is as high as the peak', async (t) => {
  const page = await open(t, page1);
  const rows = await copied(page, 'the live bytes over time');
  const highest = Math.max(...rows.map(({ seconds, ...live }) => Object.values(live).reduce((a, b) => a + Number(b), 0)));
  assert.equal(highest, dims.total.peak_bytes);
});

test('resident memory is drawn beside the live bytes', async (t) => {
  // Of a program that is too short for two looks at it, there is no line.
  execFileSync(mallard, ['record', '-o', file('long.mallard'), '--', 'sh', '-c', 'sleep 1; true'], { stdio: 'ignore' });
  execFileSync(mallard, ['report', file('long.mallard'), '-o', file('long.html')]);
  const page = await open(t, pathToFileURL(file('long.html')).href);
  await drawAll(page);
  const drawn = await page.locator('#timeline .chart').first().innerHTML();
  assert.ok(drawn.includes('resident memory'));
});

test('the line of resident memory has the samples as its points', async (t) => {
  const end = model.timeline.seconds.at(-1);
  const resident = { seconds: [0, 0.25 * end, 0.5 * end, end], bytes: [2 ** 20, 4 * 2 ** 20, 2 ** 21, 3 * 2 ** 20] };
  const page = await open(t, pageWith('resident.html', { timeline: { ...model.timeline, resident } }));
  await drawAll(page);
  const chart = page.locator('#timeline .chart').first();
  const [{ width, height }, lines] = await chart.evaluate((element) => [element.getBoundingClientRect(),
    [...element.querySelectorAll('path[stroke-dasharray]')].map((path) => path.getAttribute('d'))]);
  // The chart's margins, as the sliders know them, too.
  const [left, right, bottom] = [70, 14, 26];
  const wanted = resident.seconds.map((seconds) => left + (width - left - right) * seconds / end);
  const pointsOf = (path) => [...path.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, ...at]) => at.map(Number));
  const points = lines.map(pointsOf).find((all) => all.length === wanted.length);
  assert.ok(points, `${lines}`);
  const scale = (height - bottom - points[1][1]) / resident.bytes[1];
  points.forEach(([x, y], at) => {
    assert.ok(Math.abs(x - wanted[at]) < 1, `${x}, not ${wanted[at]}`);
    assert.ok(Math.abs(height - bottom - y - scale * resident.bytes[at]) < 1, `${y} for ${resident.bytes[at]}`);
  });
});

test('sections follow the part of the time that is chosen', async (t) => {
  const page = await open(t, page1);
  const bytesOf = async () => {
    await page.locator('#flame').getByRole('radio', { name: 'Bytes allocated', exact: true }).check();
    return (await copied(page, 'the functions of the flame graph')).reduce((sum, row) => sum + Number(row.own_bytes), 0);
  };
  const whole = await bytesOf();
  const last = Number(await page.locator('#range-to').getAttribute('max'));
  await page.locator('#range-to').fill(String(Math.floor(last / 2)));
  const first = await bytesOf();
  await page.locator('.part').filter({ hasText: 'live at the highest instant' }).waitFor();
  const listed = (await copied(page, 'the functions')).reduce((sum, row) => sum + Number(row.bytes), 0);
  assert.equal(listed, first);
  await page.locator('#range-to').fill(String(last));
  await page.locator('#range-from').fill(String(Math.floor(last / 2) + 1));
  assert.equal(first + await bytesOf(), whole);
  assert.ok(first > 0 && first < whole, `${first} of ${whole}`);
  await page.getByRole('button', { name: 'Whole run' }).click();
  assert.equal(await bytesOf(), whole);
});

const wholeText = (...kept) => `Still of the whole run: ${kept.join('; ')}.`;
const scopesText = 'the figures of arena scopes other than “Bytes then”';
const chosenText = (page) => page.locator('#top .part').innerText();

test('all sections follow the part of the time but those that are named', async (t) => {
  const page = await open(t, page1);
  await page.locator('#flame').getByRole('radio', { name: 'Bytes allocated', exact: true }).check();
  const shown = async () => ({
    threads: await page.locator('#threads table').innerText(),
    addresses: await page.locator('#addresses .hint').first().innerText(),
    dimensions: await page.locator('#dimensions table').innerText(),
    scopes: await page.locator('#scopes table').innerText(),
    flame: JSON.stringify(await copied(page, 'the functions of the flame graph')),
    lifetimes: await page.locator('#lifetimes table').innerText(),
    functions: await page.locator('#functions table').first().innerText() });
  const kept = async () => ({ said: await page.locator('#top .said').innerText(),
    tiles: await page.locator('#top .tiles').innerText() });
  const [whole, same] = [await shown(), await kept()];
  const last = Number(await page.locator('#range-to').getAttribute('max'));
  await page.locator('#range-to').fill(String(Math.floor(last / 2)));
  const first = await shown();
  assert.deepEqual(await kept(), same);
  assert.ok((await chosenText(page)).endsWith(wholeText('the findings above', scopesText)), await chosenText(page));
  // The highest instant is in one half only.
  await page.locator('#range-to').fill(String(last));
  await page.locator('#range-from').fill(String(Math.floor(last / 2) + 1));
  const second = await shown();
  assert.deepEqual(Object.keys(whole).filter((name) => first[name] === whole[name] && second[name] === whole[name]), []);
  await page.getByRole('button', { name: 'Whole run' }).click();
  assert.deepEqual(await shown(), whole);
});

test('lifetimes of a part of the time are those of the blocks allocated in it', async (t) => {
  const page = await open(t, page1);
  const lifetimes = () => copied(page, 'sizes and lifetimes');
  const total = (rows, name) => rows.reduce((all, row) => all + Number(row[name]), 0);
  const whole = await lifetimes();
  assert.equal(total(whole, 'bytes'), dims.total.bytes);
  const last = Number(await page.locator('#range-to').getAttribute('max'));
  const middle = Math.floor(last / 2);
  await page.locator('#range-to').fill(String(middle));
  const first = await lifetimes();
  assert.equal(total(first, 'bytes'), total(await copied(page, 'the functions'), 'bytes'));
  await page.locator('#range-to').fill(String(last));
  await page.locator('#range-from').fill(String(middle + 1));
  const second = await lifetimes();
  whole.forEach((row, at) => {
    for (const name of ['blocks', 'bytes']) {
      assert.equal(Number(first[at][name]) + Number(second[at][name]), Number(row[name]), row.size_from);
    }
  });
  await page.getByRole('button', { name: 'Whole run' }).click();
  assert.deepEqual(await lifetimes(), whole);
});

test('a part of an imported recording has the dimensions of the whole, and says so', async (t) => {
  writeFileSync(file('heaptrack.txt'), 'v 10400 3\nX prog\nI 1000 5e29\ns 4 prog\ns 4 main\ns 5 a.cpp\n' +
    `i 401000 1 2 3 7\nt 1 0\na 20 1\n${Array.from({ length: 9 }, (_, at) => `c ${at + 1}\n+ 0\n`).join('')}`);
  execFileSync(mallard, ['report', file('heaptrack.txt'), '-o', file('imported.html')], { stdio: 'ignore' });
  const page = await open(t, pathToFileURL(file('imported.html')).href);
  const whole = await copied(page, 'the six dimensions');
  await page.locator('#range-to').fill('3');
  await page.locator('#dimensions .part').filter({ hasText: 'Of the whole run' }).waitFor();
  assert.deepEqual(await copied(page, 'the six dimensions'), whole);
  assert.ok((await chosenText(page)).includes(wholeText('the findings above', 'the dimensions', scopesText)),
    await chosenText(page));
  assert.ok(Number((await copied(page, 'the functions'))[0].bytes) < 9 * 32);
});

test('the dimensions of a part of the time are those of its windows', async (t) => {
  const page = await open(t, page1);
  const all = async () => copied(page, 'the six dimensions');
  const whole = await all();
  const steps = 48;  // of the page; the sliders end at the last in which anything happened
  const windows = JSON.parse(execFileSync(mallard, ['dims', file('one.mallard'), '--json', '--windows',
    String(steps)], { encoding: 'utf8' })).subsystems;
  const last = Math.floor(Number(await page.locator('#range-to').getAttribute('max')) / 2);
  await page.locator('#range-to').fill(String(last));
  await page.locator('#dimensions .part').waitFor();
  for (const row of await all()) {
    const part = windows.find(({ name }) => name === row.subsystem).windows.slice(0, last + 1);
    const sum = (of) => part.reduce((made, one) => made + of(one), 0);
    assert.equal(Number(row.bytes), sum((one) => one.bytes), row.subsystem);
    assert.equal(Number(row.peak_bytes), Math.max(...part.map((one) => one.peak_bytes)));
    assert.equal(row.L_scaled, '');
    const variation = sum((one) => (one.V.scaled ?? 0) * one.allocations) / sum((one) => one.allocations);
    if (row.V_scaled !== '') assert.ok(Math.abs(Number(row.V_scaled) - variation) < 0.002, row.V_scaled);
  }
  const functions = await copied(page, 'the functions');
  const live = functions.reduce((sum, row) => sum + Number(row.peak_bytes), 0);
  assert.ok(functions.every(({ temporary }) => temporary === ''), 'unknown for a part');
  const { program: { windows: ofAll } } = JSON.parse(execFileSync(mallard, ['dims', file('one.mallard'), '--json',
    '--windows', String(steps)], { encoding: 'utf8' }));
  // Steps and windows end some nanoseconds apart, where an allocation may lie.
  const highest = Math.max(...ofAll.slice(0, last + 1).map((one) => one.peak_bytes));
  assert.ok(Math.abs(live - highest) < 0.01 * highest, `${live} at the highest instant, not ${highest}`);
  await page.getByRole('button', { name: 'Whole run' }).click();
  assert.deepEqual(await all(), whole);
});

test('arena scopes of a part of the time are those that asked for memory then', async (t) => {
  const page = await open(t, page1);
  const heads = page.locator('#scopes th');
  assert.equal(await heads.filter({ hasText: 'Bytes then' }).count(), 0);
  const row = page.locator('#scopes tr').filter({ hasText: 'handle_request' });
  const last = Number(await page.locator('#range-to').getAttribute('max'));
  // Before its first request and after its last the function is not there; the whole run has both.
  let found = 0;
  for (const part of [0, 1, 2, 3]) {
    await page.locator('#range-from').fill('0');
    await page.locator('#range-to').fill(String(Math.floor(last * (part + 1) / 4) - (part === 3 ? 1 : 0)));
    await page.locator('#range-from').fill(String(Math.floor(last * part / 4)));
    assert.equal(await heads.filter({ hasText: 'Bytes then' }).count(), 1);
    found += await row.count();
  }
  assert.ok(found > 0);
  await page.getByRole('button', { name: 'Whole run' }).click();
  assert.equal(await heads.filter({ hasText: 'Bytes then' }).count(), 0);
  assert.equal(await row.count(), 1);
});

test('dragging over the curve chooses what the sliders choose', async (t) => {
  const page = await open(t, page1);
  const frame = page.locator('.range-frame');
  await frame.scrollIntoViewIfNeeded();
  const box = await frame.boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 150);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 160, { steps: 4 });
  await page.mouse.up();
  assert.ok(await page.locator('.range-mark').isVisible());
  // Steps below the pointer, by the axis from its beginning to the end of the recording.
  const [left, right] = [70, 14];
  const steps = [0.4, 0.6].map((at) => Math.floor((box.width * at - left) / (box.width - left - right) *
    model.timeline.seconds.at(-1) / model.history.step_seconds));
  const chosen = ['#range-from', '#range-to'].map((id) => page.locator(id).inputValue());
  assert.deepEqual(await Promise.all(chosen), steps.map(String));
  const listing = () => copied(page, 'the functions');
  const dragged = await listing();
  await page.getByRole('button', { name: 'Whole run' }).click();
  assert.notDeepEqual(await listing(), dragged);
  await page.locator('#range-to').fill(String(steps[1]));
  await page.locator('#range-from').fill(String(steps[0]));
  assert.deepEqual(await listing(), dragged);
});

test('a function has callers and callees', async (t) => {
  const page = await open(t, page1);
  await page.locator('#functions-by select').selectOption('bytes');
  await page.getByRole('button', { name: /^Callers and callees of .*parse_tree/ }).first().click();
  const panel = page.locator('#callers');
  assert.match(await panel.locator('h3').innerText(), /parse_tree/);
  assert.match(await panel.innerText(), /handle_request/);
});

test('a difference has a flame graph of each recording', async (t) => {
  const page = await open(t, differences);
  await drawAll(page);
  assert.equal(await page.locator('#flame canvas').count(), 2);
  assert.match(await page.locator('h1').innerText(), /What grew/);
  assert.ok(await page.locator('#top tbody tr').count() > 5);
  assert.match(await page.locator('#functions').innerText(), /There is no difference/);
});

test('a search in the flame graph says how much the found functions weigh', async (t) => {
  const page = await open(t, page1);
  await page.getByLabel('Search').fill('parse_tree');
  const found = page.locator('.found');
  await found.filter({ hasText: 'below functions with “parse_tree”' }).waitFor();
  await page.getByLabel('Search').fill('no such function');
  await found.filter({ hasText: '0 B' }).waitFor();
});

test('the keyboard walks the flame graph, and Enter widens', async (t) => {
  const page = await open(t, page1);
  const canvas = page.locator('#flame canvas');
  await canvas.focus();
  const spoken = [];
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'ArrowUp', 'Escape']) {
    await page.keyboard.press(key);
    spoken.push(await page.locator('#announcer').innerText());
  }
  assert.ok(spoken[0].includes('Live at the peak'), spoken[0]);
  assert.notEqual(spoken[0], spoken[1]);
});

test('either direction and every weight of the flame graph is drawn', async (t) => {
  const page = await open(t, page1);
  for (const label of ['Operations', 'Live at the end', 'Allocating function first', 'Callers first']) {
    await page.locator('#flame').getByRole('radio', { name: label, exact: true }).check();
  }
});

test('the address map changes with the time that is chosen', async (t) => {
  const page = await open(t, page1);
  const slider = page.locator('#addresses-time');
  const said = page.locator('#addresses .hint').first();
  await slider.fill('0');
  const first = await said.innerText();
  await slider.fill('23');
  assert.notEqual(await said.innerText(), first);
});

test('what was not freed is told', async (t) => {
  const page = await open(t, page1);
  assert.match(await page.locator('.said').innerText(), /were not freed/);
  await page.locator('#functions-by select').selectOption('live_bytes');
  const leaked = (await copied(page, 'the functions')).reduce((sum, row) => sum + Number(row.live_bytes), 0);
  const rows = await page.locator('#functions tbody tr').count();
  assert.ok(leaked > 0 && rows > 0, `${leaked} bytes in ${rows} rows`);
});

test('the page is dark where the system is', async (t) => {
  const page = await open(t, page1, { colorScheme: 'dark' });
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
});

for (const colorScheme of ['light', 'dark']) {
  test(`text can be read where the system is ${colorScheme}`, async (t) => {
    for (const url of [page1, differences, advicePage]) {
      const page = await open(t, url, { colorScheme });
      assert.deepEqual(await faintText(page), []);
    }
  });
}

for (const width of [1440, 800]) {
  test(`no card stands alone in a row of two in a window of ${width} pixels`, async (t) => {
    for (const url of [page1, differences, advicePage]) {
      const page = await open(t, url, { viewport: { width, height: 900 } });
      assert.deepEqual(await loneCards(page), [], url);
    }
  });
}

test('the page of advice begins with the verdict', async (t) => {
  const page = await open(t, advicePage);
  const verdict = await page.locator('#advice .verdict').innerText();
  assert.ok(verdict.startsWith(said.advice[0].what), verdict);
  assert.ok(verdict.includes(said.proof), verdict);
  const first = await page.locator('main section').first().getAttribute('id');
  assert.equal(first, 'advice');
});

test('the advice is that of mallard advise', async (t) => {
  const page = await open(t, advicePage);
  const rows = await copied(page, 'the advice');
  assert.deepEqual(rows.map((row) => row.advice), said.advice.map((one) => one.what));
  assert.deepEqual(rows.map((row) => row.confidence), said.advice.map((one) => one.confidence));
  rows.forEach((row, i) => assert.equal(row.median === '' ? null : Number(row.median),
    said.advice[i].gain === null ? null : said.advice[i].gain.median));
});

test('what the first advice rests on is beside it', async (t) => {
  const page = await open(t, advicePage);
  const text = await page.locator('#advice').innerText();
  for (const { says } of said.advice[0].evidence) assert.ok(text.includes(says), says);
  for (const doubt of said.advice[0].doubts) assert.ok(text.includes(doubt), doubt);
  for (const one of said.considered) assert.ok(text.includes(one.why_not), one.why_not);
});

test('the code of an advice is copied as it is', async (t) => {
  const page = await open(t, advicePage);
  for (const one of said.advice.filter(({ code }) => code)) {
    await page.getByRole('button', { name: `Copy the code of: ${one.what}` }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), one.code);
  }
});

test('no page scrolls sideways in a narrow window', async (t) => {
  for (const url of [page1, differences, advicePage]) {
    const page = await open(t, url, { viewport: { width: 380, height: 800 } });
    await drawAll(page);
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(inner <= outer, `${url}: ${inner} > ${outer}`);
  }
});

// As its own command does, which gives the page a script with the file inside.
test('an export for speedscope is read by speedscope', async (t) => {
  execFileSync(mallard, ['export', file('one.mallard'), '--to', 'speedscope', '-o', file('one.json')]);
  const text = readFileSync(file('one.json')).toString('base64');
  writeFileSync(file('one.js'), `speedscope.loadFileFromBase64("one.json", "${text}")`);
  const reader = pathToFileURL(path.join(modules, 'speedscope/dist/release/index.html')).href;
  const page = await openOther(t, `${reader}#localProfilePath=${file('one.js')}`);
  await page.getByText('alloc_objects (1/').waitFor();
  assert.match(await page.title(), /server_program/);
  await page.getByText('Sandwich').first().click();
  const rows = page.locator('tr');
  await rows.filter({ hasText: 'handle_request' }).first().waitFor();
  const cells = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((one) => one.innerText)));
  const number = (cell) => Number(cell.trim().split(' ')[0].replaceAll(',', ''));
  const functions = cells.filter((row) => row.length === 3 && row[0].trim().endsWith('%)'));
  const own = functions.reduce((sum, [, self]) => sum + number(self), 0);
  assert.equal(own, dims.total.allocations + dims.total.reallocations);
  const main = functions.find(([, , name]) => name.trim() === 'main');
  assert.ok(number(main[0]) > 0 && number(main[0]) <= own);
});

test('the page is small', () => {
  assert.ok(statSync(file('one.html')).size < 2e6);
});

test('no page complained or asked for anything', () => {
  assert.deepEqual(complaints, []);
});
