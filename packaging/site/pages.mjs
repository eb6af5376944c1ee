// Makes the site's pages from the documents: node packaging/site/pages.mjs FOLDER
// The README is the home page. A link to another document leads to its page. A link to a source keeps its text
// alone: a folder on disk does not have the sources.
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = process.argv[2];
if (!folder) {
  console.error('pages: there is no folder to write to');
  process.exit(1);
}

/** Documents by their path in the repository, pages by their name in the site. */
const pages = new Map([['README.md', 'index.md'], ['CONTRIBUTING.md', 'contributing.md'],
  ['CHANGELOG.md', 'changes.md'], ['SECURITY.md', 'security.md'], ['CODE_OF_CONDUCT.md', 'conduct.md']]);
for (const name of readdirSync(path.join(root, 'docs'))) {
  if (name.endsWith('.md')) pages.set(`docs/${name}`, name);
}

/** The text with each link as it is in the site. */
function with_links(text, document) {
  return text.replace(/(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)/g, (link, image, words, to, heading = '') => {
    if (/^\w+:/.test(to) || to === '') return link;
    const file = path.join(path.dirname(document), to);
    if (file.startsWith('docs/images/')) return `${image}[${words}](${file.slice('docs/'.length)})`;
    return pages.has(file) ? `[${words}](${pages.get(file)}${heading})` : words;
  });
}

mkdirSync(folder, { recursive: true });
cpSync(path.join(root, 'docs/images'), path.join(folder, 'images'), { recursive: true });
for (const [document, page] of pages) {
  const parts = readFileSync(path.join(root, document), 'utf8').split(/^(```[^]*?^```$)/m);
  writeFileSync(path.join(folder, page),
    parts.map((part, i) => (i % 2 ? part : with_links(part, document))).join(''));
}
