import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import { startKeyOrigin, type KeyOrigin, type Respond } from '../../../support/origins/key-origin.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { createTestClient, fetchOutcome } from './federation-setup.js';

const NAMES = ['name.example', 'd.example'];
const KEYS = '{"keys":1}';

let ca: TestCa;
let dns: DnsServer;
const origins: KeyOrigin[] = [];
/** Connections that are closed as soon as the record is asked for. */
const closing = new WeakSet<object>();

/** One server for documents and records. */
async function origin(document: Respond): Promise<KeyOrigin> {
  const respond: Respond = (request, response) => {
    if (request.url?.startsWith('/.well-known') === true) document(request, response);
    else if (closing.has(request.socket)) request.socket.destroy();
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(KEYS);
  };
  const started = await startKeyOrigin({ certificate: await ca.leaf({ names: NAMES }), respond });
  origins.push(started);
  return started;
}

const noDocument: Respond = (_request, response) => void response.writeHead(404).end('nothing here');
const delegation =
  (to: () => string): Respond =>
  (_request, response) =>
    void response.writeHead(200).end(JSON.stringify({ 'svc.server': to() }));

const clientOf = ({ port }: KeyOrigin) =>
  createTestClient({ caPem: ca.caPem, dns: dns.address, wellKnownPort: port, defaultPort: port }).client;

beforeAll(async () => {
  ca = await createTestCa();
});
beforeEach(async () => {
  dns = await startDnsServer({ 'name.example': { A: ['127.0.0.1'] }, 'd.example': { A: ['127.0.0.1'] } });
});
afterEach(async () => {
  await dns.close();
  await Promise.all(origins.splice(0).map((started) => started.close()));
});

describe('the connection that brought the document', () => {
  it('brings the record, too, where no document is', async () => {
    const server = await origin(noDocument);
    const { result, steps } = await fetchOutcome(clientOf(server), 'name.example');
    expect(result?.body.toString()).toBe(KEYS);
    expect(server.connections).toBe(1);
    expect(server.hits.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'close']);
    expect(result?.connection).toMatchObject({ address: '127.0.0.1', port: server.port });
    expect(steps.slice(-4)).toMatchObject([
      { name: 'address', ms: 0, detail: { addresses: '127.0.0.1' } },
      { name: 'connect', ms: 0, detail: { address: '127.0.0.1', port: server.port } },
      { name: 'tls', ms: 0, detail: { certificateNames: 'DNS:name.example DNS:d.example' } },
      { name: 'response', status: 'ok' },
    ]);
  });

  it('brings the record where the name is delegated to the same server', async () => {
    const server = await origin(delegation(() => `name.example:${server.port}`));
    const { result } = await fetchOutcome(clientOf(server), 'name.example');
    expect(result?.via).toBe('well-known-port');
    expect(server.connections).toBe(1);
  });

  it('is not used for another name, whose certificate is to be checked', async () => {
    const server = await origin(delegation(() => `d.example:${server.port}`));
    expect((await fetchOutcome(clientOf(server), 'name.example')).error).toBeNull();
    expect(server.connections).toBe(2);
    expect(server.hits.map(({ sni, isSessionReused }) => [sni, isSessionReused])).toEqual([
      ['name.example', false],
      ['d.example', false],
    ]);
  });

  it('is not used for another port', async () => {
    const other = await origin(noDocument);
    const server = await origin(delegation(() => `name.example:${other.port}`));
    expect((await fetchOutcome(clientOf(server), 'name.example')).error).toBeNull();
    expect([server.connections, other.connections]).toEqual([1, 1]);
  });

  it.each<[string, Respond]>([
    [
      'that the server closes',
      (_request, response) => void response.writeHead(404, { Connection: 'close' }).end(),
    ],
    ['whose answer has not ended', (_request, response) => void response.writeHead(404).write('nothing')],
    [
      'whose answer is larger than documents are',
      (_request, response) => void response.writeHead(404).end(Buffer.alloc(60_000)),
    ],
    [
      'that is closed when it comes again',
      (request, response) => {
        response.writeHead(404).end();
        closing.add(request.socket);
      },
    ],
  ])('gives way to a new one: one %s', async (_title, document) => {
    const server = await origin(document);
    const { result } = await fetchOutcome(clientOf(server), 'name.example');
    expect(result?.body.toString()).toBe(KEYS);
    expect(server.connections).toBe(2);
  });
});
