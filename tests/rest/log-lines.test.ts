import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { respondStatus } from '../support/origins/key-origin.js';
import { linesOf } from '../support/log-lines.js';
import { getKeys, postKey } from '../support/clients/notary-client.js';
import { sendRaw } from '../support/clients/raw-http.js';
import { startRemoteServer, type RemoteServer } from '../support/origins/remote-server.js';
import { PATIENCE_MS } from '../support/patience.js';
import { setNotary } from '../support/world.js';

describe('what gets out', () => {
  const { authority, service } = setNotary({
    settings: { dns: { hosts: { 'inside.example': ['127.0.0.1'] } } },
  });
  let remote: RemoteServer;

  beforeAll(async () => {
    remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 3_600_000 });
  });
  afterAll(() => remote.origin.close());

  it('log lines hold no token, wherever a client puts one', async () => {
    const headers = { Authorization: 'Bearer secret-1', Cookie: 'token=secret-2' };
    const ask = (path: string, method = 'GET') => getKeys(service.url, path, { method, headers });
    const answers = [
      await ask('query/a.example?access_token=secret-3&x=1'),
      await ask('query/a.example/b?x=1&access_token=secret-4'),
      await ask('query/a.example?access%5Ftoken=secret-9'),
      await ask('nowhere?token=secret-5'),
      await ask('query?ACCESS_TOKEN=secret-6', 'PUT'),
      await ask('query/a%?access_token=secret-7'),
      await ask('query/access_token=secret-10'),
      await ask('nowhere/Bearer%20secret-11/x'),
      await ask('query/access_token=secret-12/syt_secret-13_abcdefgh'),
      await ask('nowhere?x=vid_secret-14_abcdefgh'),
      await ask('query/a.example?loginToken=vid_secret-15_abcdefgh&minimum_valid_until_ts=1'),
      await ask('nowhere?syt_secret-16_abcdefgh'),
    ];
    await linesOf(service, answers);
    await sendRaw(service.url, 'GARBAGE /?access_token=secret-8\r\n\r\n');
    await sendRaw(service.url, 'GET ftp://u:secret-17@a.example/ HTTP/1.1\r\nHost: a\r\n\r\n');
    const lines = JSON.stringify(service.logs);
    expect(lines).toContain('/query/a.example?access_token=[redacted]');
    expect(lines).toContain('?loginToken=[redacted]&minimum_valid_until_ts=1"');
    expect(lines).not.toContain('secret');
  });

  it('log lines hold no more of a deprecated query than names may be long', async () => {
    await getKeys(service.url, `query/${'a'.repeat(3000)}/${'b'.repeat(3000)}`);
    const line = service.logs.findLast(({ msg }) => msg?.startsWith('deprecated') === true);
    expect([String(line?.['server_name']), String(line?.['key_id'])].map(({ length }) => length)).toEqual([
      255, 255,
    ]);
  });

  it.each([
    [
      `url=${encodeURIComponent('https://u:hidden-1@reset.example:8/hidden-2?t=hidden-3#hidden-4')}`,
      'reset.example:8',
    ],
    ['%75rl=http%3A%2F%2Freset.example%2Fhidden-5&ts=1&x=hidden-6', 'reset.example'],
    ['url=hidden-7', '[redacted]'],
  ])('of an address to preview, log lines hold the host only: %s', async (query, shown) => {
    await fetch(`${service.url}/_svc/media/v3/preview_url?${query}`);
    await vi.waitFor(() => {
      const line = service.logs.at(-1);
      expect(line?.['target']).toBe(`/_svc/media/v3/preview_url?url=${shown}`);
    }, PATIENCE_MS);
    expect(JSON.stringify(service.logs)).not.toContain('hidden-');
  });

  it('log lines cannot be forged with line breaks in names', async () => {
    const before = service.logs.length;
    const path = 'query/a%0A%7B%22level%22%3A%22fatal%22%7D/b%0D%0Ac';
    await linesOf(service, [await getKeys(service.url, path)]);
    expect(service.logs.slice(before).map((line) => line.level)).toEqual(['warn', 'info']);
  });

  it.each([
    ['a closed port', () => 'inside.example:1'],
    ['a blocked address', () => '10.0.0.1:1'],
    [
      'a wrong certificate',
      (origin: RemoteServer) => origin.serverName.replace('127.0.0.1', 'inside.example'),
    ],
    ['an error status', (origin: RemoteServer) => origin.serverName],
  ])('answers tell nothing of why a fetch failed: %s', async (_what, nameOf) => {
    remote.origin.respond = respondStatus(500);
    const answer = await postKey(service.url, nameOf(remote));
    expect([answer.status, answer.text]).toEqual([200, '{"server_keys":[]}']);
  });
});
