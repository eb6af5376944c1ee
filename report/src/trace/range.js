// The part of the recording's time that the page shows. Sections that can follow subscribe; the history
// says which nodes of the flame graph allocated in which step of time.

const listeners = new Set();

/** The chosen part: the first and last step of the history; null is the whole recording. */
let chosen = null;

export const range = () => chosen;
export const onRange = (listener) => { listeners.add(listener); };

export function chooseRange(history, from, to) {
  const last = history.steps.length - 1;
  const clamp = (step) => Math.max(0, Math.min(last, step));
  const [a, b] = [clamp(Math.min(from, to)), clamp(Math.max(from, to))];
  const next = a === 0 && b === last ? null : { from: a, to: b };
  if (next?.from === chosen?.from && next?.to === chosen?.to) return;
  chosen = next;
  for (const listener of listeners) listener(chosen);
}

export const secondsOf = ({ step_seconds: length }, step) => step * length;

/** The weight of each node of the flame graph in the chosen part; the whole recording's own figures without one. */
export function flameOf({ flame, history }) {
  if (!chosen) return flame;
  const nodes = flame.parent.length;
  const made = { parent: flame.parent, function: flame.function };
  for (const name of ['peak_bytes', 'bytes', 'operations', 'live_bytes']) made[name] = new Array(nodes).fill(0);
  const live = new Array(nodes).fill(0);
  let [all, most] = [0, -1];
  for (let step = 0; step <= chosen.to; ++step) {
    const { node, bytes, operations, growth, growth_to_peak: toPeak } = history.steps[step];
    const fullest = all + sum(toPeak);
    if (step >= chosen.from && fullest > most) {
      most = fullest;
      for (let at = 0; at < nodes; ++at) made.peak_bytes[at] = live[at];
      for (let i = 0; i < node.length; ++i) made.peak_bytes[node[i]] += toPeak[i];
    }
    for (let i = 0; i < node.length; ++i) {
      live[node[i]] += growth[i];
      all += growth[i];
      if (step < chosen.from) continue;
      made.bytes[node[i]] += bytes[i];
      made.operations[node[i]] += operations[i];
    }
  }
  for (let at = 0; at < nodes; ++at) made.live_bytes[at] = live[at];
  return made;
}

/** Bytes that were asked for in each function and in what it calls, in the chosen part, by its name. */
export function bytesBelow(model) {
  const { parent, function: of, bytes } = flameOf(model);
  const sums = new Map();
  for (let node = 1; node < parent.length; ++node) {
    if (bytes[node] === 0) continue;
    const above = new Set();
    for (let at = node; at !== 0; at = parent[at]) above.add(model.functions[of[at]]);
    for (const name of above) sums.set(name, (sums.get(name) ?? 0) + bytes[node]);
  }
  return sums;
}

export const sum = (values) => values.reduce((all, one) => all + one, 0);

/** Sums of the chosen part. */
export function sumsOf(model) {
  const flame = flameOf(model);
  return { bytes: sum(flame.bytes), operations: sum(flame.operations), peak_bytes: sum(flame.peak_bytes),
    live_bytes: sum(flame.live_bytes) };
}
