// The machine, the ways and the files that the figures come from, and the commands that make them again.

import { commandLine } from '../command.js';
import { isMeasured } from '../data.js';
import { h } from '../dom.js';
import { bytes, count, significant } from '../format.js';
import { benchName, heapName, speedMeasure } from '../names.js';
import { figureOf } from '../series.js';
import { median, relativeError } from '../stats.js';

/** Typical half width of an interval, relative to the median, from which on a run is "noisy". */
const noisy = 0.05;

function spread(dataset) {
  const figures = Object.values(dataset.series).flatMap(({ bench, cells }) =>
    cells.map((cell) => figureOf(cell, speedMeasure(bench))))
    .filter(Boolean);
  const errors = [...dataset.cells.filter(isMeasured), ...figures].map(relativeError);
  if (errors.length === 0) return 'nothing was measured';
  const typical = median(errors);
  return `half of the cells within ±${significant(100 * typical, 2)} %` +
    (typical > noisy ? ': noisy; repeat it on a quiet machine' : '');
}

export function facts(dataset) {
  const { machine, build, date, version, mode } = dataset.run;
  const { structureRun } = dataset;
  const caches = [['L1d', machine.l1d_bytes], ['L2', machine.l2_bytes], ['L3', machine.l3_bytes]]
    .filter(([, size]) => size).map(([name, size]) => `${name} ${bytes(size)}`);
  const rows = [
    ['Machine', `${machine.cpu}, ${machine.cores} cores, ${bytes(machine.memory_bytes)}`],
    ['Caches', caches.join(', ') || 'not known'],
    ['System', `${machine.kernel}, huge pages: ${machine.transparent_hugepages}`],
    ['Compiler', `${build.compiler} ${build.flags} (${build.build_type}` +
      `${build.assertions ? ', assertions on' : ''})`],
    ['Mode', `${mode}, ${dataset.allHeaps.map((heap) => heapName(heap).toLowerCase()).join(' and ')}`],
    ...(structureRun ? [[benchName(structureRun.bench),
      `${count(structureRun.parameters.leaves)} leaf insertions per cell ` +
      `(${significant(structureRun.parameters.scale * 100)} % of the paper’s)`]] : []),
    ['Repetitions', [...new Set(dataset.runs.map((run) => run.repetitions))].join(', ')],
    ['Malloc', dataset.mallocs.join(', ')],
    ['Libraries', [...new Set(dataset.runs.flatMap(({ peers }) =>
      peers.map((one) => `${one.name} ${one.version}`)))].join(', ') || 'none'],
    ['Spread', spread(dataset)],
    ['Measured', `${date.replace('T', ' ').replace('Z', ' UTC')} with mallard ${version}`],
  ];
  const skipped = new Set(dataset.runs.flatMap((run) => run.skipped)
    .map((one) => `Not measured: ${one.peer} (${one.reason})`));
  return h('aside', { class: 'facts card', 'aria-label': 'How it was measured' },
    h('dl', {}, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])),
    [...skipped].map((text) => h('p', { class: 'note' }, text)),
    commands(dataset));
}

/** As many commands as are seen at once; more are folded away. */
const atOnce = 6;

function commands({ runs }) {
  const all = runs.map(({ command, file }) => commandLine(command, `made ${file}`));
  return h('div', { class: 'reproduce' }, h('h3', {}, 'To measure it again'), all.slice(0, atOnce),
    all.length > atOnce && h('details', {},
      h('summary', {}, `${all.length - atOnce} more`), all.slice(atOnce)));
}
