// Takes the pictures of the documents from pages that the command makes now:
//
//   node packaging/site/pictures.mjs NODE_MODULES MALLARD EXAMPLES [NAME]...
//
// EXAMPLES is the folder of the built examples; NAME is one of the pictures (all). Figures of time are those of this
// machine: it has to be quiet. `make pictures` does it with the release.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const [modules, mallard, examples, ...names] = process.argv.slice(2);
if (!examples) {
  console.error('pictures: packages of node, the command and the folder of the examples are needed');
  process.exit(1);
}
const { chromium } = createRequire(path.join(path.resolve(modules), 'from-here.js'))('playwright-core');
const folder = mkdtempSync(path.join(tmpdir(), 'mallard-pictures-'));
const file = (name) => path.join(folder, name);
const run = (...words) => execFileSync(path.resolve(mallard), words, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
const example = (name) => path.resolve(examples, `mallard_validation_${name}_plain`);

/** The page of a recorded program. */
function recorded(...program) {
  run('record', '-q', '--force', '-o', file('trace'), '--', ...program);
  run('report', file('trace'), '--force', '-o', file('page.html'));
}

// Each picture: its page, its size, and where it is a part of the page, the heading at which it begins and the text at
// which it ends.
const pictures = {
  advice: { make: () => run('advise', '--quick', '--force', '-o', file('page.html'), '--', example('json_tree'), '400'),
    width: 1100, height: 1000 },
  record: { make: () => {
    writeFileSync(file('some.cpp'), '#include <vector>\nstd::vector<int> numbers(10);\n');
    recorded('clang++-19', '-c', 'some.cpp');
  }, width: 1280, height: 570 },
  profile: { make: () => recorded(example('request_server'), '20000'), width: 1280, height: 740,
    heading: 'Where it is allocated', until: 'Epochs' },
  report: { make: () => {
    run('bench', 'density', '--quick', '--force', '--json', file('density.jsonl'));
    run('report', file('density.jsonl'), '--force', '-o', file('page.html'));
  }, width: 1400, height: 690 },
};

const browser_file = process.env.CHROMIUM ?? process.env.PATH.split(':').map((each) => path.join(each, 'chromium')).find(existsSync);
const browser = await chromium.launch({ executablePath: browser_file, args: ['--no-sandbox', '--disable-gpu',
  '--no-first-run', '--disable-background-networking'] });
try {
  for (const name of names.length > 0 ? names : Object.keys(pictures)) {
    const { make, width, height, heading, until } = pictures[name] ?? {};
    if (!make) throw new Error(`there is no picture '${name}' (known: ${Object.keys(pictures).join(', ')})`);
    make();
    const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce', colorScheme: 'light' });
    await page.goto(`file://${file('page.html')}`);
    if (heading) {
      await page.addStyleTag({ content: '.bar { position: static !important; }' });  // nothing lies over the part
      const at = page.getByRole('heading', { name: heading }).first();
      const end = page.getByText(until, { exact: true }).first();
      const part = Math.round((await end.boundingBox()).y - (await at.boundingBox()).y) + 24;
      await page.setViewportSize({ width, height: part });
      await at.evaluate((it) => window.scrollTo({ top: it.getBoundingClientRect().top + window.scrollY - 32, behavior: 'instant' }));
    }
    await page.waitForTimeout(1500);  // charts are drawn as they come into view
    await page.screenshot({ path: file('picture.png') });
    await page.close();
    writeFileSync(path.join(root, 'docs/images', `${name}.png`), readFileSync(file('picture.png')));
    console.log(`docs/images/${name}.png`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
