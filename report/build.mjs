// Makes the report's page: bundles the scripts, inlines style, typeface and bundle into
// template.html, and writes the result as a C++ source, so that the program needs no files.
//
//   node build.mjs NODE_MODULES OUT.cpp

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const [modules, out] = process.argv.slice(2).map((name) => path.resolve(name));
const packages = createRequire(path.join(modules, 'from-here.js'));
const esbuild = packages('esbuild');

const targets = ['chrome100', 'firefox100', 'safari15'];
const version = async (name) =>
  JSON.parse(await readFile(path.join(modules, name, 'package.json'), 'utf8')).version;

async function script() {
  const result = await esbuild.build({
    entryPoints: [path.join(here, 'src/main.js')],
    nodePaths: [modules], bundle: true, minify: true, format: 'iife', target: targets,
    charset: 'utf8', legalComments: 'none', write: false, logLevel: 'warning',
    define: {
      'process.env.NODE_ENV': '"production"',
      ECHARTS_VERSION: JSON.stringify(await version('echarts')),
    },
  });
  return result.outputFiles[0].text;
}

/** The style sheet with the typeface in it: the page asks for no other file, ever. */
async function style() {
  const font = await readFile(
    path.join(modules, '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'));
  const face = "@font-face{font-family:'Inter Variable';font-weight:100 900;font-display:block;" +
    `src:url(data:font/woff2;base64,${font.toString('base64')}) format('woff2')}`;
  const sheet = await readFile(path.join(here, 'style.css'), 'utf8');
  const { code } = await esbuild.transform(sheet, { loader: 'css', minify: true, target: targets });
  return face + code;
}

/** The licences of everything that is inlined, as text for the page. */
async function licences() {
  const files = ['echarts/NOTICE', 'echarts/LICENSE', 'zrender/LICENSE', 'tslib/LICENSE.txt',
    '@fontsource-variable/inter/LICENSE'];
  const texts = await Promise.all(files.map(async (name) =>
    `${path.dirname(name)}\n\n${(await readFile(path.join(modules, name), 'utf8')).trim()}`));
  return texts.join('\n\n\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** A C++ raw string; long literals are cut, since compilers need not accept endless ones. */
function literal(text) {
  if (text.includes(')page~"')) throw new Error('the page contains the raw string delimiter');
  return text.match(/[^]{1,8000}/gu).map((part) => `R"page~(${part})page~"`).join('\n');
}

const fill = (page, marker, text) => {
  if (page.split(marker).length !== 2) throw new Error(`${marker} must occur exactly once`);
  return page.split(marker).join(text);
};

let page = await readFile(path.join(here, 'template.html'), 'utf8');
page = fill(page, '@MALLARD_LICENCES@', await licences());
page = fill(page, '@MALLARD_STYLE@', await style());
page = fill(page, '@MALLARD_SCRIPT@', (await script()).trim());
fill(page, '@MALLARD_DATA@', '');

await mkdir(path.dirname(out), { recursive: true });
await writeFile(out, `// Made by report/build.mjs.
#include "report/page.hpp"

namespace mallard::report {

std::string_view page_template() {
  static constexpr char text[] =
${literal(page)};
  return {text, sizeof text - 1};
}

}  // namespace mallard::report
`);
