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
  const [head, ...rows] = text('.times') ? text('.times').split('\n').map((row) => row.trim().split(' ')) : [[]];
  const [commit, day] = text('.measured').split(' ');
  return { measured: commit ? `${commit}, ${day}` : '', name: name.replace(/^(example|program)-|\.json$/g, ''), said, error: text('.err'),
    ways: head.slice(1).map((way, i) => ({ way, ratios: rows.map((row) => row[0] / row[i + 1]) })) };
}

const figure = (value) => value.toFixed(2);
const times = (one) => (one && one.low === null ? `${figure(one.median)} in ${one.runs === 1 ? 'one run' : `${one.runs} runs`}` : one ? `${figure(one.median)} (${figure(one.low)} to ${figure(one.high)})` : '');
const range = (values) => (values.length
  ? `${figure(median(values))} (${figure(Math.min(...values))} to ${figure(Math.max(...values))})` : '');

const spoken = (strategy) => strategy.replace('switch-malloc:', 'malloc ');

/** "monotonic 1.80 (1.57 to 2.01)": the best by hand, mallocs among them, and the median of each other. */
function by_hand_text(ways) {
  const sorted = ways.filter(({ ratios }) => ratios.length).sort((a, b) => median(b.ratios) - median(a.ratios));
  return sorted.map(({ way, ratios }, i) => `${spoken(way)} ${i ? figure(median(ratios)) : range(ratios)}`).join(', ');
}

const name_of = (one) => (one.where.subsystem ? `${one.strategy} for ${one.where.subsystem}`
  : spoken(one.strategy));

// All that was tried, also what did not hold.
function tried_of(said) {
  return said.advice.filter((one) => one.tried)
    .map((one) => ({ what: one.what, tried: one.tried }))
    .concat((said.considered ?? []).filter((one) => one.tried)
      .map((one) => ({ what: name_of(one), tried: one.tried })));
}

/** The first advice against the best by hand: advised is what was tried of it, to leave it is 1. */
const verdicts = [];
function judge(name, said, ways) {
  const first = said.advice[0];
  const best = Math.max(1, ...ways.map(({ ratios }) => median(ratios)));
  // Both ways to bind it are in the code that is advised.
  const own = ways.filter(({ way }) => way === first.strategy || way === `${first.strategy}-by-type`)
    .sort((one, other) => median(other.ratios) - median(one.ratios))[0];
  // What has no way by hand is what was tried.
  const gains = first.strategy === 'leave' ? 1 : own ? median(own.ratios) : first.tried?.median ?? 1;
  verdicts.push({ name, within: gains * 1.05 >= best, left: first.strategy === 'leave' && best >= 1.1,
    error: own && first.tried ? Math.abs(first.tried.median / gains - 1) : null, proved: said.proved });
}

function table(kind, heading, by_hand) {
  console.log(`\n${heading}\n`);
  console.log(`| program | heap | the advice | tried |${by_hand ? ' by hand |' : ''} measured |`);
  console.log(`|---|---|---|---|${by_hand ? '---|' : ''}---|`);
  let best = 0;
  let choices = 0;
  for (const name of names.filter((one) => one.startsWith(kind))) {
    const { name: short, said, error, ways, measured } = read(name);
    const hand = by_hand ? by_hand_text(ways) : '';
    if (said === null) {
      console.log(`| ${short} | | none: ${error} | |${by_hand ? ` ${hand} |` : ''} ${measured} |`);
      continue;
    }
    if (by_hand && ways.length) judge(short, said, ways);
    const share = said.heap ? `${Math.round(100 * said.heap.share)} %` : '';
    const rows = tried_of(said);
    const leaves = said.advice[0].strategy === 'leave';
    // Whether what came first was the best of what was tried, or within 3 % of it; to leave it is 1.
    if (rows.length > 0) {
      const first = leaves ? 1 : said.advice[0].tried?.median ?? 0;
      choices += 1;
      best += first * 1.03 >= Math.max(1, ...rows.map(({ tried }) => tried.median)) ? 1 : 0;
    }
    if (leaves || rows.length === 0) {
      console.log(`| ${short} | ${share} | ${leaves ? 'Leave it' : said.advice[0].what} | |${by_hand ? ` ${hand} |` : ''} ${measured} |`);
    }
    rows.forEach(({ what, tried }, index) => {
      const first = index === 0 && !leaves;
      console.log(`| ${first ? short : ''} | ${first ? share : ''} | ${leaves ? `(dropped: ${what})` : what} | ${
        times(tried)} |${by_hand ? ` ${first ? hand : ''} |` : ''} ${first ? measured : ''} |`);
    });
  }
  console.log(`\nThe advice was the best of the variants tried, or within 3 % of it, in ${best} of ${choices} programs.`);
}

table('example-', '### Our examples', true);
table('program-', '### Programs from Debian', false);

const share_of = (test) => `${verdicts.filter(test).length} of ${verdicts.length}`;
const errors = verdicts.map(({ error }) => error).filter((one) => one !== null);
console.log(`\n### Against the goals\n\n| goal | found |\n|---|---|
| the first advice is the best by hand, or within 5 % of it | ${share_of(({ within }) => within)} |
| "leave it" although 10 % can be gained by hand | ${share_of(({ left }) => left)} |
| the first advice is proved | ${share_of(({ proved }) => proved)} |`);
if (errors.length) {
  console.log(`| trials are off the same change by hand | ${(100 * median(errors)).toFixed(0)} % in the median, ${
    (100 * Math.max(...errors)).toFixed(0)} % at most, of ${errors.length} |`);
}
console.log('');
