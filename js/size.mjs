// Prints what is published and what it costs: the sizes of the files, raw and compressed, against their budgets, and what
// each package that the module imports adds to the smallest program. Fails above a budget. GO_WASM is how a module is built.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { compressed } from './compress.mjs';

const built = 'js/build/_size'; // which ./... does not see
mkdirSync(built, { recursive: true });
const kb = (bytes) => (bytes / 1000).toFixed(1).padStart(9);
const sizes = (file) => {
  const raw = readFileSync(file);
  const { gzip, brotli } = compressed(raw);
  return { raw: raw.length, gzip: gzip.length, brotli: brotli.length };
};
const line = (name, { raw, gzip, brotli }, rest = '') => console.log(name.padEnd(34), kb(raw), kb(gzip), kb(brotli), ' ', rest);

function build(name, source) {
  writeFileSync(`${built}/${name}.go`, source);
  execFileSync('sh', ['-c', `${process.env.GO_WASM} -o ${built}/${name}.wasm ${built}/${name}.go`], { stdio: ['ignore', 'inherit', 'inherit'] });
  return sizes(`${built}/${name}.wasm`);
}

const smallest = readFileSync('js/test/bench/smallest/main.go', 'utf8');
const base = build('smallest', smallest);

let failed = false;
function within(value, budget, unit) {
  const over = value > budget;
  failed ||= over;
  return `${value.toFixed(2)}${unit}, at most ${budget}${unit}${over ? '  OVER' : ''}`;
}

console.log('KB of 1,000 bytes'.padEnd(34), ...['raw', 'gzip', 'brotli'].map((head) => head.padStart(9)));
line('smallest program with syscall/js', base);
const module = sizes('js/dist/clca.wasm');
line('clca.wasm', module, within(module.brotli / base.brotli, 1.4, ' times that'));
const client = sizes('js/build/client.min.js');
line('client for a Worker, minified', client, within(client.brotli / 1000, 16, ' KB'));
line('everything, minified', sizes('js/build/index.min.js'));

console.log('\nWhat an import adds to the smallest program');
const ours = new Set(execFileSync('go', ['list', '-deps', '-f', '{{if not .Standard}}{{join .Imports "\\n"}}{{end}}', './wasm'], {
  env: { ...process.env, GOOS: 'js', GOARCH: 'wasm' }, encoding: 'utf8',
}).split('\n').filter((name) => name !== '' && !name.includes('.')));
ours.delete('syscall/js');
ours.delete('unsafe');
const minus = ({ raw, gzip, brotli }) => ({ raw: raw - base.raw, gzip: gzip - base.gzip, brotli: brotli - base.brotli });
for (const name of [...ours].sort()) line(name, minus(build('import', smallest.replace(/^import .*$/m, `$&\nimport _ "${name}"`))));
line('all of clca', minus(module));
process.exitCode = failed ? 1 : 0;
