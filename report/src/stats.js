// Ratios of medians, geometric means and their intervals.
//
// Every cell comes with the 95 % interval of its median. On a logarithmic scale that interval is
// close to symmetric, so its half width divided by 1.96 is the standard error of log(median).
// Cells run in processes of their own, hence the errors of different cells add in squares.

const z95 = 1.96;

const squaredError = (cell) => {
  const halfWidth = Math.log(cell.ci_high / cell.ci_low) / 2;
  return Number.isFinite(halfWidth) ? (halfWidth / z95) ** 2 : 0;
};

/** Half the interval's width as a part of the median. */
export const relativeError = (cell) => (cell.ci_high - cell.ci_low) / 2 / cell.median;

/** The logarithm of how many times faster `cell` is than `base`, and its squared standard error. */
export function speedUp(cell, base) {
  return { log: Math.log(base.median / cell.median),
    variance: squaredError(cell) + squaredError(base) };
}

const around = (log, variance) => {
  const margin = z95 * Math.sqrt(variance);
  return { value: Math.exp(log), low: Math.exp(log - margin), high: Math.exp(log + margin) };
};

export const toRatio = ({ log, variance }) => around(log, variance);

/** Geometric mean of speed-ups with its 95 % interval and the extremes; null when there is none. */
export function geometricMean(speedUps) {
  const n = speedUps.length;
  if (n === 0) return null;
  const sum = (pick) => speedUps.reduce((total, one) => total + pick(one), 0);
  const logs = speedUps.map((one) => one.log);
  return { ...around(sum((one) => one.log) / n, sum((one) => one.variance) / n ** 2),
    worst: Math.exp(Math.min(...logs)), best: Math.exp(Math.max(...logs)), cells: n };
}

/** A mean as one speed-up among others. */
export const asOne = ({ value, low, high }) =>
  ({ log: Math.log(value), variance: (Math.log(high / low) / 2 / z95) ** 2 });

/** 'won' when a's interval lies wholly below b's, 'lost' when wholly above, else 'undecided'. */
export function duel(a, b) {
  if (a.ci_high < b.ci_low) return 'won';
  if (a.ci_low > b.ci_high) return 'lost';
  return 'undecided';
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
