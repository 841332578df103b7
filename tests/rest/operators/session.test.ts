import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { linesOf } from '../../support/log-lines.js';
import { sendRaw } from '../../support/clients/raw-http.js';
import { startHomeserver } from '../../support/origins/homeserver.js';
import type { TestService } from '../../support/service.js';
import { FROM_PAGE, cookieOf, errorCode, postSession, signInAs, startAdminService } from './admin-kit.js';

describe('the session over http on this machine', () => {
  let service: TestService;
  let homeserver: Awaited<ReturnType<typeof startHomeserver>>;
  beforeAll(async () => {
    homeserver = await startHomeserver({ 'hs-secret-1': { user_id: '@admin:hs' } });
    service = await startAdminService({
      settings: {
        dialect: 'matrix',
        auth: { homeserver_url: homeserver.url },
        admin: { matrix_accounts: { '@admin:hs': 'admin' }, environment: { label: 'staging' } },
      },
    });
  });
  afterAll(async () => {
    await service.remove();
    await homeserver.close();
  });
  const codeFor = async (role: 'viewer' | 'admin') => (await service.context.access.codes.create(role)).code;
  const getSession = (headers: Record<string, string> = {}) =>
    fetch(`${service.url}/admin/session`, { headers });

  it('tells anonymous clients the ways to sign in, name, version and badge, and nothing else', async () => {
    const answer = await getSession();

    expect(await answer.json()).toEqual({
      signedIn: false,
      pathPrefix: '/_matrix',
      publicUrl: 'https://notary.test',
      ways: ['code', 'token', 'homeserver'],
      serverName: 'notary.test',
      version: expect.stringMatching(/^\d/),
      environment: { label: 'staging' },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('hands out a cookie without prefix and Secure, out of reach of scripts and other sites', async () => {
    const answer = await postSession(service, { code: await codeFor('admin') });

    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^vidimus_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(await (await getSession({ cookie: cookieOf(answer) })).json()).toMatchObject({ signedIn: true });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a one-time code', async () => ({ code: await codeFor('viewer') })],
    [
      'an access token',
      async () => {
        const wanted = { userId: null, label: 'x', expiresTs: null, scopes: ['admin_read'] as const };
        return { token: (await service.context.access.tokens.create(wanted)).token };
      },
    ],
    ['an account of the homeserver', async () => ({ homeserver_token: 'hs-secret-1' })],
    ['way and secret, as the pages say it', async () => ({ way: 'code', secret: await codeFor('viewer') })],
  ])('signs in with %s', async (_what, make) => {
    expect((await postSession(service, await make())).status).toBe(200);
  });

  it('ends at the sign-out, and takes the cookie away', async () => {
    const cookie = await signInAs(service, 'viewer');

    const answer = await fetch(`${service.url}/admin/session`, {
      method: 'DELETE',
      headers: { ...FROM_PAGE, cookie },
    });

    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toBe(
      'vidimus_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    );
    expect(await (await getSession({ cookie })).json()).toMatchObject({ signedIn: false });
  });

  it.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a site that will not say which', { 'sec-fetch-site': '' }],
  ])('refuses signing in and out from %s', async (_what, headers) => {
    const cookie = await signInAs(service, 'viewer');
    for (const method of ['POST', 'DELETE']) {
      const answer = await fetch(`${service.url}/admin/session`, {
        method,
        headers: { ...FROM_PAGE, ...headers, cookie },
        body: '{}',
      });
      expect([answer.status, await errorCode(answer)]).toEqual([403, 'CSRF_BLOCKED']);
    }
    expect(await (await getSession({ cookie })).json()).toMatchObject({ signedIn: true });
  });

  it('refuses a name that somebody points at this machine, for every path', async () => {
    for (const path of ['/admin/', '/admin/session', '/admin/assets/a.js', '/admin/api/media/x']) {
      const answer = await sendRaw(
        service.url,
        `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('CSRF_BLOCKED') });
    }
  });

  it.each<[string, string | object, number]>([
    ['no JSON', '{', 400],
    ['no credential', {}, 400],
    ['two of them', { code: 'a', token: 'b' }, 400],
    ['a number', { code: 1 }, 400],
    ['a list', { code: ['a'] }, 400],
    ['too much', { code: 'x'.repeat(9000) }, 413],
  ])('refuses %s', async (_what, body, status) => {
    const answer = await postSession(service, body);

    expect(answer.status).toBe(status);
    expect(await errorCode(answer)).toBe('BAD_REQUEST');
  });

  it('serves no other method, and no preflight', async () => {
    for (const method of ['PUT', 'OPTIONS', 'PATCH']) {
      const answer = await fetch(`${service.url}/admin/session`, { method, headers: FROM_PAGE });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, DELETE']);
      expect(answer.headers.get('access-control-allow-methods')).toBeNull();
    }
  });

  it('means nothing to peers and clients', async () => {
    const cookie = await signInAs(service, 'admin');
    const secret = cookie.split('=')[1] ?? '';

    const byCookie = await fetch(`${service.url}/_matrix/media/v3/preview_url?url=http://a.example/`, {
      headers: { cookie },
    });
    const bySecret = await fetch(`${service.url}/_matrix/media/v3/preview_url?url=http://a.example/`, {
      headers: { authorization: `Bearer ${secret}` },
    });

    expect([byCookie.status, bySecret.status]).toEqual([401, 401]);
    expect(await byCookie.json()).toMatchObject({ errcode: 'M_MISSING_TOKEN' });
  });

  it('is asked for in no log line: neither code nor token nor cookie', async () => {
    const code = await codeFor('admin');
    const signedIn = await postSession(service, { code });
    const cookie = cookieOf(signedIn);
    const answers = [
      signedIn,
      await postSession(service, { code }),
      await postSession(service, { token: 'vid_secret-2' }),
      await postSession(service, `{"token": "vid_secret-3`),
      await postSession(service, { homeserver_token: 'hs-secret-1' }),
      await getSession({ cookie, authorization: 'Bearer vid_secret-4' }),
    ];
    await linesOf(service, answers);

    const lines = JSON.stringify(service.logs);
    expect(lines).toContain('sign_in_refused');
    for (const secret of [code, code.replaceAll('-', ''), cookie.split('=')[1] ?? '', 'secret-']) {
      expect(lines).not.toContain(secret);
    }
  });
});

describe('the sign-in guard', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startAdminService();
  });
  afterAll(() => service.remove());

  it('answers the sixth wrong code of a minute with 429 and a wait; a right one works after it', async () => {
    const { code } = await service.context.access.codes.create('admin');
    const wrong = await Promise.all(
      Array.from({ length: 5 }, (_, index) => postSession(service, { code: `WRONG-${index}` })),
    );
    expect(wrong.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);

    const sixth = await postSession(service, { code });
    expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await sixth.json()).toMatchObject({
      errors: [
        {
          extensions: {
            code: 'RATE_LIMITED',
            retryAfterMs: 60_000,
            requestId: sixth.headers.get('x-request-id'),
          },
        },
      ],
    });
    service.clock.advance(60_000);
    expect((await postSession(service, { code })).status).toBe(200);
  });
});

describe('the session behind a proxy that ends TLS', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startAdminService({
      settings: {
        admin: { public_url: 'https://ops.example.org' },
        listeners: [{ port: 0, resources: ['admin'], x_forwarded: true }],
      },
    });
  });
  afterAll(() => service.remove());

  it('hands out a __Host- cookie that https alone carries', async () => {
    const { code } = await service.context.access.codes.create('viewer');

    const answer = await postSession(service, { code });

    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-vidimus_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const held = await fetch(`${service.url}/admin/session`, { headers: { cookie: cookieOf(answer) } });
    expect(await held.json()).toMatchObject({ signedIn: true });
  });
});
