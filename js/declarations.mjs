// Writes the published declarations from those that tsc made of every module: each entry point with the public names and
// what these are made of. What both have is in the client's, so that a Hub of one is a Hub of the other.
// Usage: declarations.mjs <where tsc left them> <where they go>
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

const [from, to] = process.argv.slice(2);
const modules = new Map(readdirSync(from).map((file) => [file.replace('.d.ts', ''), read(`${from}/${file}`)]));

/** Its statements with their comments, the names that they declare, and which module each imported name is of. */
function read(file) {
  const statements = [];
  let comment = '';
  for (const chunk of readFileSync(file, 'utf8').split(/^(?=[^\s}])/m)) {
    if (chunk.startsWith('/*')) comment += chunk;
    else {
      statements.push({ comment, text: chunk });
      comment = '';
    }
  }
  const declared = new Map();
  const imported = new Map();
  for (const { comment, text } of statements) {
    const name = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const enum|enum|function|const) (\w+)/.exec(text)?.[1];
    if (name !== undefined) declared.set(name, (declared.get(name) ?? '') + comment + text.replace(/^export /, ''));
    const [, names, module] = /^import [^{]*\{(.*)\} from '\.\/(.*)\.ts'/.exec(text) ?? [];
    for (const name of names?.split(',') ?? []) imported.set(name.replace(' type ', '').trim(), module);
  }
  return { statements, declared, imported };
}

/** The public names of an entry point, each with its module, and its own statements that export them. */
function entry(name) {
  const names = new Map();
  const exports = modules.get(name).statements.filter(({ text }) => text.startsWith('export ') && text.includes(' from '));
  for (const { text } of exports) {
    const [, list, module] = /\{([^]*)\} from '\.\/(.*)\.ts'/.exec(text) ?? [];
    for (const name of list?.split(',') ?? []) {
      if (name.trim() !== '') names.set(name.replace('type ', '').trim(), module);
    }
  }
  return { names, exports };
}

/** All that the public names are made of, except what is `elsewhere`; by name, in the order of the modules. */
function reached(names, elsewhere = new Map()) {
  const found = new Map();
  const visit = (name, module) => {
    if (found.has(name) || elsewhere.has(name)) return;
    const { declared, imported } = modules.get(module);
    const text = declared.get(name);
    if (text === undefined) throw new Error(`${module} has no declaration of ${name}`);
    found.set(name, published(text));
    for (const used of types(found.get(name))) {
      if (declared.has(used)) visit(used, module);
      else if (imported.has(used)) visit(used, imported.get(used));
      else globals.add(used);
    }
  };
  for (const [name, module] of names) visit(name, module);
  for (const name of globals) if (found.has(name)) throw new Error(`${name} is a name of ours and of the platform: write globalThis.${name}`);
  return found;
}

/** Nobody but clca makes what has no constructor left, and what a class implements is for its own module. */
function published(text) {
  return text.replace(/ implements \w+(?= \{)/, '')
    .replace(/^((?:declare )?(?:abstract )?class (?!.* extends )[^]*?\{\n)(?![^]*\n    constructor\()/m, '$1    protected constructor();\n');
}

/** The names of types in a statement. */
function types(text) {
  return new Set(text.replace(/\/\*[^]*?\*\//g, '').match(/(?<![.\w])[A-Z]\w*|(?<=typeof )(?!globalThis)\w+/g));
}

function write(file, ...parts) {
  writeFileSync(`${to}/${file}.d.ts`, parts.join('\n'));
}

const globals = new Set();
const client = entry('client');
const index = entry('index');
const shared = reached(client.names);
const own = reached(index.names, client.names); // what is not public may be in both: types are the same if they look the same
for (const [name, text] of own) if (shared.has(name) && /^declare .*class /m.test(text)) throw new Error(`there would be two classes ${name}`);
const used = [...client.names.keys()].filter((name) => [...own.values()].some((text) => types(text).has(name)));
const lists = ({ exports }) => exports.map(({ text }) => text.replace(/\.ts';/, ".js';").replace(/(\}) from '.*'/, '$1')).join('');
const head = (name) => modules.get(name).statements[0].comment;
write('client', head('client'), ...shared.values(), lists(client));
write('index', head('index') + `import type { ${used.join(', ')} } from './client.js';`, ...own.values(), lists(index));
write('shared-worker', 'export {};\n');
