import { execFile } from 'node:child_process';
import net from 'node:net';
import { promisify } from 'node:util';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { listenOnFreshPort } from '../../../support/fresh-port.js';
import { respondJson, startKeyOrigin, type KeyOrigin } from '../../../support/origins/key-origin.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { tinyCertificate } from '../../../support/origins/tiny-certificate.js';
import { programFile } from '../../../support/own-process.js';
import type { HandshakingReport, HandshakingTask } from './handshaking-process.js';

/** Nearly 32 KiB. */
const FILLERS = 280;
/** The first rounds warm up. */
const ROUNDS = [1, 1, 1, 16];
const TIMES = 4;

let ca: TestCa;
let origin: KeyOrigin;
let gate: net.Server;
let gatePort: number;

beforeEach(async () => {
  ca = await createTestCa();
  const leaf = await ca.leaf({ names: ['127.0.0.1'] });
  const certificate = { ...leaf, cert: `${leaf.cert}\n${tinyCertificate().repeat(FILLERS)}` };
  origin = await startKeyOrigin({ certificate, respond: respondJson('{}') });
  // Lets nothing through to whoever asks before all of a round are there.
  const rounds = [...ROUNDS];
  let held: (() => void)[] = [];
  gate = net.createServer((asker) => {
    const inner = net.connect(origin.port, '127.0.0.1');
    asker.on('error', () => inner.destroy());
    inner.on('error', () => asker.destroy());
    asker.pipe(inner);
    held.push(() => void inner.pipe(asker));
    if (held.length < (rounds[0] ?? 0)) return;
    rounds.shift();
    // The origin's side of the handshakes is ready then.
    const now = held;
    held = [];
    inner.once('readable', () => now.forEach((open) => open()));
  });
  gatePort = await listenOnFreshPort(gate, '127.0.0.1');
});
afterEach(async () => {
  gate.close();
  await origin.close();
});

it('handshakes that are ready at the same moment hold the event loop no longer than one', async () => {
  const task: HandshakingTask = { port: gatePort, caPem: ca.caPem, rounds: ROUNDS };
  const program = await programFile('tests/core/net/http/handshaking-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(task)]);
  const { longestMs } = JSON.parse(stdout) as HandshakingReport;

  const [, , one = 0, many = Infinity] = longestMs;
  expect(many).toBeLessThan(TIMES * one);
});
