// Run by chain-memory.test.ts as a process of its own: connects as often as it is told, prints its memory in between.
import http from 'node:http';
import https from 'node:https';

import { Deadline } from '../../../../src/core/base/deadline.js';
import { testResolver } from '../../../support/test-resolver.js';
import { directRoute } from '../../../../src/core/net/http/agents.js';
import { SafeHttpClient } from '../../../../src/core/net/http/safe-http-client.js';
import { testPolicy } from '../../notary/federation/federation-setup.js';

/** What the process is told as its only argument. */
export interface ConnectingTask {
  port: number;
  caPem: string;
  connections: number;
}

/** What it prints: memory beside JavaScript's heap after collection, first and after each tenth of the connections. */
export interface ConnectingReport {
  nativeBytes: number[];
}

const AT_ONCE = 10;
const { port, caPem, connections } = JSON.parse(process.argv[2] ?? '') as ConnectingTask;
const options = {
  resolver: testResolver(),
  policy: testPolicy(['127.0.0.1']),
  ca: [caPem],
  minTlsVersion: 'TLSv1.2',
  maxHandshakeBytes: 32 * 1024,
  connectTimeoutMs: 10_000,
  userAgent: 'Vidimus',
} as const;
const httpClient = new SafeHttpClient(options);
const { agents } = directRoute(options);
const place = { host: '127.0.0.1', port, path: '/' };

async function fetchKey(): Promise<void> {
  const deadline = new Deadline(10_000);
  try {
    const request = { ...place, hostHeader: '127.0.0.1', tlsName: '127.0.0.1', maxBodyBytes: 100, deadline };
    await httpClient.fetchBounded(request);
  } finally {
    deadline.close();
  }
}

const fetchPage = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const read = (response: http.IncomingMessage): void => {
      response.resume().once('close', resolve);
    };
    https.get({ ...place, agent: agents.https }, read).once('error', reject);
  });

async function connectMany(count: number): Promise<void> {
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? fetchKey() : fetchPage())));
  }
}

function collectedNativeBytes(): number {
  globalThis.gc?.();
  const { rss, heapTotal } = process.memoryUsage();
  return rss - heapTotal;
}

await connectMany(connections / 10);
const nativeBytes = [collectedNativeBytes()];
for (let tenth = 1; tenth < 10; tenth += 1) {
  await connectMany(connections / 10);
  nativeBytes.push(collectedNativeBytes());
}
process.stdout.write(JSON.stringify({ nativeBytes } satisfies ConnectingReport));
process.exit();
