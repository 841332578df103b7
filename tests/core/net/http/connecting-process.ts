// Run by chain-memory.test.ts as a process of its own: connects as often as it is told, prints its memory in between.
import http from 'node:http';
import https from 'node:https';

import { Deadline } from '../../../../src/core/base/deadline.js';
import { DnsResolver } from '../../../../src/core/net/dns/dns-resolver.js';
import { createGuardedAgents } from '../../../../src/core/net/http/guarded-agents.js';
import { SafeHttpClient } from '../../../../src/core/net/http/safe-http-client.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { testPolicy } from '../../notary/federation/federation-setup.js';

/** What the process is told as its only argument. */
export interface ConnectingTask {
  port: number;
  caPem: string;
  connections: number;
  /** More growth than this ends it early. */
  maxGrowthBytes: number;
}

/** What it prints: RSS after collection, first and after each tenth of the connections. */
export interface ConnectingReport {
  rssBytes: number[];
}

const AT_ONCE = 10;
const { port, caPem, connections, maxGrowthBytes } = JSON.parse(process.argv[2] ?? '') as ConnectingTask;
const options = {
  resolver: new DnsResolver({ clock: new ManualClock(), servers: [], hosts: new Map() }),
  policy: testPolicy(['127.0.0.1']),
  ca: [caPem],
  minTlsVersion: 'TLSv1.2',
  maxHandshakeBytes: 32 * 1024,
  connectTimeoutMs: 10_000,
  userAgent: 'Vidimus',
} as const;
const httpClient = new SafeHttpClient(options);
const agents = createGuardedAgents(options);
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

function collectedRssBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

await connectMany(connections / 10);
const rssBytes = [collectedRssBytes()];
for (let tenth = 1; tenth < 10; tenth += 1) {
  await connectMany(connections / 10);
  rssBytes.push(collectedRssBytes());
  if (Math.max(...rssBytes) - Math.min(...rssBytes) > maxGrowthBytes) break;
}
process.stdout.write(JSON.stringify({ rssBytes } satisfies ConnectingReport));
process.exit();
