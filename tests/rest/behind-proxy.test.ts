import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { freePort } from '../support/origins/dns-server.js';
import { ask, createToken } from '../support/clients/preview-client.js';
import { startRemoteSite, type RemoteSite } from '../support/origins/remote-site.js';
import { startTestService, type LogLine, type TestService } from '../support/service.js';
import { PATIENCE_MS } from '../support/patience.js';

const LISTENER = { port: 0, bind_addresses: ['127.0.0.1'], x_forwarded: true };
const STRANGE = '2026-01-02_ABCDEFGHIJKLMNop';

let homeserver: RemoteSite;
let service: TestService;

beforeAll(async () => {
  homeserver = await startRemoteSite();
  service = await startTestService({
    settings: {
      dialect: 'matrix',
      auth: { homeserver_url: homeserver.url('/') },
      listeners: [{ ...LISTENER, resources: ['keys', 'previews', 'media'] }],
    },
  });
});
afterAll(async () => {
  await service.remove();
  await homeserver.close();
});

/** The log line of a request, told by a mark in its target. */
async function lineOf(mark: string): Promise<LogLine | undefined> {
  const find = () => service.logs.find((line) => String(line['target']).includes(mark));
  await expect.poll(find).toBeDefined();
  return find();
}

describe('X-Forwarded-For', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['10.0.0.1, 192.0.2.7', '192.0.2.7'],
    ['2001:db8::7', '2001:db8::7'],
    ['unknown', '127.0.0.1'],
    ['192.0.2.7, <b>me</b>', '127.0.0.1'],
    ['1'.repeat(4000), '127.0.0.1'],
  ])('%s counts as %s', async (stated, client) => {
    const mark = `mark-${Math.random()}`;
    await fetch(`${service.url}/_matrix/key/v2/query/${mark}.example`, {
      headers: { 'X-Forwarded-For': stated },
    });
    expect((await lineOf(mark))?.['client']).toBe(client);
  });
});

describe('media without a token, beside a homeserver', () => {
  it.each([
    ['media/v3/download/notary.test', 404],
    ['media/v1/download/other.test', 404],
    ['client/v1/media/download/notary.test', 401],
  ])('under %s is %i for an id that is not ours', async (path, status) => {
    const answer = await ask(service, `/_matrix/${path}/${STRANGE}?width=96&height=96`);
    expect(answer.status).toBe(status);
  });

  it('is 401 under an old path for what is ours, and for a wrong token', async () => {
    const { client } = service.context.parts.database;
    const ts = BigInt(service.clock.now());
    await client.media.create({
      data: {
        mediaId: STRANGE,
        contentType: 'image/png',
        sniffedType: 'image/png',
        sizeBytes: 1,
        sha256: '0'.repeat(64),
        createdTs: ts,
        userId: '@a:notary.test',
      },
    });
    const target = `/_matrix/media/v3/download/notary.test/${STRANGE}`;
    expect((await ask(service, target)).status).toBe(401);
    await client.media.deleteMany();
    const headers = { Authorization: 'Bearer strange' };
    homeserver.pages.set('/_matrix/client/v3/account/whoami', (_request, response) => {
      response.writeHead(401).end('{"errcode":"M_UNKNOWN_TOKEN","error":"no"}');
    });
    expect((await ask(service, target, { headers })).status).toBe(401);
  });
});

describe('a dead link', () => {
  it.each([
    ['a closed port', async () => `http://127.0.0.1:${await freePort()}/`],
    ['a name without address', () => Promise.resolve('http://nowhere.invalid/')],
    ['an error status', () => Promise.resolve(homeserver.url('/gone'))],
  ])('is a log line at info: %s', async (what, link) => {
    const token = await createToken(service);
    const url = `${await link()}?${encodeURIComponent(what)}`;
    const { status } = await ask(service, `/_matrix/media/v3/preview_url?url=${encodeURIComponent(url)}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(status).toBeGreaterThanOrEqual(500);
    await vi.waitFor(() => {
      const line = service.logs.findLast((entry) => entry['code'] === status);
      expect(line?.level).toBe('info');
    }, PATIENCE_MS);
    // Of requests: the sweep of media may meet the row without a file above.
    expect(service.logs.filter(({ level, code }) => level === 'error' && code !== undefined)).toEqual([]);
  });
});
