// Puts the page together, of results or of a recording, and rebuilds it when another data set is chosen.

import { disposeCharts } from './chart.js';
import { loadModel } from './data.js';
import { dropdown } from './dom.js';
import { benchName } from './names.js';
import { benchSections } from './sections/benches.js';
import { claims } from './sections/claims.js';
import { compare } from './sections/compare.js';
import { findings } from './sections/findings.js';
import { heatmaps } from './sections/heatmaps.js';
import { mallocs } from './sections/mallocs.js';
import { method } from './sections/method.js';
import { peers } from './sections/peers.js';
import { fill, showSections } from './sections/section.js';
import { structures } from './sections/structures.js';
import { startTheme } from './theme.js';
import { showDifference } from './trace/difference.js';
import { showTrace } from './trace/page.js';

const main = document.getElementById('main');
const model = loadModel();

const always = () => true;
const hasStructures = ({ cells }) => cells.length > 0;

/**
 * Sections in their order: anchor, name in the bar, what makes it, and for which data sets. Those of
 * data structures come first among the benches.
 */
const opening = (dataset) => [
  ['top', 'Findings', findings, always],
  ['claims', 'Claims', claims, ({ claims: judged }) => judged.length > 0],
  [dataset.structureRun?.bench, benchName(dataset.structureRun?.bench ?? ''), structures,
    hasStructures],
  ['maps', 'Heat maps', heatmaps, hasStructures],
  ['compare', 'Compare', compare, hasStructures],
  ['peers', 'Libraries', peers, hasStructures],
];

/** Sections that come after the benches. */
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
  const shown = [...opening(dataset), ...benchSections(dataset), ...closing]
    .filter(([, , , wanted]) => wanted(dataset));
  showSections(main, shown.map(([id, text, make]) => [id, text, make(dataset, model)]), chooser);
}

const { version } = model.recording ?? model.made_by ?? model.datasets[0].run;
fill(document.getElementById('made-by'), `Made by mallard ${version}. ` +
  `Charts: Apache ECharts ${ECHARTS_VERSION}. Typeface: Inter.`);
startTheme(document.getElementById('theme'));
if (model.difference) showDifference(model, main);
else if (model.recording) showTrace(model, main);
else show(model.datasets[0]);
