// The form of numbers: three significant digits, units that fit, never an exponent; as src/base/units.hpp
// writes them on the terminal.

/** Three significant digits without an exponent. */
export function significant(value, digits = 3) {
  if (value === 0) return '0';
  // The rounded number counts: 0.9999 has one digit before the point.
  const magnitude = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  return value.toFixed(Math.min(8, Math.max(0, digits - 1 - magnitude)));
}

/** Picks the first unit of which there is one, rounded; units go from large to small. Zeros at the end go. */
function withUnit(value, units) {
  const [factor, name] = units.find(([size]) => Math.round(1000 * Math.abs(value) / size) >= 1000)
    ?? units[units.length - 1];
  return `${significant(value / factor).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')} ${name}`;
}

export const duration = (seconds) =>
  withUnit(seconds, [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']]);

export const bytes = (count) =>
  withUnit(count, [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']]);

/** "2^18" as 2¹⁸, where only plain text can be shown. */
export const plainPowers = (text) => text.replace(/\^(\d+)/g,
  (all, digits) => digits.replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]));

/** 1234567 as 1 234 567, with spaces that do not break. */
export const count = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** A number short enough for a cell of a heat map. */
export function short(value) {
  const units = [[1e9, 'G'], [1e6, 'M'], [1e4, 'k']];
  const unit = units.find(([size]) => value >= size);
  if (!unit) return significant(value, value >= 1 ? 3 : 2);
  const factor = unit[1] === 'k' ? 1e3 : unit[0];
  return `${significant(value / factor, 2)}${unit[1]}`;
}

/** A count, likewise: below ten thousand as it is, without decimals. */
export const shortCount = (value) => (value < 1e4 ? String(Math.round(value)) : short(value));

export const times = (ratio) => `${significant(ratio)}×`;

export const interval = ({ low, high }, write = significant) => `${write(low)} – ${write(high)}`;
