// Run by the tests beside it as a process of its own: a service on default settings with large records, and its memory.
import { postKeys } from '../../support/clients/notary-client.js';
import { createTestAuthority, startRemoteServer } from '../../support/origins/remote-server.js';
import { startTestService } from '../../support/service.js';

/** What it can be told. */
export type ServingOrder = 'look' | 'advance';

/** What it says of itself: first when it is ready, then after each order. */
export interface ServingReport {
  url: string;
  /** Asks 2.2 kB for 14.4 MB. */
  largeQuestion: string;
  /** A server with a small record. */
  smallName: string;
  rssBytes: number;
  /** The most so far. */
  peakRssBytes: number;
  /** Sockets open, listeners excluded. */
  sockets: number;
  keyQueries: number;
}

const LARGE_SERVERS = 60;
const PADDING_BYTES = 240_000;
const LOOK_INTERVAL_MS = 20;
const ADVANCE_MS = 30_000;
const YEAR_MS = 365 * 86_400_000;
const KEY_ID = 'ed25519:k1';

const authority = await createTestAuthority();
const service = await startTestService({ caPaths: [authority.caPath] });
const validUntilTs = service.clock.now() + YEAR_MS;
const large = await Promise.all(
  Array.from({ length: LARGE_SERVERS }, () =>
    startRemoteServer(authority, { validUntilTs, extra: { padding: 'x'.repeat(PADDING_BYTES) } }),
  ),
);
const small = await startRemoteServer(authority, { validUntilTs });
const largeQuestion = JSON.stringify({
  server_keys: Object.fromEntries(large.map(({ serverName }) => [serverName, { [KEY_ID]: {} }])),
});
for (const { serverName } of [...large, small]) {
  await postKeys(service.url, { server_keys: { [serverName]: { [KEY_ID]: {} } } });
}
await Promise.all([...large, small].map(({ origin }) => origin.close()));

let peakRssBytes = 0;
const measure = (): number => {
  const rssBytes = process.memoryUsage.rss();
  peakRssBytes = Math.max(peakRssBytes, rssBytes);
  return rssBytes;
};
setInterval(measure, LOOK_INTERVAL_MS).unref();

async function report(): Promise<void> {
  const { values } = await service.context.parts.metrics.keyQueries.get();
  const sockets = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const said: ServingReport = {
    url: service.url,
    largeQuestion,
    smallName: small.serverName,
    rssBytes: measure(),
    peakRssBytes,
    sockets,
    keyQueries: values.reduce((sum, { value }) => sum + value, 0),
  };
  process.send?.(said);
}

process.on('message', (order: ServingOrder) => {
  if (order === 'advance') service.clock.advance(ADVANCE_MS);
  void report();
});
process.on('disconnect', () => {
  void service
    .remove()
    .then(() => authority.remove())
    .finally(() => process.exit());
});
await report();
