// The figures that a heat map can show.

import { isMeasured } from '../data.js';
import { bytes, count, duration, short, shortCount, times } from '../format.js';

/**
 * of(cell, dataset) takes a measured cell; published(seconds, baseline, leaves) a figure of the
 * paper. `write` is for tooltips and legends, `short` for the cells of the map.
 */
export const values = {
  leaf: { name: 'Time per leaf insertion (ns)', csvUnit: 'seconds per leaf insertion',
    short: (v) => short(v * 1e9), write: duration,
    of: (cell) => cell.median / cell.leaves,
    published: (seconds, baseline, leaves) => seconds / leaves },
  ratio: { name: 'Speed-up over AS1 (×)', csvUnit: 'times the speed of AS1',
    short, write: times, higherIsBetter: true,
    of: (cell, dataset) => {
      const baseline = dataset.baseline(cell);
      return isMeasured(baseline) ? baseline.median / cell.median : null;
    },
    published: (seconds, baseline) => baseline / seconds },
  seconds: { name: 'Seconds', csvUnit: 'seconds', short, write: duration,
    of: (cell) => cell.median,
    published: (seconds) => seconds },
  rss: { name: 'Peak memory (MiB)', csvUnit: 'bytes', short: (v) => short(v / 2 ** 20),
    write: bytes, of: (cell) => cell.rss_bytes },
  faults: { name: 'Page faults', csvUnit: 'page faults', short: shortCount, write: count,
    of: (cell) => cell.minor_faults + cell.major_faults },
};
