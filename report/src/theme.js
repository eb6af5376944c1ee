// Light or dark: as the system says, unless the reader chooses. Charts are redrawn on a change,
// because their colours are baked into what they draw.

const choices = ['auto', 'light', 'dark'];
const storageKey = 'mallard-theme';
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set();
let chosen = 'auto';
let printing = false;

/** The theme in force now: 'light' or 'dark'. Paper is always white. */
export function theme() {
  if (printing) return 'light';
  return chosen === 'auto' ? (systemIsDark.matches ? 'dark' : 'light') : chosen;
}

/** The value of a custom property of the style sheet, so that charts and page share colours. */
export const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const onThemeChange = (listener) => listeners.add(listener);

function apply() {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener();
}

/** Reads the reader's earlier choice; storage may be forbidden for pages opened as files. */
function stored() {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function store(value) {
  try {
    localStorage.setItem(storageKey, value);
  } catch {
    // The choice then lasts as long as the page.
  }
}

export function startTheme(select) {
  chosen = choices.includes(stored()) ? stored() : 'auto';
  select.value = chosen;
  select.addEventListener('change', () => {
    chosen = select.value;
    store(chosen);
    apply();
  });
  systemIsDark.addEventListener('change', apply);
  window.addEventListener('beforeprint', () => { printing = true; apply(); });
  window.addEventListener('afterprint', () => { printing = false; apply(); });
  apply();
}
