import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { sendRaw } from '../../support/clients/raw-http.js';
import type { TestService } from '../../support/service.js';
import { errorCode, makeUiFolder, startAdminService } from './admin-kit.js';
import { setUp } from '../../support/set-up.js';

describe('the pages', () => {
  let service: TestService;
  const folder = setUp(makeUiFolder);
  beforeAll(async () => {
    service = await startAdminService({
      uiFolder: folder.path,
      settings: { admin: { base_path: '/tools/notary' } },
    });
  });
  afterAll(() => service.remove());
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/tools/notary${path}`, { headers });

  it.each([
    '',
    '/',
    '/keys',
    '/keys/example.org',
    '/api',
    '/previews/view?url=http://a.b/',
    '/sign-in',
    '/%E2%82%AC',
  ])('are the one page at "%s", so that every address can be opened', async (path) => {
    const answer = await get(path);

    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toContain('<meta name="p" content="/tools/notary">');
  });

  it('are where the root leads', async () => {
    const answer = await fetch(`${service.url}/`, { redirect: 'manual' });

    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/tools/notary/']);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(await (await fetch(`${service.url}/`)).text()).toContain(
      '<meta name="p" content="/tools/notary">',
    );
  });

  it('come with a policy that names a nonce of this one answer', async () => {
    const nonces = [];
    for (let count = 0; count < 2; count += 1) {
      const answer = await get('/');
      const nonce = /nonce="([\w+/=]{24})"/.exec(await answer.text())?.[1] ?? '';
      expect(answer.headers.get('content-security-policy')).toBe(
        `default-src 'self'; style-src 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; script-src 'self'; ` +
          "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      );
      nonces.push(nonce);
    }
    expect(new Set(nonces).size).toBe(2);
  });

  it('cannot be framed, read by other sites, or kept', async () => {
    for (const path of ['/', '/assets/a-1.js', '/assets/missing.js', '/session']) {
      const { headers } = await get(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.get('strict-transport-security')).toBeNull();
      expect(headers.get('cache-control')).toBe(
        path === '/assets/a-1.js' ? 'public, max-age=31536000, immutable' : 'no-store',
      );
    }
  });

  it('send their files with their types, smaller to those who can read it', async () => {
    const plain = await get('/assets/a-1.js', { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(plain.headers.get('content-encoding')).toBeNull();
    const text = await plain.text();

    const small = await sendRaw(
      service.url,
      'GET /tools/notary/assets/a-1.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br, gzip\r\n\r\n',
    );
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(small.headers.get('vary')).toBe('Accept-Encoding');
    expect(Number(small.headers.get('content-length'))).toBeLessThan(text.length / 4);

    const unwrapped = await get('/assets/a-1.js', { 'accept-encoding': 'gzip' });
    expect(await unwrapped.text()).toBe(text);
    const refused = await get('/assets/a-1.js', { 'accept-encoding': 'gzip;q=0' });
    expect(refused.headers.get('content-encoding')).toBeNull();
    expect((await get('/favicon.svg')).headers.get('content-type')).toBe('image/svg+xml');
  });

  it.each(['/assets/missing.js', '/assets/', '/api/nothing', '/api/media/'])(
    'answer %s with 404 and JSON',
    async (path) => {
      const answer = await get(path);

      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect([answer.status, await errorCode(answer)]).toEqual([404, 'NOT_FOUND']);
    },
  );

  it.each([
    '/assets/../secret.pem',
    '/assets/..%2fsecret.pem',
    '/assets/%2e%2e/secret.pem',
    '/assets/..%5csecret.pem',
    '/..//secret.pem',
    '/secret.pem',
    '/assets//etc/passwd',
    '//etc/passwd',
    '/assets/../../../../../../etc/passwd',
    '/assets/a-1.js%00.css',
    '/index.html/../secret.pem',
  ])('give nothing of the disk for %s', async (path) => {
    const answer = await sendRaw(service.url, `GET /tools/notary${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);

    expect(answer.body).not.toContain('hidden');
    expect(answer.body).not.toContain('root:');
    expect(['200 text/html; charset=utf-8', '404 application/json; charset=utf-8']).toContain(
      `${answer.status} ${answer.headers.get('content-type')}`,
    );
  });
});

describe('a listener without the resource admin', () => {
  it('serves nothing of it', async () => {
    const service = await startAdminService({
      settings: { listeners: [{ port: 0, resources: ['keys', 'health'] }] },
    });

    for (const path of ['/admin', '/admin/', '/admin/session', '/admin/api/graphql']) {
      const answer = await fetch(service.url + path);
      expect([answer.status, (await answer.json()) as object]).toMatchObject([
        404,
        { errcode: 'M_UNRECOGNIZED' },
      ]);
    }
    await service.remove();
  });
});
