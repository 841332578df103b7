import { beforeAll, describe, expect, it } from 'vitest';

import { ask, createToken } from '../../../support/clients/preview-client.js';
import { linesOf } from '../../../support/log-lines.js';
import { startPreviewKit, tagged } from './preview-kit.js';
import { setUp } from '../../../support/set-up.js';

const PATHS = ['media/r0', 'media/v1', 'media/v3', 'client/v1/media'].map(
  (folder) => `/_svc/${folder}/preview_url`,
);
const PATH = '/_svc/media/r0/preview_url';

const kit = setUp(startPreviewKit);
let bearer: { headers: { Authorization: string } };

beforeAll(async () => {
  bearer = { headers: { Authorization: `Bearer ${kit.token}` } };
  kit.serve('/ok', tagged({ 'og:title': 'Fine' }));
  kit.serve('/ä', tagged({ 'og:title': 'Umlaut' }));
  kit.site.pages.set('/%C3%A4', kit.site.pages.get('/ä')!);
});

const ok = () => `url=${encodeURIComponent(kit.url('/ok'))}`;
const withHeader = (authorization: string) =>
  ask(kit.service, `${PATH}?${ok()}`, { headers: { authorization } });

describe('credentials', () => {
  it('none is 401 M_MISSING_TOKEN, before parameters are looked at', async () => {
    for (const query of ['', '?', '?ts=x', `?${ok()}`]) {
      const { status, body } = await ask(kit.service, PATH + query);
      expect(status).toBe(401);
      expect(body).toEqual({ errcode: 'M_MISSING_TOKEN', error: 'Missing access token' });
    }
  });

  it('an unknown one is 401 M_UNKNOWN_TOKEN with soft_logout', async () => {
    const { status, body } = await withHeader('Bearer nobody');
    expect(status).toBe(401);
    expect(body).toEqual({
      errcode: 'M_UNKNOWN_TOKEN',
      error: 'Invalid access token passed.',
      soft_logout: false,
    });
  });

  it.each(['bearer TOKEN', 'BEARER TOKEN', 'Bearer  TOKEN', 'bEaReR   TOKEN'])(
    '"%s" is a token',
    async (header) => {
      expect((await withHeader(header.replace('TOKEN', kit.token))).status).toBe(200);
    },
  );

  it.each(['Basic x', 'Bearer', 'Bearer\tTOKEN', 'BearerTOKEN', 'Bearer TOKEN x', 'TOKEN'])(
    'the header "%s" is 401 M_MISSING_TOKEN',
    async (header) => {
      const { status, body } = await withHeader(header.replace('TOKEN', kit.token));
      expect(status).toBe(401);
      expect(body).toEqual({ errcode: 'M_MISSING_TOKEN', error: 'Invalid Authorization header.' });
    },
  );

  it('never reach the log, the site or an error', async () => {
    const answers = [
      await ask(kit.service, `${PATH}?${ok()}&access_token=${kit.token}`),
      await ask(kit.service, `${PATH}?url=x&access_token=${kit.token}`),
    ];
    await linesOf(kit.service, answers);
    expect(JSON.stringify(kit.service.logs)).not.toContain(kit.token);
    expect(JSON.stringify(kit.site.hits)).not.toContain(kit.token);
  });
});

describe('paths and methods', () => {
  it.each(PATHS)('GET %s answers', async (path) => {
    const { status, body } = await ask(kit.service, `${path}?${ok()}`, bearer);
    expect(status).toBe(200);
    expect(body['og:title']).toBe('Fine');
  });

  it.each(PATHS)('OPTIONS %s without credentials is 200 {} with Allow', async (path) => {
    const { status, text, headers } = await ask(kit.service, path, { method: 'OPTIONS' });
    expect(status).toBe(200);
    expect(text).toBe('{}');
    expect(headers.get('allow')).toBe('OPTIONS, GET');
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(headers.get('access-control-allow-methods')).toContain('GET');
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('%s is 405 with Allow', async (method) => {
    const { status, body, headers } = await ask(kit.service, `${PATH}?${ok()}`, { ...bearer, method });
    expect(status).toBe(405);
    expect(body).toEqual({ errcode: 'M_UNRECOGNIZED', error: 'Unrecognized request' });
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it.each(['/_svc/media/r1/preview_url', '/_svc/media/v3/preview_urls', '/_matrix/media/v3/preview_url'])(
    '%s is a JSON 404',
    async (path) => {
      const { status, body } = await ask(kit.service, path, bearer);
      expect(status).toBe(404);
      expect(body['errcode']).toBe('M_UNRECOGNIZED');
    },
  );
});

describe('headers of every answer', () => {
  it('say CORS, no caching and JSON, on success and on every kind of error', async () => {
    kit.serve('/pdf', (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/pdf' }).end('x'),
    );
    const target = (query: string) => ask(kit.service, `${PATH}?${query}`, bearer);
    const answers = [
      await target(ok()),
      await ask(kit.service, PATH),
      await target(''),
      await target(`${ok()}&ts=x`),
      await target('url=http://10.0.0.1/'),
      await target('url=ftp://site.test/'),
      await target(`url=${encodeURIComponent(kit.url('/pdf'))}`),
      await ask(kit.service, PATH, { ...bearer, method: 'POST' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 400, 400, 403, 500, 502, 405]);
    for (const { body } of answers.slice(1)) expect(Object.keys(body)).toEqual(['errcode', 'error']);
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PUT, DELETE, OPTIONS');
      expect(headers.get('access-control-allow-headers')).toBe(
        'X-Requested-With, Content-Type, Authorization, Date',
      );
      expect(headers.get('cache-control')).toBe('no-cache, no-store, must-revalidate');
      expect(headers.get('content-type')).toBe('application/json');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

describe('parameters', () => {
  const target = (query: string) => ask(kit.service, `${PATH}?${query}`, bearer);

  it('no url is 400 M_MISSING_PARAM, before ts is looked at', async () => {
    for (const query of ['', 'ts=x', 'URL=http://a/']) {
      const { status, body } = await target(query);
      expect(status).toBe(400);
      expect(body).toEqual({
        errcode: 'M_MISSING_PARAM',
        error: "Missing string query parameter 'url'",
      });
    }
  });

  it.each(['1.5', 'abc', '', '1e3', ' 1', '0x10', '+1'])('ts=%s is 400', async (ts) => {
    const { status, body } = await target(`${ok()}&ts=${encodeURIComponent(ts)}`);
    expect(status).toBe(400);
    expect(body).toEqual({
      errcode: 'M_INVALID_PARAM',
      error: "Query parameter 'ts' must be an integer",
    });
  });

  it.each(['-1', '0', '9007199254740993', '99999999999999999999999', '-99999999999999999999999'])(
    'ts=%s is accepted, also when the store is asked',
    async (ts) => {
      const fresh = kit.serve(`/ts/${ts}`, tagged({ 'og:title': ts }));
      const { status, body } = await target(`url=${encodeURIComponent(fresh)}&ts=${ts}`);
      expect(status).toBe(200);
      expect(body['og:title']).toBe(ts);
    },
  );

  it.each(['http://[::1/', 'http://[zz/', 'http://a]b/', 'http://site.test/\u0000'])(
    '%j cannot be split: 400 M_INVALID_PARAM',
    async (url) => {
      const { status, body } = await target(`url=${encodeURIComponent(url)}`);
      expect(status).toBe(400);
      expect(body).toEqual({
        errcode: 'M_INVALID_PARAM',
        error: "Query parameter 'url' is not a valid URL",
      });
    },
  );

  it.each(['http://', 'http:///', 'http://site.test:99999/', '//site.test/', 'x', '%', 'http://a b/'])(
    '%j is refused with JSON, never an internal error',
    async (url) => {
      const { status, body } = await target(`url=${encodeURIComponent(url)}`);
      expect([400, 500, 502]).toContain(status);
      expect(body['error']).not.toBe('Internal server error');
    },
  );

  it.each([
    ['bytes of Latin-1', '%E4'],
    ['half a character', '%C3'],
    ['a surrogate', '%ED%A0%80'],
    ['more bytes than a character needs', '%C0%AF'],
  ])('%s: no UTF-8, 400 M_INVALID_PARAM, and nothing is fetched', async (_what, path) => {
    const hits = kit.site.hits.length;
    const { status, body } = await target(`url=${kit.url('/')}${path}`);
    expect([status, body['errcode']]).toEqual([400, 'M_INVALID_PARAM']);
    expect(kit.site.hits).toHaveLength(hits);
  });
});

describe('previews switched off', () => {
  it('are 403 M_FORBIDDEN for users, 401 for others; OPTIONS answers', async () => {
    const off = await startPreviewKit({ settings: { url_preview_enabled: false } });
    try {
      const token = await createToken(off.service);
      const answer = await ask(off.service, `${PATH}?url=http://a/`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect(answer.status).toBe(403);
      expect(answer.body['errcode']).toBe('M_FORBIDDEN');
      expect((await ask(off.service, PATH)).status).toBe(401);
      expect((await ask(off.service, PATH, { method: 'OPTIONS' })).status).toBe(200);
    } finally {
      await off.remove();
    }
  });
});
