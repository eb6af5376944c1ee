// The tables of docs/advise.md from what bench/validate.sh measured.
import fs from 'node:fs';
import path from 'node:path';

const folder = process.argv[2];
const names = fs.readdirSync(folder).filter((one) => one.endsWith('.json')).sort();

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 ? sorted[Math.floor(middle)] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function read(name) {
  const base = path.join(folder, name.replace(/\.json$/, ''));
  const text = (ending) => (fs.existsSync(base + ending) ? fs.readFileSync(base + ending, 'utf8').trim() : '');
  let said = null;
  try {
    said = JSON.parse(text('.json'));
  } catch {
    // The error says why.
  }
  const rows = text('.times') ? text('.times').split('\n').map((row) => row.trim().split(' ').map(Number)) : [];
  return { name: name.replace(/^(example|program)-|\.json$/g, ''), said, error: text('.err'),
    ratios: rows.map(([plain, own]) => plain / own) };
}

const figure = (value) => value.toFixed(2);
const times = (one) => (one && one.low === null ? `${figure(one.median)} in ${one.runs === 1 ? 'one run' : `${one.runs} runs`}` : one ? `${figure(one.median)} (${figure(one.low)} to ${figure(one.high)})` : '');
const range = (values) => (values.length
  ? `${figure(median(values))} (${figure(Math.min(...values))} to ${figure(Math.max(...values))})` : '');

const predicted_text = (one) => (one ? times(one) : 'no figure');

// All that was tried, also what did not hold: that is where predictions are wrong.
function tried_of(said) {
  return said.advice.filter((one) => one.tried)
    .map((one) => ({ what: one.what, predicted: one.gain, tried: one.tried }))
    .concat((said.considered ?? []).filter((one) => one.tried)
      .map((one) => ({ what: `${one.strategy} for ${one.where.subsystem}`, predicted: one.gain, tried: one.tried })));
}

function table(kind, heading, by_hand) {
  console.log(`\n${heading}\n`);
  console.log(`| program | heap | the advice | predicted | tried |${by_hand ? ' by hand |' : ''}`);
  console.log(`|---|---|---|---|---|${by_hand ? '---|' : ''}`);
  const errors = [];
  let untold = 0;
  let best = 0;
  let choices = 0;
  for (const name of names.filter((one) => one.startsWith(kind))) {
    const { name: short, said, error, ratios } = read(name);
    if (said === null) {
      console.log(`| ${short} | | none: ${error} | | |${by_hand ? ` ${range(ratios)} |` : ''}`);
      continue;
    }
    const share = `${Math.round(100 * said.allocation_share)} %`;
    const rows = tried_of(said);
    const leaves = said.advice[0].strategy === 'leave';
    // Whether what came first was the best of what was tried, or within 3 % of it; to leave it is 1.
    if (rows.length > 0) {
      const first = leaves ? 1 : said.advice[0].tried?.median ?? 0;
      choices += 1;
      best += first * 1.03 >= Math.max(1, ...rows.map(({ tried }) => tried.median)) ? 1 : 0;
    }
    if (leaves || rows.length === 0) {
      console.log(`| ${short} | ${share} | ${leaves ? 'Leave it' : said.advice[0].what} | ${
        leaves ? '' : predicted_text(said.advice[0].gain)} | |${by_hand ? ` ${range(ratios)} |` : ''}`);
    }
    rows.forEach(({ what, predicted, tried }, index) => {
      const first = index === 0 && !leaves;
      console.log(`| ${first ? short : ''} | ${first ? share : ''} | ${leaves ? `(dropped: ${what})` : what} | ${
        predicted_text(predicted)} | ${times(tried)} |${by_hand ? ` ${first ? range(ratios) : ''} |` : ''}`);
      if (predicted) errors.push(Math.abs(predicted.median / tried.median - 1));
      else untold += 1;
    });
  }
  if (errors.length) {
    console.log(`\nWhat was predicted is off what was tried by ${(100 * median(errors)).toFixed(0)} % in the median, ${
      (100 * Math.max(...errors)).toFixed(0)} % at most, of ${errors.length}; ${untold} more were not predicted.`);
  }
  console.log(`What was advised was the best of what was tried, or within 3 % of it, in ${best} of ${choices}.`);
}

table('example-', 'Examples of ours', true);
table('program-', 'Programs from Debian', false);
