// The tables of docs/validation.md from what bench/validate.sh measured.
import fs from 'node:fs';
import path from 'node:path';

const folder = process.argv[2];
const names = fs.readdirSync(folder).filter((one) => one.endsWith('.json')).sort();

function read(name) {
  const base = path.join(folder, name.replace(/\.json$/, ''));
  const text = fs.readFileSync(`${base}.json`, 'utf8');
  const error = fs.existsSync(`${base}.err`) ? fs.readFileSync(`${base}.err`, 'utf8').trim() : '';
  let said = null;
  try {
    said = JSON.parse(text);
  } catch {
    // The error says why.
  }
  const times = fs.existsSync(`${base}.times`)
    ? fs.readFileSync(`${base}.times`, 'utf8').trim().split('\n').map((row) => row.split(' ').map(Number))
    : [];
  return { name: name.replace(/^(example|program)-|\.json$/g, ''), said, error, times };
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const times = (one) => (one ? `${one.median.toFixed(2)} (${one.low.toFixed(2)} to ${one.high.toFixed(2)})` : '');

// What was tried, whether it is advice still or was dropped because it did not hold.
function tried_of(said) {
  const advice = said.advice.find((one) => one.tried);
  if (advice) return { predicted: advice.gain, tried: advice.tried };
  return null;
}

function table(kind, heading, by_hand) {
  console.log(`\n${heading}\n`);
  console.log(`| program | advice | predicted | tried |${by_hand ? ' by hand |' : ''} confidence |`);
  console.log(`|---|---|---|---|${by_hand ? '---|' : ''}---|`);
  const errors = [];
  for (const name of names.filter((one) => one.startsWith(kind))) {
    const { name: short, said, error, times: rows } = read(name);
    const hand = rows.length
      ? `${median(rows.map(([plain, own]) => plain / own)).toFixed(2)}`
      : '';
    if (said === null) {
      console.log(`| ${short} | none: ${error} | | |${by_hand ? ` ${hand} |` : ''} |`);
      continue;
    }
    const first = said.advice[0];
    console.log(`| ${short} | ${first.what} | ${times(first.gain)} | ${times(first.tried)} |` +
      `${by_hand ? ` ${hand} |` : ''} ${first.confidence} |`);
    const both = tried_of(said);
    if (both) errors.push(Math.abs(both.predicted.median / both.tried.median - 1));
  }
  if (errors.length) {
    console.log(`\nError of what was predicted against what was tried: median ${(100 * median(errors)).toFixed(0)} %, ` +
      `largest ${(100 * Math.max(...errors)).toFixed(0)} %, of ${errors.length}.`);
  }
}

table('example-', 'Examples of ours', true);
table('program-', 'Programs from Debian', false);
