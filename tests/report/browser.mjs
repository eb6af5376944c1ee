// A real browser for the tests of the page: opens a report from a file, as a reader does, and keeps what the page
// complains about or asks for.
//
//   node <test>.mjs NODE_MODULES MALLARD_EXECUTABLE SCRATCH_DIRECTORY
//
// Exits with 77 (skipped) when no Chromium is found; CHROMIUM names one that is not on the path.

import assert from 'node:assert/strict';
import { accessSync, constants, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test as nodeTest } from 'node:test';

export const [modules, mallard, scratch] = process.argv.slice(2, 5).map((name) => path.resolve(name));
export { assert };

// Several processes share the tests of a file: MALLARD_SHARD=0/2 runs every second one, from the first.
const [shard, shards] = (process.env.MALLARD_SHARD ?? '0/1').split('/').map(Number);
let known = 0;
// A test that hangs ends; the longest takes a minute alone, and several beside a build.
export const test = (name, body) => {
  if (known++ % shards === shard) nodeTest(name, { timeout: 900_000 }, body);
};
/** A test that each of the processes runs. */
export const testInEach = nodeTest;
export const file = (name) => path.join(scratch, name);

function findBrowser() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM]
    : process.env.PATH.split(':').flatMap((dir) => names.map((name) => path.join(dir, name)));
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const executablePath = findBrowser();
if (!executablePath) {
  console.log('SKIP: no Chromium on this machine: the report was NOT tested in a browser.');
  process.exit(77);
}

const { chromium } = createRequire(path.join(modules, 'from-here.js'))('playwright-core');

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });

let browser;
/** Whatever the pages complain about or ask for; must stay empty. */
export const complaints = [];

before(async () => {
  // Playwright gives every launch a new, empty profile.
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu',
    '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-gpu-watchdog'] });
});
after(() => browser?.close());

/**
 * A page that waits for a busy machine. The browser at times draws no frame of a page any more until
 * something asks for one: a picture of a pixel does, now and then.
 */
async function newPage(t, options) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(240_000);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const frames = setInterval(() => session.send('Page.captureScreenshot',
    { clip: { x: 0, y: 0, width: 1, height: 1, scale: 1 } }).catch(() => {}), 1000);
  t.after(() => {
    clearInterval(frames);
    return context.close();
  });
  return page;
}

/** A page of its own for a test. */
export async function open(t, url, options = {}) {
  const page = await newPage(t, { reducedMotion: 'reduce', ...options });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.stack}`));
  page.on('request', (request) => {
    if (request.url() !== url && !request.url().startsWith('data:')) {
      complaints.push(`request: ${request.url()}`);
    }
  });
  await page.goto(url);
  return page;
}

/** A page of somebody else's, for which it has to answer itself. */
export async function openOther(t, url) {
  const page = await newPage(t, {});
  await page.goto(url);
  return page;
}

/** Scrolls through the whole page, so that every chart gets drawn. */
export const drawAll = (page) => page.evaluate(async () => {
  for (let y = 0; y < document.body.scrollHeight; y += window.innerHeight) {
    window.scrollTo({ top: y, behavior: 'instant' });
    await new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(done));
    });
  }
});

/** The cells of a line of CSV; quoted ones may hold commas. */
const cellsOf = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1)
  .map(([, cell]) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));

/** Clicks a "Copy as CSV" button and parses what the clipboard holds. */
export async function copied(page, what) {
  const button = page.getByRole('button', { name: `Copy ${what} as CSV` });
  // The button says so for a moment only: a browser that draws seldom would let it pass unseen.
  await button.evaluate((it) => {
    it.said = new Promise((done) => {
      new MutationObserver(() => {
        if (/^(Copied|Press)/.test(it.textContent)) done(it.textContent);
      }).observe(it, { childList: true });
    });
  });
  await button.click();
  assert.equal(await button.evaluate((it) => it.said), 'Copied');
  const text = await page.evaluate(() => navigator.clipboard.readText());
  const [head, ...rows] = text.trim().split(/\r?\n/).map((line) => cellsOf(`${line},`));
  return rows.map((row) => Object.fromEntries(row.map((value, at) => [head[at], value])));
}

/** Text that differs too little from what is behind it: WCAG asks for 4.5, and for 3 where it is large. */
export const faintText = (page) => page.evaluate(() => {
  const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const luminance = (colours) => {
    for (const one of ['white', ...colours]) {
      paint.fillStyle = one;
      paint.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const out = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const drawn = element.checkVisibility({ visibilityProperty: true }) && !element.closest('svg, script, :disabled');
    if (!drawn || !texts.currentNode.textContent.trim()) continue;
    const style = getComputedStyle(element);
    const behind = [];
    for (let at = element; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
    const [a, b] = [luminance(behind), luminance([...behind, style.color])];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) {
      out.add(`${ratio.toFixed(2)} ${element.className || element.tagName}: ${texts.currentNode.textContent.trim().slice(0, 40)}`);
    }
  }
  return [...out];
});

/** Cards with an empty place beside them. */
export const loneCards = (page) => page.evaluate(() => [...document.querySelectorAll('.pair')].flatMap((pair) =>
  [...pair.children].filter((card) => card.offsetWidth < 0.9 * pair.clientWidth &&
    [...pair.children].every((other) => other === card || other.offsetTop !== card.offsetTop))
    .map((card) => card.innerText.slice(0, 60))));
