// The first screen: what came out, beside where and how it was measured.

import { globalHeap } from '../data.js';
import { h } from '../dom.js';
import { count, interval, times } from '../format.js';
import { peerName } from '../names.js';
import { globalColumn } from '../series.js';
import { asOne, geometricMean, speedUp } from '../stats.js';
import { home, ranking, strategyText } from './density.js';
import { facts } from './facts.js';
import { section } from './section.js';

const always = () => true;
const benchTitles = { locality: 'Access after a shuffle, AS7 over AS1',
  utilization: 'Utilization, AS7 over AS1', contention: 'Contention, AS7 over AS1' };

/** "On a clean heap AS4 (…) is fastest: 1.9× the speed of the global heap; …" */
function sentence(dataset, heap) {
  const ranked = ranking(dataset, heap);
  if (ranked.length === 0) return [];
  const [best] = ranked;
  const recycling = ranked.find(({ strategy }) =>
    dataset.strategies.find(({ id }) => id === strategy).allocator !== 'monotonic');
  const naming = ({ strategy }) =>
    [h('strong', {}, strategy), ` (${strategyText(dataset, strategy)})`];
  return [`On ${heap === 'aged' ? 'an' : 'a'} ${heap} heap `, naming(best), ' is fastest: ',
    h('strong', {}, times(best.mean.value)), ' the speed of the global heap',
    recycling && recycling !== best ? ['; of those that reuse freed memory ', naming(recycling),
      ': ', h('strong', {}, times(recycling.mean.value))] : [], '. '];
}

const multipoolOf = (series) =>
  ({ strategy: 'AS7', peer: series.peers[0], malloc: series.home });

/** What a local multipool gains in the other benches: [bench, text, mean], where it was measured. */
function multipoolGains(dataset) {
  return [['locality', 'in access after a shuffle', 'access_after', always],
    ['utilization', 'where memory is used again and again', 'time', always],
    ['contention', 'among threads', 'time', ({ at }) => at.form === 'own']]
    .flatMap(([bench, text, measure, matches]) => {
      const series = dataset.series[bench];
      if (!series) return [];
      const mean = geometricMean(series.pairs(multipoolOf(series), globalColumn(series), measure,
        series.heaps[0], matches).map(([a, b]) => speedUp(a, b)));
      return mean ? [[bench, text, mean]] : [];
    });
}

const timedMallocBenches = ['churn', 'thrash', 'scratch', 'speed', 'remote-free', 'mixed-malloc'];
const heapColumn = (strategy, peer) => (series) => ({ strategy, peer, malloc: series.home });
const mallocColumn = (malloc) => () => ({ strategy: 'AS1', peer: 'global', malloc });

/** What else is set against what: {title, fast, slow, benches, measure, a, b, matches}. */
const duels = [
  { title: 'Large arrays that grow in place, over std’s', fast: 'large arrays that grow in place',
    slow: 'std’s', benches: ['expand-forward'], measure: 'time', a: heapColumn('v2', 'mallard'),
    b: heapColumn('std', 'std'), matches: ({ at }) => at.elements >= 10000 && at.form === 'alone' },
  { title: 'Lists filled in bursts, over node by node', fast: 'lists of nodes in bursts',
    slow: 'those of single nodes', benches: ['burst'], measure: 'insert',
    a: heapColumn('v2', 'mallard'), b: heapColumn('v1', 'mallard'),
    matches: ({ at }) => at.container === 'list' },
  { title: 'Our malloc over glibc’s, micro-benchmarks', fast: 'our malloc', slow: 'glibc’s',
    benches: timedMallocBenches, measure: 'time', a: mallocColumn('mallard'),
    b: mallocColumn('glibc'), matches: always },
];

/** Those that were measured, with their mean. Each bench counts once, however many cells it has. */
const duelsOf = (dataset) => duels.flatMap((one) => {
  const means = one.benches.filter((bench) => bench in dataset.series).flatMap((bench) => {
    const series = dataset.series[bench];
    const pairs = series.pairs(one.a(series), one.b(series), one.measure, series.heaps[0],
      one.matches);
    return geometricMean(pairs.map(([first, second]) => speedUp(first, second))) ?? [];
  });
  const mean = means.length > 1 ? geometricMean(means.map(asOne)) : means[0];
  return mean ? [{ ...one, mean }] : [];
});

/** "Large arrays that grow in place have 2.1× the speed of std’s; our malloc …" */
function duelSentence(dataset) {
  const all = duelsOf(dataset);
  const first = (text) => text[0].toUpperCase() + text.slice(1);
  return all.map(({ fast, slow, mean }, i) => [`${i ? fast : first(fast)} ${fast.startsWith('our')
    ? 'has' : 'have'} `, h('strong', {}, times(mean.value)), ` the speed of ${slow}`,
  i + 1 < all.length ? '; ' : '. ']);
}

function gainSentence(dataset) {
  const gains = multipoolGains(dataset);
  if (gains.length === 0) return [];
  return ['A local multipool (', h('strong', {}, 'AS7'), ') reaches ',
    gains.map(([, text, mean], i) => [i ? (i + 1 < gains.length ? ', ' : ' and ') : '',
      h('strong', {}, times(mean.value)), ` ${text}`]), '. '];
}

/** For each heap the best strategy, and the best of those that can use freed memory again. */
function verdict(dataset) {
  const sentences = [...dataset.heaps.flatMap((heap) => sentence(dataset, heap)),
    ...gainSentence(dataset), ...duelSentence(dataset)];
  return h('p', { class: 'verdict' }, sentences.length > 0 ? sentences
    : 'No local strategy was measured beside the global heap.');
}

function tile(title, figures, tone = '') {
  return h('div', { class: `tile ${tone}` }, h('span', { class: 'tile-title' }, title),
    h('div', { class: 'tile-figures' }, figures.map(([value, detail]) =>
      h('div', {}, h('strong', {}, value), h('span', {}, detail)))));
}

/** Mean speed-up of one contender over another under each heap, as one tile. */
function meanTile(dataset, title, contender, over) {
  const means = dataset.heaps
    .map((heap) => [heap, dataset.meanSpeedUp(contender, heap, { over })])
    .filter(([, mean]) => mean);
  if (means.length === 0) return null;
  return tile(title, means.map(([heap, mean]) =>
    [times(mean.value), `${heap}, ${interval(mean)}`]));
}

function tiles(dataset) {
  const ours = home(dataset);
  const multipool = { strategy: 'AS7', peer: ours };
  const rivals = dataset.peers.filter((peer) => peer !== ours);
  const verdicts = (result) => dataset.claims.filter((one) => one.verdict === result).length;
  return h('div', { class: 'tiles' },
    meanTile(dataset, 'Multipool (AS7) over the global heap', multipool, globalHeap),
    meanTile(dataset, 'Monotonic (AS3) over the global heap',
      { strategy: 'AS3', peer: ours }, globalHeap),
    rivals.map((peer) => meanTile(dataset, `Our multipool (AS7) over ${peerName(peer)}’s`,
      multipool, { strategy: 'AS7', peer })),
    multipoolGains(dataset).map(([bench, , mean]) => tile(benchTitles[bench],
      [[times(mean.value), interval(mean)]])),
    duelsOf(dataset).map(({ title, mean }) => tile(title, [[times(mean.value), interval(mean)]])),
    dataset.claims.length > 0 && tile('Claims of the documents, on this machine',
      ['holds', 'fails', 'undecided'].map((result) => [count(verdicts(result)), result])),
    tile('Cells', [[count(dataset.measured), 'measured'],
      ...(dataset.failed ? [[count(dataset.failed), 'failed']] : []),
      ...(dataset.missing ? [[count(dataset.missing), 'not measured']] : [])],
    dataset.failed ? 'warn' : ''));
}

export function findings(dataset, model) {
  return section('top', 'Would a local allocator help here?', null,
    h('div', { class: 'hero' },
      h('div', { class: 'hero-main' }, verdict(dataset), tiles(dataset)), facts(dataset)),
    model.notes.length > 0 && h('div', { class: 'notes', role: 'note' },
      model.notes.map((text) => h('p', {}, text))));
}
