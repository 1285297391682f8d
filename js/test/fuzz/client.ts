/**
 * One client after the other, each fed with what an input says. FuzzClient starts this in Node; both sides speak in
 * frames, a length of four bytes and so many more: an input goes in, what was seen and what was wrong come out.
 */

import { Trial } from './trial.ts';

let buffered = Buffer.alloc(0);
let due = Promise.resolve();

process.stdin.on('data', (data: Buffer) => {
  buffered = Buffer.concat([buffered, data]);
  while (buffered.length >= 4 && buffered.length >= 4 + buffered.readUInt32LE()) {
    const end = 4 + buffered.readUInt32LE();
    const input = buffered.subarray(4, end);
    buffered = buffered.subarray(end);
    due = due.then(async () => answer(await Trial.run(input)));
  }
});

function answer({ seen, wrong }: Trial): void {
  const complaints = Buffer.from(wrong.join('\n'));
  const frame = Buffer.alloc(4 + 4 + seen.size + complaints.length);
  frame.writeUInt32LE(frame.length - 4, 0);
  frame.writeUInt32LE(seen.size, 4);
  frame.set([...seen], 8);
  frame.set(complaints, 8 + seen.size);
  process.stdout.write(frame);
}
