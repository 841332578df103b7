// Run by handshake-turns.timing.test.ts as a process of its own: begins handshakes at once, and prints how long they
// kept the event loop from its next turn.
import { Deadline } from '../../../../src/core/base/deadline.js';
import { testResolver } from '../../../support/test-resolver.js';
import { SafeHttpClient } from '../../../../src/core/net/http/safe-http-client.js';
import { longestTurnMs } from '../../../support/turns.js';
import { testPolicy } from '../../notary/federation/federation-setup.js';

/** What the process is told as its only argument. */
export interface HandshakingTask {
  port: number;
  caPem: string;
  /** How many at once, one round after the other. */
  rounds: number[];
}

/** What it prints, for each round. */
export interface HandshakingReport {
  longestMs: number[];
}

const { port, caPem, rounds } = JSON.parse(process.argv[2] ?? '') as HandshakingTask;
const client = new SafeHttpClient({
  resolver: testResolver(),
  policy: testPolicy(['127.0.0.1']),
  ca: [caPem],
  connectTimeoutMs: 60_000,
  userAgent: 'Vidimus',
});

async function fetchOnce(): Promise<void> {
  const deadline = new Deadline(60_000);
  const host = { host: '127.0.0.1', hostHeader: '127.0.0.1', tlsName: '127.0.0.1' };
  await client.fetchBounded({ ...host, port, path: '/', maxBodyBytes: 100, deadline });
  deadline.close();
}

const longestMs: number[] = [];
for (const atOnce of rounds)
  longestMs.push(await longestTurnMs(() => Promise.all(Array.from({ length: atOnce }, fetchOnce))));
process.stdout.write(JSON.stringify({ longestMs } satisfies HandshakingReport));
process.exit();
