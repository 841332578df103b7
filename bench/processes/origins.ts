import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';

import { startDnsServer } from '../../tests/support/origins/dns-server.js';
import { makeKeyRecord, makeTestKey } from '../../tests/support/origins/key-record-maker.js';
import { createTestCa } from '../../tests/support/origins/test-ca.js';
import { serveJobs } from '../support/child.js';

/** Remote servers to make: their names all lead to this process. */
export interface OriginsJob {
  hosts: string[];
  /** Those whose document delegates them to where it stands itself; of the others there is none. */
  delegatedHosts: string[];
  keyId: string;
  validUntilTs: number;
}

export interface OriginsOutcome {
  caPem: string;
  /** `address:port` of a DNS server that knows the hosts. */
  dns: string;
  /** Where each of them answers, over TLS. */
  port: number;
  /** Where their documents are asked for, over TLS. */
  documentPort: number;
  /** Where connections are taken and nothing ever comes back. */
  blackHolePort: number;
}

const OWN_KEYS_PATH = '/_svc/key/v2/server';
const DOCUMENT_PATH = '/.well-known/svc/server';
const OLD_KEY_EVERY = 5;

type Ports = Pick<OriginsOutcome, 'port' | 'documentPort'>;

/** What is answered, by the `Host` it is asked for with: the record each server publishes under its name with and without a port. */
function recordsOf(job: OriginsJob, { port, documentPort }: Ports): Map<string, Buffer> {
  const records = new Map<string, Buffer>();
  for (const serverName of job.delegatedHosts) {
    const key = makeTestKey(job.keyId.slice('ed25519:'.length));
    const record = { serverName, keys: [key], oldKeys: [], validUntilTs: job.validUntilTs };
    records.set(`${serverName}:${documentPort}`, makeKeyRecord(record));
  }
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
  const all = [...job.hosts, ...job.delegatedHosts];
  const domains = [...new Set(all.map((host) => `*.${host.slice(host.indexOf('.') + 1)}`))];
  const ca = await createTestCa();
  const certificate = await ca.leaf({ names: domains });
  const delegated = new Set(job.delegatedHosts);
  let records = new Map<string, Buffer>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { host = '' } = request.headers;
    const record = records.get(host);
    const json = { 'Content-Type': 'application/json' };
    if (request.url === OWN_KEYS_PATH && record !== undefined) response.writeHead(200, json).end(record);
    else if (request.url === DOCUMENT_PATH && delegated.has(host))
      response.writeHead(200, json).end(JSON.stringify({ 'svc.server': `${host}:${documentPort}` }));
    else response.writeHead(404).end();
  };
  const port = await listen(https.createServer(certificate, answer));
  const documentPort = await listen(https.createServer(certificate, answer));
  records = recordsOf(job, { port, documentPort });
  const blackHolePort = await listen(net.createServer((socket) => socket.on('error', () => {})));
  const dns = await startDnsServer();
  for (const host of all) dns.zones.set(host, { A: ['127.0.0.1'] });
  return { caPem: ca.caPem, dns: dns.address, port, documentPort, blackHolePort };
});
