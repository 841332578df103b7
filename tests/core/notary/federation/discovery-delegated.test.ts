import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { MATRIX_DIALECT } from '../../../../src/core/base/dialect.js';
import { freePort, startDnsServer, type DnsServer } from '../../../support/origins/dns-server.js';
import {
  respondJson,
  respondStatus,
  startKeyOrigin,
  type KeyOrigin,
  type Respond,
} from '../../../support/origins/key-origin.js';
import { createTestCa, type TestCa } from '../../../support/origins/test-ca.js';
import { createTestClient, fetchOutcome, type TestClientOptions } from './federation-setup.js';

const KEYS = respondJson('{"keys":1}');
const LOCAL = { A: ['127.0.0.1'] };

let ca: TestCa;
let dns: DnsServer;
const origins: KeyOrigin[] = [];

async function origin(names: string[], respond: Respond = KEYS): Promise<KeyOrigin> {
  const started = await startKeyOrigin({ certificate: await ca.leaf({ names }), respond });
  origins.push(started);
  return started;
}

/** An origin for the well-known document of `name.example`. */
function wellKnownOrigin(delegatedTo: string): Promise<KeyOrigin> {
  return origin(['name.example'], respondJson(JSON.stringify({ 'svc.server': delegatedTo })));
}

const client = (options: Partial<TestClientOptions> = {}) =>
  createTestClient({ caPem: ca.caPem, dns: dns.address, random: () => 0.5, ...options }).client;

const summary = (steps: { name: string; status: string }[]) =>
  steps.map(({ name, status }) => `${name} ${status}`);

beforeAll(async () => {
  ca = await createTestCa();
});
beforeEach(async () => {
  dns = await startDnsServer({ 'name.example': LOCAL, 'd.example': LOCAL, 'target.example': LOCAL });
});
afterEach(async () => {
  await dns.close();
  await Promise.all(origins.splice(0).map((started) => started.close()));
});

describe('delegation by well-known', () => {
  it('asks for the document with the name in Host and SNI', async () => {
    const document = await wellKnownOrigin('d.example:1');
    await fetchOutcome(client({ wellKnownPort: document.port }), 'name.example');
    expect(document.hits).toMatchObject([
      { path: '/.well-known/svc/server', host: 'name.example', sni: 'name.example' },
    ]);
  });

  it('connects to a delegated address without SNI', async () => {
    const server = await origin(['127.0.0.1']);
    const document = await wellKnownOrigin(server.serverName);
    const { error } = await fetchOutcome(client({ wellKnownPort: document.port }), 'name.example');
    expect(error).toBeNull();
    expect(server.hits).toMatchObject([{ host: server.serverName, sni: null }]);
  });

  it('connects to a delegated name with a port without asking for SRV', async () => {
    const server = await origin(['d.example']);
    const document = await wellKnownOrigin(`d.example:${server.port}`);
    const { error, steps } = await fetchOutcome(client({ wellKnownPort: document.port }), 'name.example');
    expect(error).toBeNull();
    expect(server.hits).toMatchObject([{ host: `d.example:${server.port}`, sni: 'd.example' }]);
    expect(dns.queries.some((query) => query.startsWith('SRV'))).toBe(false);
    expect(summary(steps)).toContain('srv skipped');
  });

  it('contacts the SRV target of the delegated name with Host, SNI and certificate of that name', async () => {
    const server = await origin(['d.example']);
    const document = await wellKnownOrigin('d.example');
    dns.zones.set('_svc-fed._tcp.d.example', { SRV: [{ target: 'target.example', port: server.port }] });
    const { error, steps } = await fetchOutcome(client({ wellKnownPort: document.port }), 'name.example');
    expect(error).toBeNull();
    expect(server.hits).toMatchObject([{ host: 'd.example', sni: 'd.example' }]);
    expect(summary(steps)).toEqual([
      'name ok',
      'well-known ok',
      'srv ok',
      'srv skipped',
      'address ok',
      'connect ok',
      'tls ok',
      'response ok',
    ]);
  });

  it('refuses a certificate that is only for the SRV target', async () => {
    const server = await origin(['target.example']);
    const document = await wellKnownOrigin('d.example');
    dns.zones.set('_svc-fed._tcp.d.example', { SRV: [{ target: 'target.example', port: server.port }] });
    const { error } = await fetchOutcome(client({ wellKnownPort: document.port }), 'name.example');
    expect(error?.reason).toBe('tls_wrong_name');
    expect(server.hits).toEqual([]);
  });

  it('ends at the default port of the delegated name, without a second document', async () => {
    const server = await origin(['d.example']);
    const document = await wellKnownOrigin('d.example');
    const options = { wellKnownPort: document.port, defaultPort: server.port };
    const { error } = await fetchOutcome(client(options), 'name.example');
    expect(error).toBeNull();
    expect(server.hits).toMatchObject([{ host: 'd.example', sni: 'd.example' }]);
    expect(document.hits).toHaveLength(1);
  });

  it('takes path, member and SRV names from the dialect', async () => {
    const server = await origin(['d.example']);
    const document = await origin(
      ['name.example'],
      respondJson('{"m.server":"d.example","svc.server":"x.example"}'),
    );
    dns.zones.set('_matrix-fed._tcp.d.example', { SRV: [{ target: 'target.example', port: server.port }] });
    const options = { wellKnownPort: document.port, dialect: MATRIX_DIALECT };
    expect((await fetchOutcome(client(options), 'name.example')).error).toBeNull();
    expect(document.hits[0]?.path).toBe('/.well-known/matrix/server');
    expect(server.hits[0]?.path).toBe('/_matrix/key/v2/server');
  });
});

describe('a record at the place of the document', () => {
  const DOCUMENT = '/.well-known/svc/server';

  /** Answers with both; `onRecord` may do something else with a request for the record. */
  async function both(names: string[], onRecord: Respond = KEYS): Promise<KeyOrigin> {
    const server: KeyOrigin = await origin(names, (request, response) => {
      const document = respondJson(JSON.stringify({ 'svc.server': `${names[0]}:${server.port}` }));
      (request.url === DOCUMENT ? document : onRecord)(request, response);
    });
    return server;
  }

  it('comes over the same connection', async () => {
    const server = await both(['name.example']);
    const { error, steps } = await fetchOutcome(client({ wellKnownPort: server.port }), 'name.example');
    expect(error).toBeNull();
    expect(server.hits.map(({ path }) => path)).toEqual([DOCUMENT, '/_svc/key/v2/server']);
    expect(server.connections).toBe(1);
    expect(summary(steps).slice(3)).toEqual(['address ok', 'connect ok', 'tls ok', 'response ok']);
  });

  it('comes over a connection of its own for another name', async () => {
    const server = await both(['d.example', 'name.example']);
    const { error } = await fetchOutcome(client({ wellKnownPort: server.port }), 'name.example');
    expect(error).toBeNull();
    expect(server.hits.map(({ sni }) => sni)).toEqual(['name.example', 'd.example']);
    expect(server.connections).toBe(2);
  });

  it('is not what the server sent beyond its document', async () => {
    const server: KeyOrigin = await origin(['name.example'], (request, response) => {
      if (request.url !== DOCUMENT) return KEYS(request, response);
      const more = () => request.socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"keys":2}');
      response.once('finish', () => setTimeout(more, 50));
      respondJson('{"svc.server":"name.example"}')(request, response);
    });
    const SRV = [{ target: 'name.example', port: server.port }];
    dns.zones.set('_svc-fed._tcp.name.example', { SRV, delayMs: 500 });
    const { result } = await fetchOutcome(client({ wellKnownPort: server.port }), 'name.example');
    expect(result?.toString()).toBe('{"keys":1}');
  });

  it('is waited for with no connection to the server of the document open', async () => {
    const server = await both(['d.example', 'name.example']);
    const { respond } = server;
    const closed = new Promise<void>((resolve) => {
      server.respond = (request, response) => {
        if (request.url === DOCUMENT) request.socket.once('close', () => resolve());
        respond(request, response);
      };
    });
    dns.zones.set('d.example', { failure: 'silence' });
    const asking = client({ wellKnownPort: server.port });
    const outcome = fetchOutcome(asking, 'name.example');
    await closed;
    expect(server.connections).toBe(1);
    asking.close();
    expect((await outcome).error?.reason).toBe('aborted');
  });

  it('is asked for once more when the server has closed the connection', async () => {
    const server = await both(['name.example'], (request, response) => {
      if (server.connections === 1) request.socket.destroy();
      else KEYS(request, response);
    });
    const { error } = await fetchOutcome(client({ wellKnownPort: server.port }), 'name.example');
    expect(error).toBeNull();
    expect(server.connections).toBe(2);
  });
});

describe('a well-known document that cannot be used', () => {
  const long = 'x'.repeat(60 * 1024);
  it.each<[string, Respond]>([
    ['404', respondStatus(404)],
    ['invalid JSON', respondJson('{"svc.server":')],
    ['no such member', respondJson('{"m.server":"d.example"}')],
    ['the member only on the prototype', respondJson('{"__proto__":{"svc.server":"d.example"}}')],
    ['bad grammar', respondJson('{"svc.server":"https://d.example/"}')],
    ['60 KiB', respondJson(`{"svc.server":"d.example","x":"${long}"}`)],
    ['a gzip body', respondJson('{"svc.server":"d.example"}', { 'Content-Encoding': 'gzip' })],
  ])('leaves the original name in force: %s', async (kind, respond) => {
    const server = await origin(['name.example']);
    const document = await origin(['name.example'], respond);
    const options = { wellKnownPort: document.port, defaultPort: server.port };
    const { error, steps } = await fetchOutcome(client(options), 'name.example');
    expect(error).toBeNull();
    expect(server.hits).toMatchObject([{ host: 'name.example', sni: 'name.example' }]);
    expect(document.hits).toHaveLength(1);
    expect(steps[1]).toMatchObject({ name: 'well-known', status: kind === '404' ? 'ok' : 'warning' });
  });
});

describe('SRV without well-known', () => {
  it('contacts the target with Host, SNI and certificate of the original name', async () => {
    const server = await origin(['name.example']);
    dns.zones.set('_svc-fed._tcp.name.example', { SRV: [{ target: 'target.example', port: server.port }] });
    const { error } = await fetchOutcome(client(), 'name.example');
    expect(error).toBeNull();
    expect(server.hits).toMatchObject([{ host: 'name.example', sni: 'name.example' }]);
  });

  it('uses the deprecated name when the current one does not exist', async () => {
    const server = await origin(['name.example']);
    dns.zones.set('_svc._tcp.name.example', { SRV: [{ target: 'target.example', port: server.port }] });
    expect((await fetchOutcome(client(), 'name.example')).error).toBeNull();
    expect(server.hits).toHaveLength(1);
  });

  it('says which name has records, however it was spelled before', async () => {
    const server = await origin(['name.example']);
    dns.zones.set('_svc-fed._tcp.name.example', { SRV: [{ target: 'target.example', port: server.port }] });
    const asking = client();
    const statuses = [];
    for (const name of ['name.example', 'Name.Example']) {
      const { error, steps } = await fetchOutcome(asking, name);
      expect(error).toBeNull();
      statuses.push(...steps.filter((step) => step.name === 'srv').map(({ status }) => status));
    }
    expect(statuses).toEqual(['ok', 'skipped', 'ok', 'skipped']);
  });

  it('asks for the deprecated name anew once its targets have failed', async () => {
    const server = await origin(['name.example']);
    const asking = client();
    const pointTo = (port: number) =>
      dns.zones.set('_svc._tcp.name.example', { SRV: [{ target: 'target.example', port }] });
    pointTo(await freePort());
    expect((await fetchOutcome(asking, 'name.example')).error?.reason).toBe('connection_refused');
    pointTo(server.port);
    expect((await fetchOutcome(asking, 'name.example')).error).toBeNull();
  });

  it('ends at the default port when there are none', async () => {
    const server = await origin(['name.example']);
    const { error } = await fetchOutcome(client({ defaultPort: server.port }), 'name.example');
    expect(error).toBeNull();
    expect(dns.queries.filter((query) => query.startsWith('SRV'))).toEqual([
      'SRV _svc-fed._tcp.name.example',
      'SRV _svc._tcp.name.example',
    ]);
  });

  it('tries the targets in order of priority and fails over to the next', async () => {
    const server = await origin(['name.example']);
    const dead = await freePort();
    dns.zones.set('_svc-fed._tcp.name.example', {
      SRV: [
        { target: 'target.example', port: server.port, priority: 20 },
        { target: 'target.example', port: dead, priority: 10 },
      ],
    });
    const { error, steps } = await fetchOutcome(client(), 'name.example');
    expect(error).toBeNull();
    const connects = steps.filter(({ name }) => name === 'connect').map(({ status }) => status);
    expect(connects).toEqual(['failed', 'ok']);
  });

  it('asks no further target once a server has answered with an error', async () => {
    const failing = await origin(['name.example'], respondStatus(503));
    const second = await origin(['name.example']);
    dns.zones.set('_svc-fed._tcp.name.example', {
      SRV: [
        { target: 'target.example', port: failing.port, priority: 1 },
        { target: 'target.example', port: second.port, priority: 2 },
      ],
    });
    expect((await fetchOutcome(client(), 'name.example')).error?.reason).toBe('http_status');
    expect([failing.hits.length, second.connections]).toEqual([1, 0]);
  });

  it('does not fall back to the deprecated name or the default port when all targets are dead', async () => {
    const alive = await origin(['name.example']);
    dns.zones.set('_svc-fed._tcp.name.example', {
      SRV: [{ target: 'target.example', port: await freePort() }],
    });
    dns.zones.set('_svc._tcp.name.example', { SRV: [{ target: 'target.example', port: alive.port }] });
    const { error } = await fetchOutcome(client({ defaultPort: alive.port }), 'name.example');
    expect(error?.reason).toBe('connection_refused');
    expect(alive.connections).toBe(0);
  });

  it('stops at the target "." without trying anything else', async () => {
    const alive = await origin(['name.example']);
    dns.zones.set('_svc-fed._tcp.name.example', { SRV: [{ target: '.', port: 0 }] });
    dns.zones.set('_svc._tcp.name.example', { SRV: [{ target: 'target.example', port: alive.port }] });
    const { error, steps } = await fetchOutcome(client({ defaultPort: alive.port }), 'name.example');
    expect(error?.reason).toBe('dns_no_service');
    expect(alive.connections).toBe(0);
    expect(steps.at(-1)).toMatchObject({
      name: 'srv',
      status: 'failed',
      detail: { reason: 'dns_no_service' },
    });
  });

  it.each(['SERVFAIL', 'REFUSED'] as const)('stops when the SRV look-up ends with %s', async (failure) => {
    const alive = await origin(['name.example']);
    dns.zones.set('_svc-fed._tcp.name.example', { failure });
    const { error } = await fetchOutcome(client({ defaultPort: alive.port }), 'name.example');
    expect(error?.reason).toBe('dns_failure');
    expect(alive.connections).toBe(0);
  });
});
