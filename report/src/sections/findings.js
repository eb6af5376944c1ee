// The first screen: what came out, beside where and how it was measured.

import { globalHeap } from '../data.js';
import { h } from '../dom.js';
import { count, interval, times } from '../format.js';
import { pageOf, peerName } from '../names.js';
import { asOne, geometricMean, speedUp } from '../stats.js';
import { inOrder } from './benches.js';
import { facts } from './facts.js';
import { section, tile } from './section.js';
import { home, ranking, strategyText } from './structures.js';

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

/** The column of a series that a headline is about. */
const columnOf = (series, { strategy, peer, malloc }) =>
  ({ strategy, peer: peer ?? series.peers[0], malloc: malloc ?? series.home });

/** The mean speed-up of one bench; undefined where it was not measured. */
function gainOf(series, { measure, who, over, where = {}, atLeast = {} }) {
  const matches = ({ at }) => Object.entries(where).every(([name, value]) => at[name] === value) &&
    Object.entries(atLeast).every(([name, value]) => at[name] >= value);
  return geometricMean(series.pairs(columnOf(series, who), columnOf(series, over), measure,
    series.heaps[0], matches).map(([a, b]) => speedUp(a, b))) ?? undefined;
}

/**
 * Headlines of the benches here, each with its mean. Equal headlines of several benches are one, in
 * which each bench counts once, however many cells it has.
 */
function headlinesOf(dataset) {
  const found = new Map();
  for (const series of inOrder(dataset)) {
    for (const one of pageOf(series.bench).headlines ?? []) {
      const mean = gainOf(series, one);
      if (!mean) continue;
      if (!found.has(one.title)) found.set(one.title, { ...one, means: [] });
      found.get(one.title).means.push(mean);
    }
  }
  return [...found.values()].map((one) => ({ ...one,
    mean: one.means.length > 1 ? geometricMean(one.means.map(asOne)) : one.means[0] }));
}

/** "A local multipool (AS7) reaches 2.1× in access after a shuffle and 1.3× among threads. …" */
function headlineSentences(dataset) {
  const all = headlinesOf(dataset);
  return [...new Set(all.map(({ subject }) => subject))].flatMap((subject) => {
    const parts = all.filter((one) => one.subject === subject);
    return [`${subject} `, ...parts.flatMap(({ text, mean }, i) =>
      [i ? (i + 1 < parts.length ? ', ' : ' and ') : '', h('strong', {}, times(mean.value)),
        ` ${text}`]), '. '];
  });
}

/** For each heap the best strategy, and the best of those that can use freed memory again. */
function verdict(dataset) {
  const sentences = [...dataset.heaps.flatMap((heap) => sentence(dataset, heap)),
    ...headlineSentences(dataset)];
  return h('p', { class: 'verdict' }, sentences.length > 0 ? sentences
    : 'No local strategy was measured beside the global heap.');
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
    headlinesOf(dataset).map(({ title, mean }) => tile(title, [[times(mean.value), interval(mean)]])),
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
