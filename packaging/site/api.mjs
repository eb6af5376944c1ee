// Makes the reference of the library from the contracts in its public headers: node packaging/site/api.mjs FOLDER
//
// Each header becomes a section, of the comment it opens with. What a comment stands before becomes an entry: the
// declarations up to the next comment or empty line as code, then the comment as text. A header is read by
// statements: up to `;` or `{` outside parentheses. Bodies of functions are left out; namespaces, classes and
// extern "C" are read inside. What is private, `detail`, a macro or not commented on is not in the reference.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const folder = process.argv[2];
if (!folder) {
  console.error('api: there is no folder to write to');
  process.exit(1);
}

const parts = [
  ['api.md', 'Reference', 'mallard', 'Resources, containers over them, scopes: what `mallard/mallard.hpp` includes, and its neighbours.'],
  ['api-checks.md', 'Reference: checks', 'mallard/checks', 'Resources that count, limit, test and protect.'],
  ['api-memory.md', 'Reference: kinds of memory', 'mallard/memory', 'Memory that is static, mapped, shared, in a file, on huge pages, on a node.'],
  ['api-malloc.md', 'Reference: the malloc', 'mallard/malloc', 'Functions of the drop-in malloc beyond those of C.'],
];

/** Text in which nothing is Markdown's but what stands between backquotes. */
function escaped(text) {
  return text.split(/(`[^`]*`)/).map((part, i) => (i % 2 ? part : part.replace(/[\\*_<>|[\]]/g, '\\$&'))).join('');
}

/** A comment's text as Markdown: paragraphs stay, what is indented becomes code. */
function as_markdown(comment) {
  const out = [];
  let code = false;
  for (const line of comment) {
    const is_code = line.startsWith('  ') || (code && line === '');
    if (is_code !== code) {
      while (code && out.at(-1) === '') out.pop();
      out.push(...(is_code ? ['', '```cpp'] : ['```', '']));
      code = is_code;
    }
    out.push(code ? line.replace(/^ {2}/, '') : escaped(line));
  }
  if (code) out.push('```');
  return out.join('\n').replace(/^(Purpose|Effects|Returns|Errors|Complexity|Thread-safety|Requires|Source of the idea|Source): ?/gm, '**$1:** ')
    .replace(/\.(\s+)Thread-safety:/g, '.$1**Thread-safety:**');
}

/** Comments, declarations and ends of scopes of a header, in order. */
function* pieces(text) {
  let at = 0, begin = 0, round = 0;
  const skip_literal = () => {
    const quote = text[at];
    if (quote === "'" && /[0-9a-fA-F]/.test(text[at - 1] ?? '')) return void at++;
    for (at += 1; at < text.length && text[at] !== quote; at += 1) if (text[at] === '\\') at += 1;
    at += 1;
  };
  const skip_body = () => {
    for (let depth = 0; at < text.length;) {
      if (text.startsWith('//', at)) at = text.indexOf('\n', at);
      else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 2;
      else if (text[at] === '"' || text[at] === "'") skip_literal();
      else {
        if (text[at] === '{') depth += 1;
        if (text[at] === '}') depth -= 1;
        at += 1;
        if (depth === 0) return;
      }
    }
  };
  while (at < text.length) {
    const begun = text.slice(begin, at).trim() !== '';
    if (text.startsWith('//', at) || text.startsWith('/*', at)) {
      const line = text.startsWith('//', at);
      const found = text.slice(at, line ? text.indexOf('\n', at) : text.indexOf('*/', at));
      at += found.length + (line ? 0 : 2);
      if (line && !begun && !/^\s*$/.test(text.slice(text.lastIndexOf('\n', at - found.length - 1) + 1, at - found.length))) {
        yield { beside: found };
        begin = at;
      } else if (!begun) {
        yield { comment: found.split('\n').map((each) => each.replace(/^\s*(\/\/|\/\*|\*)? ?/, '').trimEnd()) };
        begin = at;
      } else {
        text = text.slice(0, at - found.length - (line ? 0 : 2)) + text.slice(at);
        at -= found.length + (line ? 0 : 2);
      }
    } else if (text[at] === '#' && !begun) {
      do at = text.indexOf('\n', at) + 1; while (text[at - 2] === '\\');
      begin = at;
    } else if (text[at] === '"' || text[at] === "'") {
      skip_literal();
    } else if (text[at] === '\n' && !begun) {
      if (/^\n\s*\n/.test(text.slice(at))) yield { empty: true };
      at += 1;
      begin = at;
    } else if (text[at] === '(') {
      round += 1;
      at += 1;
    } else if (text[at] === ')') {
      round -= 1;
      at += 1;
    } else if (round === 0 && text[at] === '}') {
      yield { end: true };
      begin = at += 1;
    } else if (round === 0 && /^(public|private|protected):/.test(text.slice(at)) && !begun) {
      yield { access: text.slice(at, text.indexOf(':', at)) };
      begin = at = text.indexOf(':', at) + 1;
    } else if (round === 0 && text[at] === ';') {
      if (begun) yield { declaration: text.slice(begin, at) + ';' };
      begin = at += 1;
    } else if (round === 0 && text[at] === '{') {
      const head = text.slice(begin, at).trim();
      const scope = /^(template\b[^]*?>\s*)?(inline )?(namespace\b|class\b|struct\b|union\b|extern "C"$)/.test(head) && !/\)\s*(const|noexcept|\{|$)/.test(head.replace(/alignas\([^)]*\)/, ''));
      const start = at;
      if (scope && /^struct\b/.test(head)) {
        skip_body();
        const body = text.slice(start, at);
        if (!body.replace(/\/\/.*|=.*/g, '').includes('(')) {
          yield { aggregate: `${head} ${body}` };
          begin = at += 1;
          continue;
        }
        at = start;
      }
      if (scope) {
        yield { scope: head };
        begin = at += 1;
      } else {
        yield { declaration: text.slice(begin, at) };
        skip_body();
        if (text[at] === ';') at += 1;
        begin = at;
      }
    } else {
      at += 1;
    }
  }
}

/** A declaration as it is shown: without macros and initialisers, in lines of its own. */
function shown(declaration) {
  const line = declaration.replace(/\bMALLARD_(?!ABI)[A-Z_]+(\([^)]*\))? ?/g, '')
    .replace(/\)\s*(const)?\s*(noexcept(\([^)]*\))?)?\s*:\s[^:][^]*$/, (all, is_const, is_noexcept) =>
      `)${is_const ? ' const' : ''}${is_noexcept ? ` ${is_noexcept}` : ''}`)
    .replace(/\s+/g, ' ').replace(/[;\s]*$/, ';').trim().replace(/^(template <.*?>) (?=(requires|class|struct|using|inline|constexpr|auto|\[\[|\w))/, '$1\n');
  return line.split('\n').map((each) => {
    let out = '';
    let length = 0;
    for (const word of each.split(/(?<=, )/)) {
      if (length > 0 && length + word.length > 96) {
        out = `${out.trimEnd()}\n    `;
        length = 4;
      }
      out += word;
      length += word.length;
    }
    return out;
  }).join('\n');
}

function section(name, text) {
  const out = [`## ${name}`];
  const scopes = [];
  let comment = null, code = [], opening = true;
  const is_hidden = () => scopes.some((each) => each.hidden);
  const flush = () => {
    if (comment && code.length > 0 && !is_hidden()) {
      const of = scopes.filter((each) => each.type).map((each) => each.type).join('::');
      if (of && of !== flush.of) out.push(`### ${of}`);
      flush.of = of;
      out.push(`\`\`\`cpp\n${code.join('\n')}\n\`\`\``, as_markdown(comment));
      flush.entries += 1;
    }
    comment = null;
    code = [];
  };
  flush.entries = 0;
  flush.of = '';
  let lines = [];
  for (const piece of pieces(text)) {
    if (piece.comment) {
      if (code.length > 0) flush();
      lines.push(...piece.comment);
      continue;
    }
    if (lines.length > 0) {
      if (opening) out.push(as_markdown(lines));
      else if (!piece.empty) comment = lines;
      opening = false;
      lines = [];
    }
    if (piece.beside) {
      if (code.length > 0) code.push(`${code.pop()}  ${piece.beside}`);
    } else if (piece.aggregate) {
      if (code.length > 0) flush();
      comment ??= [];
      code.push(`${piece.aggregate.replace(/\bMALLARD_API /, '')};`);
      flush();
    } else if (piece.empty) {
      flush();
    } else if (piece.access) {
      flush();
      scopes.at(-1).hidden = piece.access !== 'public';
    } else if (piece.end) {
      flush();
      scopes.pop();
    } else if (piece.scope) {
      const is_type = /\b(class|struct|union)\b/.test(piece.scope) && !/namespace/.test(piece.scope);
      const plain = piece.scope.replace(/^template\b[^]*?>\s*(?=(class|struct|union)\b)/, '').replace(/\b(MALLARD_\w+|alignas\([^)]*\)|final) |\[\[[^\]]*\]\] /g, '');
      const type = is_type ? /^\w+\s+([\w:]+)/.exec(plain)?.[1] : undefined;
      if (is_type && comment) code.push(shown(piece.scope));
      scopes.push({ type: is_type && comment ? type : undefined });
      flush();
      scopes.pop();
      scopes.push({ type, hidden: /namespace (detail|\w*::detail)/.test(piece.scope) || (/\bclass\b/.test(piece.scope) && is_type) });
    } else if (comment) {
      code.push(shown(piece.declaration));
    }
  }
  return { text: out.join('\n\n'), entries: flush.entries };
}

for (const [page, title, include, words] of parts) {
  const headers = readdirSync(path.join(root, 'include', include)).filter((name) => /\.(h|hpp)$/.test(name)).sort();
  const sections = headers.map((name) => section(`${include}/${name}`, readFileSync(path.join(root, 'include', include, name), 'utf8')));
  const entries = sections.reduce((sum, each) => sum + each.entries, 0);
  if (headers.length === 0 || entries === 0) throw new Error(`api: ${include} has no contracts`);
  console.log(`${page}: ${headers.length} headers, ${entries} entries`);
  writeFileSync(path.join(folder, page), `# ${title}\n\n${words}\n\n${sections.map((each) => each.text).join('\n\n')}\n`);
}
