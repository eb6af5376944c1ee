// The sections of the benches, as the benches say how they are shown.

import { benchCard } from '../bench_card.js';
import { h } from '../dom.js';
import { benchName, benchTitle, knownBenches, pageOf } from '../names.js';
import { kinds } from './kinds.js';
import { percentages } from './percentages.js';
import { section } from './section.js';
import { surfaces } from './surfaces.js';

/** Draws a card: (series, card, model). */
const views = { measures: (series, card) => benchCard(series, card), percentages, surfaces, kinds };

/** A bench that says nothing has all measures in one card. */
const usualCards = [{}];

/** [half of the width, element] for each card of a bench. */
function cardsOf(series, model, alone) {
  const { cards = usualCards } = pageOf(series.bench);
  return cards.map((card) => {
    const title = card.title ?? (alone ? undefined : benchTitle(series.bench));
    const draw = views[card.view] ?? views.measures;
    return [Boolean(card.half), draw(series, { ...card, title }, model)];
  });
}

/** Cards that need the page's whole width, one below the other, and the others in pairs. */
function arrange(all) {
  const [halves, wide] = [true, false].map((wanted) =>
    all.filter(([half]) => half === wanted).map(([, element]) => element));
  return h('div', { class: 'maps' }, halves.length > 0 && h('div', { class: 'pair' }, halves), wide);
}

/** Benches of a data set in the order in which they are known, the unknown ones at the end. */
function ordered(names) {
  const known = knownBenches();
  const place = (bench) => (known.includes(bench) ? known.indexOf(bench) : known.length);
  return [...names].sort((a, b) => place(a) - place(b));
}

/** The series of a data set in the order of their sections. */
export const inOrder = ({ series }) => {
  const order = (bench) => pageOf(bench).section?.order ?? 100;
  return ordered(Object.keys(series)).sort((a, b) => order(a) - order(b)).map((bench) => series[bench]);
};

/** [anchor, name in the bar, what makes it, for which data sets] for each section of benches. */
export function benchSections(dataset) {
  const sections = new Map();
  for (const { bench } of inOrder(dataset)) {
    const of = pageOf(bench).section ?? {};
    const id = of.id ?? bench;
    if (!sections.has(id)) sections.set(id, { ...of, bench, benches: [] });
    sections.get(id).benches.push(bench);
  }
  return [...sections].map(([id, { name, title, text, bench, benches }]) => [id, name ?? benchName(bench),
      (data, model) => section(id, title ?? benchTitle(bench), text, arrange(benches.flatMap((one) =>
        cardsOf(data.series[one], model, benches.length === 1 && title === undefined)))),
      () => true]);
}

/** Topics of the method of all benches of a data set, each once: [title, paragraphs]. */
export function methodOf(dataset) {
  const names = [dataset.structureRun?.bench, ...inOrder(dataset).map(({ bench }) => bench)]
    .filter(Boolean);
  const topics = names.flatMap((bench) => pageOf(bench).section?.method ?? []);
  return [...new Map(topics)];
}
