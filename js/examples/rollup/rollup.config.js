import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import resolve from '@rollup/plugin-node-resolve';

export default {
  input: {
    page: 'src/page.js',
    worker: 'src/worker.js',
    'shared-worker': 'clca/shared-worker',
  },
  output: { dir: 'dist' },
  plugins: [resolve(), besideTheScripts('clca/clca.wasm')],
};

/** Rollup leaves `new URL('./clca.wasm', import.meta.url)` as it is, so the module is emitted under its own name. */
function besideTheScripts(file) {
  const source = readFileSync(fileURLToPath(import.meta.resolve(file)));
  return {
    name: 'beside-the-scripts',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: file.split('/').at(-1), source });
    },
  };
}
