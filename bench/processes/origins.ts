import https from 'node:https';
import net, { type AddressInfo } from 'node:net';

import { startDnsServer } from '../../tests/support/origins/dns-server.js';
import { makeKeyRecord, makeTestKey } from '../../tests/support/origins/key-record-maker.js';
import { createTestCa } from '../../tests/support/origins/test-ca.js';
import { serveJobs } from '../support/child.js';

/** Remote servers to make: their names all lead to this process. */
export interface OriginsJob {
  hosts: string[];
  /** Names whose name server never answers. */
  silentHosts: string[];
  keyId: string;
  validUntilTs: number;
}

export interface OriginsOutcome {
  caPem: string;
  /** `address:port` of a DNS server that knows the hosts. */
  dns: string;
  /** Where each of them answers, over TLS. */
  port: number;
  /** Where connections are taken and nothing ever comes back. */
  blackHolePort: number;
}

const OWN_KEYS_PATH = '/_svc/key/v2/server';
const OLD_KEY_EVERY = 5;

/** The record each server publishes, under its name with and without a port. */
function recordsOf(job: OriginsJob, port: number): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (const [index, host] of job.hosts.entries()) {
    const key = makeTestKey(job.keyId.slice('ed25519:'.length));
    const oldKeys =
      index % OLD_KEY_EVERY === 0 ? [{ key: makeTestKey('a_Old1'), expiredTs: job.validUntilTs - 9e9 }] : [];
    for (const serverName of [host, `${host}:${port}`]) {
      const record = { serverName, keys: [key], oldKeys, validUntilTs: job.validUntilTs };
      records.set(serverName, makeKeyRecord(record));
    }
  }
  return records;
}

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve));
  return (server.address() as AddressInfo).port;
}

serveJobs(async (job: OriginsJob): Promise<OriginsOutcome> => {
  const domains = [...new Set(job.hosts.map((host) => `*.${host.slice(host.indexOf('.') + 1)}`))];
  const ca = await createTestCa();
  const certificate = await ca.leaf({ names: domains });
  let records = new Map<string, Buffer>();
  const server = https.createServer(certificate, (request, response) => {
    const record = records.get(request.headers.host ?? '');
    if (request.url !== OWN_KEYS_PATH || record === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(record);
  });
  const port = await listen(server);
  records = recordsOf(job, port);
  const blackHolePort = await listen(net.createServer((socket) => socket.on('error', () => {})));
  const dns = await startDnsServer();
  for (const host of job.hosts) dns.zones.set(host, { A: ['127.0.0.1'] });
  for (const host of job.silentHosts) dns.zones.set(host, { failure: 'silence' });
  return { caPem: ca.caPem, dns: dns.address, port, blackHolePort };
});
