// Runs the suite and the package's examples in each runtime of package.json, and prints what came of it. Fails where that is
// not what is known: where a case fails or is skipped that does not, as well as where one does not that is said to.
import { execFileSync, spawn } from 'node:child_process';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const path = (file) => fileURLToPath(new URL(file, import.meta.url));
const suite = path('../../build/consumer/conformance.js');
const webWorker = path('../../build/consumer/web-worker.js');
const examples = path('../package/examples.mjs');
const installed = path('../../build/runtimes/node_modules/');

// How each runs the suite, and all else that is to end well; which cases are known not to pass, and why; which pass by luck.
const node = { suite: [suite], more: [['--test', examples]], known: {} };
const deno = {
  suite: ['run', '--allow-all', suite],
  more: [['run', '--allow-read', webWorker], ['test', '--allow-all', examples]],
  known: {},
  byLuck: {
    'hub.locks: a request settles, and who awaits it goes on, before the next is called':
      'the messages that are due at a port are heard one after the other, before what the first sets off in microtasks',
  },
};
const stack = 'the engine follows no awaits from an error through a promise that was resolved with another';
const bun = {
  suite: [suite],
  more: [[webWorker], ['test', examples]],
  known: {
    'an error is of its class, and has a name, a code, and the stack of the caller': stack,
    'each of many calls that fail together has an error and a stack of its own': stack,
    'event: each of many waits that are rejected together has an error of its own, with its own stack': stack,
    'latch: each of many waits that are rejected together has an error of its own, with its own stack': stack,
    'signal: each of many waits that are rejected together has an error of its own, with its own stack': stack,
  },
};
const runtimes = {
  'node-20/bin/node': node,
  'node-22/bin/node': node,
  'node-24/bin/node': node,
  'node-24.16/bin/node': node, // whose Web Locks are no good
  'node-26/bin/node': node,
  'deno/deno': deno,
  'bun/bin/bun': bun,
};
const minutes = 15; // for each

let wrong = 0;
for (const [file, runtime] of Object.entries(runtimes)) {
  const command = installed + file;
  if (!file.includes(process.env.RUNTIME ?? '')) continue;
  const [version] = /\d[\d.]*/.exec(execFileSync(command, ['--version']).toString());
  const { cases, failures, problems } = await trySuite(command, runtime);
  for (const args of runtime.more) {
    const { failed, output } = await ends(command, args);
    if (failed !== undefined) problems.push(`${failed} of ${args.join(' ')}\n${output}`);
  }
  const known = failures.size === 0 ? '' : `, ${failures.size} of them known not to pass`;
  console.log(`${basename(file)} ${version.padEnd(9)} ${problems.length > 0 ? 'WRONG' : `ok: ${cases.size} cases${known}`}`);
  for (const problem of problems) console.log(`  ${problem.replaceAll('\n', '\n    ')}`);
  wrong += problems.length;
}
process.exitCode = wrong === 0 ? 0 : 1;

/** The names of its cases, in all places, of those that do not pass, and what is not as it is known. */
async function trySuite(command, { suite, known, byLuck = {} }) {
  const cases = new Set(), failures = new Set(), problems = [];
  let current = 'the beginning', ended = false;
  const { failed, output } = await ends(command, suite, (line) => {
    if (line.ended) return void (ended = true);
    const { place, name, result } = line;
    current = `${name}, in ${place}`;
    if (result === undefined) return;
    cases.add(name);
    if (result.ok && result.skipped === undefined) return;
    failures.add(name);
    if (!Object.hasOwn(known, name) && !Object.hasOwn(byLuck, name)) problems.push(`${current}: ${result.error ?? `skipped, ${result.skipped}`}`);
  });
  if (failed !== undefined || !ended) problems.push(`${failed ?? 'ended early'} after ${current}\n${output}`);
  for (const [name, why] of Object.entries(known)) {
    if (cases.has(name) && !failures.has(name)) problems.push(`${name}: passes, and was known not to, since ${why}`);
  }
  return { cases, failures, problems };
}

/** Runs it with all that it starts; each line of JSON is heard, and the end of all else that it prints is its output. */
function ends(command, args, heard = () => {}) {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' };
    const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
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
