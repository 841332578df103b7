import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { getKeys, postKey, postKeys } from '../../support/clients/notary-client.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { startTestService } from '../../support/service.js';
import { setNotary } from '../../support/world.js';

const EMPTY = '{"server_keys":[]}';

describe('key queries by path and method', () => {
  const { authority, service } = setNotary();
  let remote: RemoteServer;

  beforeAll(async () => {
    remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 3_600_000 });
    await postKey(service.url, remote.serverName);
  });
  afterAll(() => remote.origin.close());

  const counted = async (form: string): Promise<number> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const line = text.split('\n').find((l) => l.startsWith(`vidimus_key_queries_total{form="${form}"}`));
    return Number(line?.split(' ')[1] ?? 0);
  };
  const deprecationWarnings = () =>
    service.logs.filter((line) => line.level === 'warn' && String(line.msg).includes('deprecated'));

  it('answers all keys of a server never seen with an empty list, and asks nobody (SPEC §4.1)', async () => {
    const other = await startRemoteServer(authority, { validUntilTs: 1 });
    const answer = await getKeys(service.url, `query/${other.serverName}`);
    expect([answer.status, answer.text, other.hits()]).toEqual([200, EMPTY, 0]);
    await other.origin.close();
  });

  it('answers all keys, one key and POST of a known server with the same bytes (SPEC §4.1 to §4.3)', async () => {
    const all = await getKeys(service.url, `query/${remote.serverName}`);
    const one = await getKeys(service.url, `query/${remote.serverName}/ed25519:k1`);
    const posted = await postKey(service.url, remote.serverName);
    const postedAll = await postKeys(service.url, { server_keys: { [remote.serverName]: {} } });
    expect(all.records).toHaveLength(1);
    expect(new Set([all.text, one.text, posted.text, postedAll.text]).size).toBe(1);
    expect(remote.hits()).toBe(1);
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const paths = ['', '/ed25519:k1'].map((rest) => `query/${remote.serverName}${rest}`);
    for (const path of [...paths, 'server', 'server/x']) {
      const got = await getKeys(service.url, path);
      const head = await getKeys(service.url, path, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)));
      expect(head.headers.get('content-type')).toBe('application/json');
    }
  });

  it.each([
    ['a trailing slash', (name: string) => `${name}/`],
    ['a trailing slash behind a key id', (name: string) => `${name}/ed25519:k1/`],
    ['an encoded server name', (name: string) => name.replace(':', '%3A').replaceAll('.', '%2e')],
    ['an encoded key id', (name: string) => `${name}/ed25519%3Ak1`],
    ['a query on all keys, even a malformed one', (name: string) => `${name}?minimum_valid_until_ts=abc&%zz`],
    ['a huge minimum on all keys', (name: string) => `${name}?minimum_valid_until_ts=9${'0'.repeat(40)}`],
  ])('understands %s', async (_what, path) => {
    const before = remote.hits();
    const answer = await getKeys(service.url, `query/${path(remote.serverName)}`);
    expect([answer.status, answer.records.length, remote.hits()]).toEqual([200, 1, before]);
  });

  it.each([
    '',
    '%2F',
    'a%2Fb',
    '%00',
    'bad%20name',
    'host:http',
    'host:99999',
    'ex%C3%A4mple.org',
    'h_st',
    'u@host',
    'host%0d%0ax',
    'host?x',
    '__proto__',
    'constructor',
    'toString',
    '2130706433:1/ed25519:a',
    '%5B::1/ed25519:a',
    '127.1:1/ed25519:a',
    '%F0%9F%94%91/ed25519:a',
  ])('answers the name %j, which is none or unknown, with an empty list', async (path) => {
    const answer = await getKeys(service.url, `query/${path}`);
    expect([answer.status, answer.text]).toEqual([200, EMPTY]);
  });

  it.each(['query/%', 'query/%zz', 'query/%ff', 'query/a/%e0%a4', 'query/%c0%af'])(
    'refuses the broken escape in %j',
    async (path) => {
      const answer = await getKeys(service.url, path);
      expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { errcode: 'M_INVALID_PARAM' }]);
    },
  );

  it.each(['query/a/b/c', 'query/a/b/c/', 'query/a/b/c/d', 'nowhere', 'server/a/b', '', 'queryx/a'])(
    'answers the unknown path %j with 404',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const answer = await getKeys(service.url, path, { method });
        expect([answer.status, JSON.parse(answer.text)]).toEqual([
          404,
          { errcode: 'M_UNRECOGNIZED', error: 'Unrecognized request' },
        ]);
      }
    },
  );

  it.each([
    ['GET', 'query', 'POST, OPTIONS'],
    ['PUT', 'query', 'POST, OPTIONS'],
    ['POST', 'query/a', 'GET, HEAD, OPTIONS'],
    ['DELETE', 'query/a/b', 'GET, HEAD, OPTIONS'],
    ['PATCH', 'query/', 'GET, HEAD, OPTIONS, POST'],
    ['POST', 'server', 'GET, HEAD, OPTIONS'],
    ['PUT', 'server/ed25519:a', 'GET, HEAD, OPTIONS'],
  ])('refuses %s %s with 405 and says what is allowed', async (method, path, allowed) => {
    const answer = await getKeys(service.url, path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allowed);
    expect(JSON.parse(answer.text)).toEqual({ errcode: 'M_UNRECOGNIZED', error: 'Unrecognized request' });
  });

  it.each(['query', 'query/a', 'query/a/b', 'server'])(
    'answers OPTIONS %s with 204 and CORS',
    async (path) => {
      const answer = await getKeys(service.url, path, { method: 'OPTIONS' });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.get('access-control-allow-methods')).toBe(
        'GET, HEAD, POST, PUT, DELETE, OPTIONS',
      );
    },
  );

  it.each<[string, string, string, string | undefined, number]>([
    ['an answer', 'GET', 'query/x.example', undefined, 200],
    ['a POST', 'POST', 'query', '{"server_keys":{}}', 200],
    ['our own record', 'GET', 'server', undefined, 200],
    ['an unknown path', 'GET', 'nowhere', undefined, 404],
    ['a wrong method', 'PUT', 'query', '{}', 405],
    ['a broken escape', 'GET', 'query/%', undefined, 400],
    ['a bad body', 'POST', 'query', '{', 400],
  ])('sends CORS, no-cache and JSON headers with %s', async (_what, ...[method, path, body, expected]) => {
    const { status, headers } = await getKeys(service.url, path, { method, body });
    expect(status).toBe(expected);
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('cache-control')).toBe('no-cache, no-store, must-revalidate');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-headers')).toBe(
      'X-Requested-With, Content-Type, Authorization, Date',
    );
    expect(headers.get('x-request-id')).toMatch(/^[\w-]{12}$/);
    expect(headers.has('x-powered-by')).toBe(false);
  });

  it('logs and counts each use of the deprecated form, with server name and key id (SPEC §4.2)', async () => {
    const [warned, deprecated] = [deprecationWarnings().length, await counted('deprecated')];
    await getKeys(service.url, `query/${remote.serverName}/ed25519:k1`);
    await getKeys(service.url, 'query/other.example/ed25519:a%0Ab');
    await getKeys(service.url, `query/${remote.serverName}`);
    await postKey(service.url, remote.serverName);
    const fresh = deprecationWarnings().slice(warned);
    expect(fresh.map((line) => [line['server_name'], line['key_id']])).toEqual([
      [remote.serverName, 'ed25519:k1'],
      ['other.example', 'ed25519:a\nb'],
    ]);
    expect(await counted('deprecated')).toBe(deprecated + 2);
    expect(await counted('all')).toBeGreaterThan(0);
    expect(await counted('batch')).toBeGreaterThan(0);
  });
});

describe('request ids', () => {
  it('are taken from the header the listener names, into log and answer, and made when unfit', async () => {
    const listener = { port: 0, bind_addresses: ['127.0.0.1'], resources: ['keys'] };
    const service = await startTestService({
      settings: { listeners: [{ ...listener, request_id_header: 'X-Trace' }] },
    });
    const ask = (id: string) => getKeys(service.url, 'query/x.example', { headers: { 'x-trace': id } });
    expect((await ask('abc-123')).headers.get('x-request-id')).toBe('abc-123');
    expect((await ask('no spaces allowed')).headers.get('x-request-id')).toMatch(/^[\w-]{12}$/);
    expect((await ask('x'.repeat(129))).headers.get('x-request-id')).toMatch(/^[\w-]{12}$/);
    await service.stop();
    expect(service.logs.some((line) => line.msg === 'request' && line['request_id'] === 'abc-123')).toBe(
      true,
    );
    await service.remove();
  });

  it('of clients are not believed without that setting', async () => {
    const service = await startTestService();
    const headers = { 'x-request-id': 'mine', 'x-trace': 'mine' };
    const answer = await getKeys(service.url, 'query/x.example', { headers });
    expect(answer.headers.get('x-request-id')).not.toBe('mine');
    await service.remove();
  });
});
