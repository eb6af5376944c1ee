// The address map: every cell is some pages in a row, coloured by the subsystem that has most bytes there,
// the paler the less of it is in use. Gaps between mappings are left out.

import { h, penOf } from '../dom.js';
import { bytes, count, duration } from '../format.js';
import { fill, section } from '../sections/section.js';
import { csvButton } from '../table.js';
import { colour, onThemeChange } from '../theme.js';
import { smallCard } from '../tooltip.js';
import { otherTone, percent, toneOf } from './names.js';
import { onRange, secondsOf } from './range.js';

const side = 9;
const hexadecimal = (address) => `0x${BigInt(address).toString(16)}`;

/**
 * A snapshot's cells are two characters each: the subsystem, from '0' on ('.' is nothing), and how full the
 * cell is, '0' to '9'.
 */
function cellOf(snapshot, at) {
  const [subsystem, level] = [snapshot.cells.charCodeAt(2 * at), snapshot.cells.charCodeAt(2 * at + 1)];
  return subsystem === 46 ? null : { subsystem: subsystem - 48, full: (level - 47) / 10 };
}

class AddressMap {
  constructor(data) {
    this.data = data;
    this.snapshot = data.snapshots[0];
    this.canvas = h('canvas', { class: 'addresses', role: 'img', 'aria-label': 'Map of addresses in use' });
    this.canvas.addEventListener('mousemove', (event) => this.point(event));
    this.canvas.addEventListener('mouseleave', () => this.card?.remove());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onThemeChange(() => this.draw());
  }

  show(snapshot) {
    this.snapshot = snapshot;
    this.draw();
  }

  tone(subsystem) {
    const { names } = this.data;
    return colour(names[subsystem] === 'others' ? otherTone : toneOf(subsystem));
  }

  draw() {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    this.across = Math.max(1, Math.floor(width / side));
    const height = Math.ceil(this.data.bases.length / this.across) * side;
    const pen = penOf(this.canvas, width, height);
    const tones = this.data.names.map((unused, at) => this.tone(at));
    const empty = colour('sunken');
    for (let at = 0; at < this.data.bases.length; ++at) {
      const cell = cellOf(this.snapshot, at);
      const [x, y] = [(at % this.across) * side, Math.floor(at / this.across) * side];
      pen.globalAlpha = 1;
      pen.fillStyle = empty;
      pen.fillRect(x, y, side - 1, side - 1);
      if (!cell) continue;
      pen.globalAlpha = 0.25 + 0.75 * cell.full;
      pen.fillStyle = tones[cell.subsystem];
      pen.fillRect(x, y, side - 1, side - 1);
    }
  }

  point(event) {
    this.card?.remove();
    const at = Math.floor(event.offsetY / side) * this.across + Math.floor(event.offsetX / side);
    if (event.offsetX >= this.across * side || at >= this.data.bases.length) return;
    const cell = cellOf(this.snapshot, at);
    this.card = h('div', { class: 'hover' }, smallCard(hexadecimal(this.data.bases[at]),
      [['Bytes', bytes(this.data.cell_bytes)], ...(cell ? [['Most of it', this.data.names[cell.subsystem]],
        ['In use', `about ${percent(cell.full)}`]] : [['In use', 'nothing']])]));
    document.body.append(this.card);
    this.card.style.left = `${Math.min(event.clientX + 14, window.innerWidth - 360)}px`;
    this.card.style.top = `${event.clientY + 16}px`;
  }
}

export function addresses({ addresses: data, history }) {
  const map = new AddressMap(data);
  const peak = data.snapshots.reduce((best, one, at) =>
    (one.live_bytes > data.snapshots[best].live_bytes ? at : best), 0);
  const said = h('p', { class: 'hint', 'aria-live': 'polite' });
  const slider = h('input', { type: 'range', id: 'addresses-time', min: '0', value: String(peak),
    max: String(data.snapshots.length - 1), oninput: () => choose(Number(slider.value)) });
  function choose(at) {
    const snapshot = data.snapshots[at];
    map.show(snapshot);
    const used = data.bases.filter((unused, cell) => cellOf(snapshot, cell)).length;
    fill(said, `After ${duration(Math.max(snapshot.seconds, 1e-9))}: ${bytes(snapshot.live_bytes)} live in ` +
      `${count(used)} of ${count(data.bases.length)} cells of ${bytes(data.cell_bytes)}` +
      `${at === peak ? ', the most of all instants shown' : ''}.`);
  }
  const csv = () => [['seconds', 'address', 'bytes', 'subsystem', 'share_in_use'],
    ...data.snapshots.flatMap((snapshot) => data.bases.flatMap((base, at) => {
      const cell = cellOf(snapshot, at);
      return cell ? [[snapshot.seconds, hexadecimal(base), data.cell_bytes, data.names[cell.subsystem], cell.full]] : [];
    }))];
  choose(peak);
  // The highest instant of the chosen part of the time.
  onRange((part) => {
    const inside = data.snapshots.map((one, at) => at).filter((at) => !part ||
      (data.snapshots[at].seconds >= secondsOf(history, part.from) &&
        data.snapshots[at].seconds <= secondsOf(history, part.to + 1)));
    if (inside.length === 0) return fill(said, 'No instant of the chosen part was kept; the map shows another.');
    const best = inside.reduce((a, b) => (data.snapshots[b].live_bytes > data.snapshots[a].live_bytes ? b : a));
    slider.value = String(best);
    choose(best);
  });
  return section('addresses', 'Addresses',
    'The placement of blocks. A subsystem whose colour is scattered among others is diffused: walking its blocks ' +
    'causes cache misses that a local allocator would avoid. Pale cells are mostly holes.',
    h('article', { class: 'card' },
      h('div', { class: 'controls' },
        h('div', { class: 'dropdown wide' }, h('label', { for: 'addresses-time' }, 'Time'), slider),
        csvButton(csv, 'the address map')),
      said,
      h('ul', { class: 'swatches' }, data.names.map((name, at) => h('li', {},
        h('span', { style: { background: `var(--${name === 'others' ? otherTone : toneOf(at)})` } }), name))),
      map.canvas));
}
