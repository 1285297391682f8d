// Runs the suite and the package's examples in each runtime of package.json, and prints what came of it. Fails where that is
// not what is known: where a case fails or is skipped that does not, as well as where one does not that is said to.
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const path = (file) => fileURLToPath(new URL(file, import.meta.url));
const suite = path('../../build/consumer/conformance.js');
const examples = path('../package/examples.mjs');
const installed = path('../../build/runtimes/node_modules/');

const node = { run: [suite], examples: ['--test', examples], known: {} };
const deno = {
  'hub.locks: a request settles, and who awaits it goes on, before the next is called':
    'the messages that are due at a port are heard one after the other, before what the first sets off in microtasks',
};
const stack = 'the engine follows no awaits from an error through a promise that was resolved with another';
const bun = {
  'an error is of its class, and has a name, a code, and the stack of the caller': stack,
  'each of many calls that fail together has an error and a stack of its own': stack,
  'event: each of many waits that are rejected together has an error of its own, with its own stack': stack,
  'latch: each of many waits that are rejected together has an error of its own, with its own stack': stack,
  'signal: each of many waits that are rejected together has an error of its own, with its own stack': stack,
};
const runtimes = {
  'node-20/bin/node': node,
  'node-22/bin/node': node,
  'node-24/bin/node': node,
  'node-26/bin/node': node,
  'deno/deno': { run: ['run', '--allow-all', suite], examples: ['test', '--allow-all', examples], known: deno },
  'bun/bin/bun': { run: [suite], examples: ['test', examples], known: bun },
};
const minutes = 15;

let wrong = 0;
for (const [file, runtime] of Object.entries(runtimes)) {
  if (!file.includes(process.env.ONLY_RUNTIME ?? '')) continue;
  const version = execFileSync(installed + file, ['--version']).toString().trim().split('\n')[0];
  const name = `${file.slice(file.lastIndexOf('/') + 1)} ${/\d[\d.]*/.exec(version)[0]}`;
  const { cases, failures, problems } = await trySuite(installed + file, runtime);
  const exampled = await ends(installed + file, runtime.examples);
  if (exampled.failed !== undefined) problems.push(`the examples: ${exampled.failed}\n${exampled.output}`);
  const known = failures.length === 0 ? '' : `, ${failures.length} not passed, as is known`;
  console.log(`${name.padEnd(14)} ${problems.length === 0 ? 'ok' : 'WRONG'}: ${cases} cases${known}`);
  for (const problem of problems) console.log(`  ${problem.replaceAll('\n', '\n    ')}`);
  wrong += problems.length;
}
process.exitCode = wrong === 0 ? 0 : 1;

async function trySuite(command, { run, known }) {
  let cases = 0, current = 'it began', ended = false;
  const failures = [], problems = [];
  const { failed, output } = await ends(command, run, (line) => {
    if (line.ended) ended = true;
    else if (line.result === undefined) current = `${line.name}, in ${line.place}`;
    else {
      cases++;
      const { ok, error, skipped } = line.result;
      if (ok && skipped === undefined) return;
      failures.push(line.name);
      if (!(line.name in known)) problems.push(`${current}: ${error ?? `skipped, ${skipped}`}`);
    }
  });
  if (failed !== undefined || !ended) problems.push(`${failed ?? 'ended early'} at ${current}\n${output}`);
  for (const name of Object.keys(known)) {
    if (ended && !failures.includes(name)) problems.push(`${name}: passes, though it is known not to: ${known[name]}`);
  }
  return { cases, failures, problems };
}

/** Runs it with all that it starts; each line of JSON is heard, and the end of all else that it prints is its output. */
function ends(command, args, heard = () => {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NO_COLOR: '1' } });
    const output = [];
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        if (line.startsWith('{"')) heard(JSON.parse(line));
        else output.push(line);
      });
    }
    const late = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), minutes * 60_000);
    child.on('close', (code, signal) => {
      clearTimeout(late);
      resolve({ failed: code === 0 ? undefined : signal ?? `exit ${code}`, output: output.slice(-30).join('\n') });
    });
  });
}
