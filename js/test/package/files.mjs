// What is published: the files that are installed, and that they are whole.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const repository = new URL('../../../', import.meta.url);
const installed = new URL('js/build/consumer/node_modules/clca/', repository);
const read = (file) => readFileSync(new URL(file, installed));
const entries = ['client', 'index', 'shared-worker'];
const scripts = ['common', ...entries];
const manifest = JSON.parse(read('package.json'));

test('nothing is published but scripts, maps, types, the module, the licence and the readme', () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true });
  assert.deepEqual(files.filter((file) => file.isFile()).map(({ name }) => name).sort(), [
    'LICENSE', 'README.md', 'package.json', 'clca.wasm', 'clca.wasm.br', 'clca.wasm.gz',
    ...scripts.flatMap((script) => [`${script}.js`, `${script}.js.map`]),
    ...entries.map((entry) => `${entry}.d.ts`),
  ].sort());
});

test('the manifest says what bundlers ask: types first, what has a side effect, no dependencies, which Node', () => {
  for (const [name, target] of Object.entries(manifest.exports)) {
    if (typeof target === 'object') assert.deepEqual(Object.keys(target), ['types', 'default'], name);
  }
  assert.equal(manifest.type, 'module');
  assert.deepEqual(manifest.sideEffects, ['./dist/shared-worker.js']); // a Worker's script, which is there for nothing else
  assert.equal(manifest.engines.node, '>=20.16');
  assert.equal(manifest.dependencies ?? manifest.peerDependencies ?? manifest.optionalDependencies, undefined);
  assert.equal(manifest.scripts.install ?? manifest.scripts.postinstall, undefined);
});

test('each script names its map, which has the sources themselves', () => {
  for (const script of scripts) {
    assert.match(read(`dist/${script}.js`).toString(), new RegExp(`\n//# sourceMappingURL=${script}\\.js\\.map\n$`));
    const map = JSON.parse(read(`dist/${script}.js.map`));
    assert.equal(map.sources.length > 0, script !== 'client'); // which only names what the common script has
    map.sources.forEach((source, i) => {
      assert.ok(map.sourcesContent[i], `${script}.js.map lacks ${source}`);
      assert.match(source, /^\.\.\/(src|build)\/[\w-]+\.[jt]s$/);
    });
  }
});

test('what both entry points export is the same, so that an error of one is known by the class of the other', async () => {
  const [whole, client] = await Promise.all(['index', 'client'].map((entry) => import(new URL(`dist/${entry}.js`, installed))));
  assert.ok(Object.keys(client).length > 0);
  for (const name of Object.keys(client)) assert.equal(whole[name], client[name], name);
});

test('the compressed forms are those of the module', () => {
  const module = read('dist/clca.wasm');
  assert.ok(WebAssembly.validate(module));
  assert.ok(module.equals(brotliDecompressSync(read('dist/clca.wasm.br'))));
  assert.ok(module.equals(gunzipSync(read('dist/clca.wasm.gz'))));
});

test('what the readme links to can be reached from wherever it is read', () => {
  for (const [, link] of read('README.md').toString().matchAll(/\]\(([^)]*)\)/g)) assert.match(link, /^(https:\/\/|#)/);
});

test('nothing that is published names the machine that built it', () => {
  const built = [...scripts.flatMap((script) => [`${script}.js`, `${script}.js.map`]), ...entries.map((entry) => `${entry}.d.ts`)];
  for (const file of built) assert.ok(!read(`dist/${file}`).includes(repository.pathname), file);
  assert.ok(!read('dist/clca.wasm').includes(repository.pathname), 'clca.wasm');
});

test('the type tests speak of every public name', () => {
  const told = readFileSync(new URL('js/test/types/public.ts', repository), 'utf8');
  for (const entry of entries) {
    for (const [, names] of read(`dist/${entry}.d.ts`).toString().matchAll(/^export (?:type )?\{([^}]*)\};$/gm)) {
      for (const name of names.split(',').map((name) => name.replace('type ', '').trim()).filter(Boolean)) {
        assert.match(told, new RegExp(`\\b${name}\\b`), `nothing is said of ${name}`);
      }
    }
  }
});
