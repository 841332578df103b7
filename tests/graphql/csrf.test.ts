import { beforeAll, describe, expect, it } from 'vitest';

import { AdminClient, startGraphqlService } from '../support/clients/admin-client.js';
import { sendRaw, type RawAnswer } from '../support/clients/raw-http.js';
import { setUp } from '../support/set-up.js';

/** `null` leaves a header out. */
type Change = Record<string, string | null>;

describe('cross-site requests', () => {
  const service = setUp(startGraphqlService);
  let page: AdminClient;
  let script: AdminClient;

  beforeAll(async () => {
    page = await AdminClient.signIn(service, 'admin');
    script = await AdminClient.withToken(service, 'admin_write');
  });

  const QUERY = JSON.stringify({ query: '{ viewer { name } }' });
  const own = (): string => new URL(service.url).origin;

  /** No client of ours: it sends just these headers. */
  async function send(headers: Record<string, string>, body = QUERY): Promise<RawAnswer> {
    const { host } = new URL(service.url);
    const lines = Object.entries({ host, 'content-length': String(Buffer.byteLength(body)), ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n');
    return sendRaw(service.url, `POST /admin/api/graphql HTTP/1.1\r\n${head}\r\n\r\n${body}`);
  }

  const codeOf = (answer: RawAnswer): unknown => {
    const { errors } = JSON.parse(answer.body) as { errors?: { extensions: { code: string } }[] };
    return errors?.[0]?.extensions.code ?? null;
  };

  it.each<[string, (origin: string) => Change]>([
    ['from our page', () => ({})],
    ['from our page, with its origin', (origin) => ({ origin })],
    [
      'from a browser without Sec-Fetch-Site, with our origin',
      (origin) => ({ 'sec-fetch-site': null, origin }),
    ],
  ])('a session may ask %s', async (_, change) => {
    const answer = await send(page.changed(change(own())));

    expect(answer.status).toBe(200);
    expect(answer.body).toContain('"name":"operator"');
  });

  it.each<[string, Change]>([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a neighbouring site', { 'sec-fetch-site': 'same-site' }],
    ['from another site that states our origin', { 'sec-fetch-site': 'cross-site', origin: 'OWN' }],
    ['without Sec-Fetch-Site and Origin', { 'sec-fetch-site': null }],
    ['with the origin null', { 'sec-fetch-site': null, origin: 'null' }],
    ['with a foreign origin', { 'sec-fetch-site': null, origin: 'https://evil.example' }],
    ['as text/plain', { 'content-type': 'text/plain' }],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['of no type', { 'content-type': null }],
    ['to a name pointed at this machine', { host: 'evil.example' }],
    ['to that name, which the page itself has', { host: 'evil.example', origin: 'http://evil.example' }],
  ])('a session may not ask %s: CSRF_BLOCKED', async (_, change) => {
    const filled = Object.fromEntries(
      Object.entries(change).map(([name, value]) => [
        name,
        value?.replace('OWN-HTTPS', own().replace('http:', 'https:')).replace('OWN', own()) ?? null,
      ]),
    );
    const answer = await send(page.changed(filled));

    expect([answer.status, codeOf(answer)]).toEqual([403, 'CSRF_BLOCKED']);
  });

  it.each<[string, Change]>([
    ['from anywhere', {}],
    ['from another site: a page cannot know the token', { 'sec-fetch-site': 'cross-site' }],
    ['with a foreign origin', { origin: 'https://tools.example' }],
  ])('a token may ask %s', async (_, change) => {
    expect((await send(script.changed(change))).status).toBe(200);
  });

  it('a script without a token is told so, and may not ask with a form or a method of its own', async () => {
    const json = await send({ 'content-type': 'application/json' });
    const form = await send({ 'content-type': 'text/plain' });

    expect([json.status, codeOf(json), form.status]).toEqual([401, 'UNAUTHENTICATED', 401]);
    expect(json.body).toContain('Authorization: Bearer');
  });

  it('a token together with any cookie is refused', async () => {
    const unmanaged = await send(script.changed({ cookie: 'theme=dark' }));
    const session = await send(script.changed({ cookie: page.headers['cookie'] ?? '' }));

    expect([codeOf(unmanaged), codeOf(session)]).toEqual(['CSRF_BLOCKED', 'CSRF_BLOCKED']);
  });

  it('nothing of an answer may be read by other sites', async () => {
    const { headers } = await send(page.changed({ origin: own() }));
    const names = [...headers.keys()].filter((name) => name.startsWith('access-control-'));

    expect(names).toEqual([]);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('what was blocked has changed nothing', async () => {
    const body = JSON.stringify({
      query: 'mutation { createApiToken(name: "evil", scopes: [ADMIN_WRITE]) { secret } }',
    });
    await send(page.changed({ 'sec-fetch-site': 'cross-site' }), body);
    const tokens = await service.context.parts.database.client.accessToken.findMany();

    expect(tokens.map(({ label }) => label)).not.toContain('evil');
  });
});
