/** What a process sees of the package: its globals, and when it may end. */

import { execFile, spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { equal, ok } from '../assert.ts';

/** Runs a module in a process of its own, and resolves with what it printed once it has ended by itself. */
async function run(source: string, complaint = /^$/): Promise<string> {
  // Beside this script, where 'clca' is this package.
  const path = fileURLToPath(new URL(`process-${crypto.randomUUID()}.mjs`, import.meta.url));
  await writeFile(path, source);
  try {
    const child = spawn(process.execPath, [path], { timeout: 60_000 });
    let printed = '';
    let complained = '';
    child.stdout.on('data', (data) => (printed += data));
    child.stderr.on('data', (data) => (complained += data));
    const code = await new Promise((resolve) => child.on('close', resolve));
    ok(code === 0 && complaint.test(complained), `it ended with ${code}: ${complained}`);
    return printed;
  } finally {
    await rm(path);
  }
}

test('importing touches no global of a browser, and defines none', async () => {
  equal(await run(`
    const names = ['window', 'document', 'self', 'location', 'navigator', 'Worker', 'SharedWorker', 'BroadcastChannel',
      'MessageChannel', 'addEventListener', 'postMessage', 'fetch', 'crypto', 'indexedDB', 'localStorage'];
    for (const name of names) {
      const get = () => { throw new Error(name + ' was touched'); };
      Object.defineProperty(globalThis, name, { configurable: true, get });
    }
    const before = Object.getOwnPropertyNames(globalThis).sort().join();
    Object.preventExtensions(globalThis);
    const { createHub, connect, serve } = await import('clca');
    await import('clca/client');
    console.log(typeof createHub, typeof connect, typeof serve);
    console.log(Object.getOwnPropertyNames(globalThis).sort().join() === before);
  `), 'function function function\ntrue\n');
});

test('a program that is given by the command line has a hub in a Worker too', async () => {
  const program = "const hub = await (await import('clca')).createHub({ where: 'worker' }); console.log(await hub.signal('s').signal()); await hub.close();";
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)), timeout: 60_000,
  });
  equal(await run, { stdout: '0\n', stderr: '' });
});

test('a hub defines no global', async () => {
  equal(await run(`
    import { createHub } from 'clca';
    await fetch('data:,'); // some globals of Node appear when they are first used
    void crypto; void performance; void WebAssembly;
    const before = Object.getOwnPropertyNames(globalThis).sort().join();
    const hub = await createHub();
    await hub.signal('s').signal();
    console.log(Object.getOwnPropertyNames(globalThis).sort().join() === before);
    await hub.close();
  `), 'true\n');
});

test("Node's Web Locks are left alone: threads that wait for some keep waking each other in many versions", async () => {
  equal(await run(`
    import { connect, createHub } from 'clca';
    const asked = [];
    const locks = new Proxy({}, { get: (_, name) => (asked.push(name), async () => {}) });
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { userAgent: 'Node.js/24', locks } });
    const hub = await createHub();
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    const client = await connect(port2);
    await client.signal('s').signal();
    console.log(asked);
    await hub.close();
  `), '[]\n');
});

for (const where of ['here', 'worker']) {
  test(`a hub does not keep the process alive while nothing is pending: ${where}`, async () => {
    equal(await run(`
      import { createHub, connect } from 'clca';
      const hub = await createHub({ where: '${where}' });
      const { port1, port2 } = new MessageChannel();
      hub.attach(port1);
      const other = await connect(port2);
      console.log(await other.signal('s').signal(), await hub.signal('s').signal());
    `), '0 0\n');
  });

  test(`what is pending keeps the process alive until it is done: ${where}`, async () => {
    equal(await run(`
      import { createHub } from 'clca';
      const hub = await createHub({ where: '${where}' });
      await hub.checkpoint('c').wait();
      console.log('passed');
      const ref = await hub.sharedResource('r', { start: () => 'live' }).acquire();
      await ref.release();
      console.log('released');
      await hub.close();
      console.log('closed');
    `), 'passed\nreleased\nclosed\n');
  });
}

/** The start of a module that can run others in threads. */
const threads = `
  import { createHub } from 'clca';
  import { Worker } from 'node:worker_threads';
  const head = "import { connect } from " + JSON.stringify(import.meta.resolve('clca')) + ";const hub = await connect();";
  const thread = (source) => new Worker(new URL('data:text/javascript,' + encodeURIComponent(head + source)));
  const becomes = async (read, expected) => {
    while ((await read()) !== expected) await new Promise((resolve) => setTimeout(resolve));
  };`;

test('a worker thread that is let in may end by itself', async () => {
  equal(await run(`${threads}
    const hub = await createHub();
    const worker = thread("await hub.stats(); hub.signal('never').wait({ timeout: 1 }).catch(() => {})");
    const ended = new Promise((resolve) => worker.on('exit', resolve));
    hub.attach(worker);
    await ended;
    await becomes(async () => (await hub.stats()).sessions, 1);
    console.log('gone');
  `), 'gone\n');
});

test('a worker thread that is terminated gives back all that it had', async () => {
  equal(await run(`${threads}
    const hub = await createHub();
    const worker = thread("hub.signal('s').wait(); hub.checkpoint('c').arm(); hub.checkpoint('d').wait();" +
      "hub.sharedTask('t', () => new Promise(() => {})).wait();" +
      "await hub.sharedResource('r', { start: () => 'theirs' }).acquire()");
    const armed = hub.checkpoint('d').arm();
    hub.attach(worker);
    await becomes(async () => (await hub.sharedResource('r', { start() {} }).stats()).state, 'live');
    const ref = await hub.sharedResource('r', { start: () => 'mine' }).acquire();
    const task = hub.sharedTask('t', () => 'mine').wait();
    await armed;
    console.log(ref.value, (await hub.stats()).calls);
    await worker.terminate();
    console.log(await task);
    await becomes(async () => (await hub.stats()).sessions, 1);
    console.log(ref.lost.reason.name, await hub.signal('s').signal(), await hub.checkpoint('d').resume());
    await hub.checkpoint('c').wait();
  `), 'theirs 8\nmine\nOwnerLostError 0 0\n');
});

for (const where of ['here', 'worker']) {
  test(`a panic rejects what is pending in every thread: ${where}`, async () => {
    const printed = await run(`${threads}
      const hub = await createHub({ where: '${where}', wasm: new URL('dies.wasm', import.meta.url) });
      const worker = thread("import { parentPort } from 'node:worker_threads';" +
        "hub.signal('s').wait().catch((error) => parentPort.postMessage({ said: String(error) }));");
      const far = new Promise((resolve) => worker.on('message', ({ said }) => said && resolve(said)));
      hub.attach(worker);
      await becomes(async () => (await hub.signal('s').stats()).waiting, 1);
      const near = hub.signal('s').wait().catch(String);
      hub.signal('panics').signal().catch(() => {});
      console.log([await near, await far, String(await hub.closed)].join('\\n'));
    `, /^exit code: 2\n$/);
    equal(printed.match(/^HubLostError: .*it had to be/gm)?.length, 3, printed);
  });
}

test('a million calls are outstanding and settle at once', async () => {
  // In a process of its own, where node:test does not follow every promise.
  equal(await run(`
    import { createHub } from 'clca';
    const hub = await createHub();
    const signal = hub.signal('s');
    let woken = 0;
    const wake = () => void woken++;
    for (let i = 0; i < 1_000_000; i++) void signal.wait().then(wake);
    console.log((await signal.stats()).waiting, await signal.signal());
    await new Promise((resolve) => setTimeout(resolve));
    console.log(woken, await signal.signal(), (await hub.stats()).calls);
  `), '1000000 1000000\n1000000 0 0\n');
});

test('a mistaken module is a rejection that says so', async () => {
  const printed = await run(`
    import { createHub } from 'clca';
    for (const wasm of ['nowhere.wasm', new Uint8Array(8), new URL('data:application/wasm,x')]) {
      await createHub({ wasm }).catch((error) => console.log(error.name, error.code));
    }
    console.log(await (await createHub()).signal('s').signal());
  `);
  ok(printed === 'LoadError LOAD\nLoadError LOAD\nLoadError LOAD\n0\n', printed);
});
