// Run by large-answers.timing.test.ts: asks the same on eight connections again and again and reads all of it.
import { connect } from 'node:net';

/** What it is told as its only argument. */
export interface FloodingTask {
  port: number;
  /** A whole request. */
  text: string;
  connections: number;
}

const { port, text, connections } = JSON.parse(process.argv[2] ?? '') as FloodingTask;
const HEAD_ENOUGH_BYTES = 1024;
let answers = 0;

for (let n = 0; n < connections; n += 1) {
  let left = -1;
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  socket.on('data', (chunk: Buffer) => {
    if (left === -1) {
      const head = chunk.subarray(0, HEAD_ENOUGH_BYTES).toString('latin1');
      const bodyBytes = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      left = bodyBytes + head.indexOf('\r\n\r\n') + 4;
    }
    left -= chunk.length;
    if (left > 0) return;
    left = -1;
    answers += 1;
    process.send?.(answers);
    socket.write(text);
  });
  socket.on('error', () => undefined);
}
process.on('disconnect', () => process.exit());
