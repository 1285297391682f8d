// Finds the examples of the documentation, and makes programs of them that fail unless what they say holds.
//
// An example is what a function does that may await, in a module that has imported all of `clca`. It may use what
// package/examples.mjs declares. Its first line may say where it is: `// in a Worker` of a realm that has the hub, or `// in a page`
// of a browser; else it is in the hub's own realm. At the end of a line it may say what comes of that line:
//
//   expression; // => value (remark)            also of `const name = expression;`
//   expression; // rejects with TimeoutError    or `throws TimeoutError`: an error of that name
//
// As a script it prints those of pages, for TestExamplesOfPages.
import { readFileSync, readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The names with their examples in the text of a module: those that are exported, and the members of its classes. */
export function documented(text) {
  const names = [];
  let comment = '', outer = '', inClass = false;
  for (const part of text.split(/^( *\/\*\*[^]*?\*\/\n)/m)) {
    if (/^ *\/\*\*/.test(part)) {
      comment = part;
      continue;
    }
    for (const line of part.split('\n')) {
      const top = /^(?:export )?(?:declare )?(?:abstract )?(?:async )?(class|interface|type|function) (\w+)/.exec(line);
      const member = inClass && /^ {2,4}(?:readonly |get |async )*(\[Symbol\.asyncIterator\]|(?!constructor|private|protected|static|return|if|set )\w+)\??[<(:]/.exec(line);
      if (top !== null) [outer, inClass] = [top[2], top[1] === 'class'];
      if (line === '}') inClass = false;
      const name = top?.[2] ?? (member ? `${outer}.${member[1]}` : undefined);
      if (name !== undefined && !names.some((known) => known.name === name)) {
        names.push({ name, comment, examples: examplesIn(comment) });
      }
      if (line.trim() !== '') comment = '';
    }
  }
  return names;
}

function examplesIn(comment) {
  const lines = comment.replace(/ *\*\/\s*$/, '').split('\n').map((line) => line.replace(/^ *\* ?/, ''));
  return lines.join('\n').split(/^@example\n/m).slice(1).map((code) => code.trimEnd());
}

/** The example as a program that fails unless what it says holds. */
export function program(code) {
  return code.split('\n').filter((line) => !/^import .* from 'clca(\/client)?';$/.test(line)).map((line) => {
    const says = /^(\s*)(const [^=]+ = )?(.*?);\s+\/\/ (=>|rejects with|throws) ?(.*)$/.exec(line);
    if (says === null) return line;
    const [, indent, variable = '', expression, word, rest] = says;
    const value = rest.replace(/ \([^()]*\)$/, '');
    if (word === '=>') return `${indent}${variable}equals(${expression}, ${value});`;
    if (word === 'throws') return `${indent}fails(() => ${expression}, '${value}');`;
    if (word === 'rejects with') return `${indent}await rejects(async () => ${expression}, '${value}');`;
    return line;
  }).join('\n');
}

/** Where it is run. */
export function place(code) {
  return /^\/\/ in a (Worker|page)/.exec(code)?.[1] ?? 'hub';
}

/** What a program needs to say what holds. */
const judges = { equals, fails, rejects };

/** What a program finds. */
export const given = {
  ...judges,
  url: 'data:application/json,{ "answer": 42 }',
  parts: [1, 2, 3],
  draw() {},
  compute() {},
  async work({ signal } = {}) {
    signal?.throwIfAborted();
  },
};

function equals(value, expected) {
  const shown = (what) => JSON.stringify(what, (_, part) => part === undefined ? 'undefined' : part);
  if (shown(value) !== shown(expected)) throw new Error(`it is ${shown(value)}, not ${shown(expected)}`);
  return value;
}

function fails(call, name) {
  let error;
  try {
    call();
  } catch (thrown) {
    error = thrown;
  }
  if (error?.name !== name) throw new Error(`it fails with ${error}, not with ${name}`, { cause: error });
}

async function rejects(call, name) {
  const error = await call().then(() => undefined, (reason) => reason);
  if (error?.name !== name) throw new Error(`it fails with ${error}, not with ${name}`, { cause: error });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const src = new URL('../src/', import.meta.url);
  const all = readdirSync(src).sort().flatMap((file) => documented(readFileSync(new URL(file, src), 'utf8')));
  console.log(JSON.stringify(all.flatMap(({ name, examples }) => examples
    .filter((code) => place(code) === 'page')
    .map((code) => ({ name, code: [...Object.values(judges), program(code)].join('\n') })))));
}
