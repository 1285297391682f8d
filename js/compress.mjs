// Prints the size of each file, raw and compressed; with --write it also leaves file.gz and file.br beside it.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** As a server would compress it once and for all. */
export function compressed(raw) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
  };
  return { gzip: gzipSync(raw, { level: 9 }), brotli: brotliCompressSync(raw, { params }) };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const write = process.argv[2] === '--write';
  console.log(['file'.padEnd(20), 'raw', 'gzip', 'brotli'].map((s) => s.padStart(10)).join(' '));
  for (const file of process.argv.slice(write ? 3 : 2)) {
    const raw = readFileSync(file);
    const { gzip, brotli } = compressed(raw);
    console.log(basename(file).padEnd(20), ...[raw, gzip, brotli].map((b) => String(b.length).padStart(10)));
    if (write) {
      writeFileSync(`${file}.gz`, gzip);
      writeFileSync(`${file}.br`, brotli);
    }
  }
}
