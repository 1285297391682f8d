// Prints the size of each file, raw and compressed; with --write it also leaves file.gz and file.br beside it.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const write = process.argv[2] === '--write';
console.log(['file'.padEnd(20), 'raw', 'gzip', 'brotli'].map((s) => s.padStart(10)).join(' '));
for (const file of process.argv.slice(write ? 3 : 2)) {
  const raw = readFileSync(file);
  const gz = gzipSync(raw, { level: 9 });
  const br = brotliCompressSync(raw, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length },
  });
  console.log(basename(file).padEnd(20), ...[raw, gz, br].map((b) => String(b.length).padStart(10)));
  if (write) {
    writeFileSync(`${file}.gz`, gz);
    writeFileSync(`${file}.br`, br);
  }
}
