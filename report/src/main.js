// Puts the page together and rebuilds it when another data set is chosen.

import { disposeCharts } from './chart.js';
import { loadModel } from './data.js';
import { dropdown, h } from './dom.js';
import { claims } from './sections/claims.js';
import { compare } from './sections/compare.js';
import { findings } from './sections/findings.js';
import { heatmaps } from './sections/heatmaps.js';
import { method } from './sections/method.js';
import { peers } from './sections/peers.js';
import { fill } from './sections/section.js';
import { startTheme } from './theme.js';

const main = document.getElementById('main');
const model = loadModel();

function show(dataset) {
  disposeCharts(main);
  const chooser = model.datasets.length > 1
    ? dropdown('Data set', model.datasets.map(({ label }, at) => [String(at), label]),
      String(model.datasets.indexOf(dataset)), (at) => show(model.datasets[Number(at)]),
      { class: 'dropdown dataset', id: 'dataset' })
    : [];
  fill(main, chooser, [findings, claims, heatmaps, compare, peers, method]
    .map((make) => make(dataset, model)));
}

const links = [['top', 'Findings'], ['claims', 'Claims'], ['maps', 'Heat maps'],
  ['compare', 'Compare'], ['peers', 'Libraries'], ['method', 'Method']];

fill(document.getElementById('sections'),
  links.map(([id, text]) => h('a', { href: `#${id}` }, text)));
fill(document.getElementById('made-by'), `Made by mallard ${model.datasets[0].run.version}. ` +
  `Charts: Apache ECharts ${ECHARTS_VERSION}. Typeface: Inter.`);
startTheme(document.getElementById('theme'));
show(model.datasets[0]);
