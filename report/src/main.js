// Puts the page together, of results or of a recording, and rebuilds it when another data set is chosen.

import { disposeCharts } from './chart.js';
import { loadModel } from './data.js';
import { dropdown, h } from './dom.js';
import { arrayBenches, arrays } from './sections/arrays.js';
import { claims, goals } from './sections/claims.js';
import { compare } from './sections/compare.js';
import { contention } from './sections/contention.js';
import { density } from './sections/density.js';
import { findings } from './sections/findings.js';
import { heatmaps } from './sections/heatmaps.js';
import { locality } from './sections/locality.js';
import { mallocBenches, mallocBenchSection } from './sections/malloc_benches.js';
import { mallocs } from './sections/mallocs.js';
import { method } from './sections/method.js';
import { nodeBenches, nodes } from './sections/nodes.js';
import { other, otherBenches, otherTitle } from './sections/other.js';
import { peers } from './sections/peers.js';
import { fill } from './sections/section.js';
import { sharing } from './sections/sharing.js';
import { utilization } from './sections/utilization.js';
import { startTheme } from './theme.js';
import { showTrace } from './trace/page.js';

const main = document.getElementById('main');
const model = loadModel();

const always = () => true;
const hasDensity = ({ cells }) => cells.length > 0;
const has = (bench) => ({ series }) => bench in series;
const hasAny = (benches) => ({ series }) => benches.some((bench) => bench in series);

/** Sections in their order: anchor, name in the bar, what makes it, and for which data sets. */
const sections = [
  ['top', 'Findings', findings, always],
  ['claims', 'Claims', claims, ({ claims: judged }) => judged.length > 0],
  ['goals', 'Goals', goals, ({ goals: judged }) => judged.length > 0],
  ['density', 'Density', density, hasDensity],
  ['maps', 'Heat maps', heatmaps, hasDensity],
  ['compare', 'Compare', compare, hasDensity],
  ['peers', 'Libraries', peers, hasDensity],
  ['locality', 'Locality', locality, has('locality')],
  ['utilization', 'Utilization', utilization, has('utilization')],
  ['contention', 'Contention', contention, has('contention')],
  ['sharing', 'False sharing', sharing, has('false-sharing')],
  ['arrays', 'Arrays', arrays, hasAny(arrayBenches)],
  ['nodes', 'Nodes', nodes, hasAny(nodeBenches)],
  ['malloc-benches', 'Malloc benches', mallocBenchSection, hasAny(mallocBenches)],
];

const shownElsewhere = ['locality', 'utilization', 'contention', 'false-sharing', ...arrayBenches,
  ...nodeBenches, ...mallocBenches];

/** What comes after the benches. */
const closing = [
  ['mallocs', 'Mallocs', mallocs, (dataset) => dataset.mallocs.length > 1],
  ['method', 'Method', method, always],
];

function show(dataset) {
  disposeCharts(main);
  const chooser = model.datasets.length > 1
    ? dropdown('Data set', model.datasets.map(({ label }, at) => [String(at), label]),
      String(model.datasets.indexOf(dataset)), (at) => show(model.datasets[Number(at)]),
      { class: 'dropdown dataset', id: 'dataset' })
    : [];
  const others = otherBenches(dataset, shownElsewhere).map((bench) =>
    [bench, otherTitle(bench), other(bench), always]);
  const shown = [...sections, ...others, ...closing].filter(([, , , wanted]) => wanted(dataset));
  fill(main, chooser, shown.map(([, , make]) => make(dataset, model)));
  fill(document.getElementById('sections'),
    shown.map(([id, text]) => h('a', { href: `#${id}` }, text)));
}

const { version } = model.recording ?? model.datasets[0].run;
fill(document.getElementById('made-by'), `Made by mallard ${version}. ` +
  `Charts: Apache ECharts ${ECHARTS_VERSION}. Typeface: Inter.`);
startTheme(document.getElementById('theme'));
if (model.recording) showTrace(model, main);
else show(model.datasets[0]);
