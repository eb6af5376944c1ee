// Looks at a built site as a browser would that opens it from disk: every link and picture leads to a file of the
// folder and to an anchor that is there, nothing is loaded from the network, and every page is reached from the home
// page. node packaging/site/check.mjs FOLDER
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve(process.argv[2] ?? '');
const problems = [];
if (!existsSync(path.join(folder, 'index.html'))) {
  console.error(`check: ${folder} has no index.html`);
  process.exit(1);
}

const text_of = (page) => readFileSync(page, 'utf8').replace(/<!--[^]*?-->/g, '').replace(/<script\b[^>]*>[^]*?<\/script>/g, (all) =>
  /^<script\b[^>]*\bsrc=/.test(all) ? all : '');
const plain = (text) => text.replace(/&amp;/g, '&').replace(/&#x?[0-9a-f]+;/gi, (all) =>
  String.fromCodePoint(Number(all.slice(2, -1).replace(/^x/i, '0x'))));
const anchors = new Map();
function has_anchor(page, name) {
  if (!anchors.has(page)) {
    anchors.set(page, new Set([...text_of(page).matchAll(/\s(?:id|name)="?([^"\s>]+)/g)].map((each) => plain(each[1]))));
  }
  return anchors.get(page).has(name);
}

const seen = new Set([path.join(folder, 'index.html')]);
let links = 0;
for (const page of seen) {
  const here = path.relative(folder, page);
  for (const [tag, element, attribute, quoted, bare] of text_of(page).matchAll(/<(\w+)\b[^>]*?\s(href|src)=(?:"([^"]*)"|([^\s>]+))[^>]*>/g)) {
    const to = plain(quoted ?? bare);
    links += 1;
    if (/^(https?:)?\/\//.test(to)) {
      if (element !== 'a' && !/rel="?(canonical|next|prev)/.test(tag)) problems.push(`${here}: loads ${to} from the network`);
      continue;
    }
    if (/^(mailto|data|javascript):/.test(to)) continue;
    const [file, anchor] = to.split('#');
    const target = file === '' ? page : path.join(path.dirname(page), decodeURIComponent(file.split('?')[0]));
    if (!existsSync(target) || statSync(target).isDirectory()) {
      problems.push(`${here}: ${to} is no file`);
    } else if (target.endsWith('.html')) {
      seen.add(target);
      if (anchor && !has_anchor(target, decodeURIComponent(anchor))) problems.push(`${here}: ${to} is no heading`);
    }
  }
}
for (const name of readdirSync(folder)) {
  if (name.endsWith('.html') && !seen.has(path.join(folder, name))) problems.push(`${name}: no page leads there`);
}
if (problems.length > 0) {
  console.error(problems.map((each) => `check: ${each}`).join('\n'));
  process.exit(1);
}
console.log(`${seen.size} pages, ${links} links, all of which lead somewhere in the folder`);
