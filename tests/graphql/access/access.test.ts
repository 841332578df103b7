import { describe, expect, it } from 'vitest';

import { FROM_PAGE, signInAs, startAdminService } from '../../rest/operators/admin-kit.js';
import { setUp } from '../../support/set-up.js';

const DAY_MS = 86_400_000;

/** What an operation answers. */
interface Answer {
  // Tests state what they expect; nothing to gain from types here.
  // eslint-disable-next-line typescript/no-explicit-any
  data: any;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}

const VIEWER = '{ viewer { name role method can } }';
const SESSIONS = '{ sessions { id actor method isCurrent } }';
const TOKENS = `query Tokens($first: Int, $after: String, $all: Boolean! = false) {
  apiTokens(first: $first, after: $after, includeRevoked: $all) {
    nodes { id name hint scopes user createdBy expiresAt revokedAt } pageInfo { hasNextPage endCursor }
    totalCount } }`;
const AUDIT = `query Audit($filter: AuditFilter, $first: Int) { auditEvents(first: $first, filter: $filter) {
  nodes { id actor role method action targetType targetId summary outcome requestId detail } totalCount } }`;
const CREATE = `mutation Create($expiresInDays: Int, $name: String!, $scopes: [TokenScope!]!, $user: String) { createApiToken(expiresInDays: $expiresInDays, name: $name, scopes: $scopes, user: $user) {
  userErrors { code field } secret token { id name hint scopes user createdBy expiresAt } } }`;
const REVOKE = `mutation Revoke($id: ID!) { revokeApiToken(id: $id) {
  userErrors { code field } token { id revokedAt } } }`;
const END = `mutation End($id: ID) { endSession(id: $id) { userErrors { code } deleted } }`;

describe('access for operators', () => {
  const service = setUp(() => startAdminService({ settings: { admin: { graphql: { ad_hoc: 'always' } } } }));

  /** Runs an operation over HTTP as whoever the headers say. */
  async function run(
    headers: Record<string, string>,
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<Answer> {
    const response = await fetch(`${service.url}/admin/api/graphql`, {
      method: 'POST',
      headers: { ...FROM_PAGE, ...headers },
      body: JSON.stringify({ query, variables }),
    });
    return (await response.json()) as Answer;
  }
  const as = async (role: 'viewer' | 'operator' | 'admin') => ({ cookie: await signInAs(service, role) });
  const codeOf = ({ errors }: Answer) => errors?.[0]?.extensions['code'];
  const create = (headers: Record<string, string>, change: Record<string, unknown>) =>
    run(headers, CREATE, { name: 'script', scopes: ['ADMIN_READ'], ...change });

  it('tell anonymous clients that they are', async () => {
    expect(await run({}, VIEWER)).toEqual({ data: { viewer: null } });
  });

  it('tell a viewer who it is and what it may change: only its own session', async () => {
    const { data } = await run({ ...(await as('viewer')), 'user-agent': 'Browser/1' }, VIEWER);

    expect(data.viewer).toMatchObject({
      name: 'operator',
      role: 'VIEWER',
      method: 'CODE',
      can: ['endSession'],
    });
  });

  it.each([
    ['sessions', SESSIONS, {}],
    ['apiTokens', TOKENS, {}],
    ['createApiToken', CREATE, { name: 'x', scopes: ['ADMIN_WRITE'] }],
    ['revokeApiToken', REVOKE, { id: 'QXBpVG9rZW46eA' }],
  ])('keep %s from operators', async (_name, query, variables) => {
    expect(codeOf(await run(await as('operator'), query, variables))).toBe('FORBIDDEN');
    expect(codeOf(await run({}, query, variables))).toBe('UNAUTHENTICATED');
  });

  it('keep the audit table from viewers', async () => {
    expect(codeOf(await run(await as('viewer'), AUDIT))).toBe('FORBIDDEN');
    expect(codeOf(await run(await as('operator'), AUDIT))).toBeUndefined();
  });

  it('keep user IDs that a filter named from operators', async () => {
    const given = `filter: { owner: "@eve:x.test" }, dryRun: true`;
    await run(await as('admin'), `mutation { deleteMedia(${given}) { matched } }`);
    const query = '{ auditEvents(first: 1, filter: { action: COUNT_MEDIA }) { nodes { id detail } } }';
    const asAdmin = JSON.stringify(await run(await as('admin'), query));
    const asOperator = await run(await as('operator'), query);

    expect(asAdmin).toContain('@eve:x.test');
    expect(JSON.stringify(asOperator)).not.toContain('@eve');
    expect(asOperator.data.auditEvents.nodes[0].detail).toMatchObject({
      dryRun: true,
      filter: { owner: null },
    });
  });

  it('make a token whose secret is shown once, works, and is in no list and no log', async () => {
    const admin = await as('admin');
    const { data } = await create(admin, {
      name: ' nightly ',
      scopes: ['METRICS', 'ADMIN_WRITE'],
      expiresInDays: 30,
    });
    const { secret, token, userErrors } = data.createApiToken;

    expect(userErrors).toEqual([]);
    expect(token).toMatchObject({
      name: 'nightly',
      hint: secret.slice(0, 8),
      scopes: ['ADMIN_WRITE', 'METRICS'],
      user: null,
      createdBy: 'operator',
      expiresAt: new Date(service.clock.now() + 30 * DAY_MS).toISOString(),
    });
    const bearer = { authorization: `Bearer ${secret}` };
    expect((await run(bearer, VIEWER)).data.viewer).toMatchObject({
      name: 'nightly',
      role: 'ADMIN',
      method: 'API_TOKEN',
    });
    const seen = JSON.stringify([
      (await run(admin, TOKENS)).data,
      (await run(admin, AUDIT)).data,
      service.logs,
    ]);
    expect(seen).toContain(secret.slice(0, 8));
    expect(seen).not.toContain(secret);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['no name', { name: '  ' }, ['name']],
    ['previews of nobody', { scopes: ['PREVIEW'] }, ['user']],
    ['an end in the past', { expiresInDays: 0 }, ['expiresInDays']],
  ])('refuse a token with %s', async (_what, change, field) => {
    const { data } = await create(await as('admin'), change);

    expect(data.createApiToken).toMatchObject({
      userErrors: [{ code: 'INVALID', field }],
      secret: null,
      token: null,
    });
  });

  it('end the sessions of a token that is revoked, at once', async () => {
    const admin = await as('admin');
    const { data } = await create(admin, { scopes: ['ADMIN_READ'] });
    const { secret, token } = data.createApiToken;
    const signedIn = await fetch(`${service.url}/admin/session`, {
      method: 'POST',
      headers: FROM_PAGE,
      body: JSON.stringify({ token: secret }),
    });
    const held = { cookie: signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '' };
    expect((await run(held, VIEWER)).data.viewer).toMatchObject({
      name: 'script',
      role: 'VIEWER',
      method: 'ADMIN_TOKEN',
    });

    const revoked = await run(admin, REVOKE, { id: token.id });
    expect(revoked.data.revokeApiToken).toMatchObject({
      userErrors: [],
      token: { revokedAt: expect.any(String) },
    });
    expect((await run(held, VIEWER)).data.viewer).toBeNull();
    expect((await run({ authorization: `Bearer ${secret}` }, VIEWER)).data.viewer).toBeNull();

    expect((await run(admin, REVOKE, { id: token.id })).data.revokeApiToken.userErrors).toMatchObject([
      { code: 'CONFLICT' },
    ]);
    for (const id of ['x', Buffer.from('ApiToken:x').toString('base64url'), token.id.slice(1)]) {
      expect((await run(admin, REVOKE, { id })).data.revokeApiToken.userErrors).toMatchObject([
        { code: 'NOT_FOUND' },
      ]);
    }
  });

  it('let everybody end the own session, and only admins those of others', async () => {
    const [viewer, admin] = [await as('viewer'), await as('admin')];
    const ids = async (): Promise<string[]> =>
      (await run(admin, SESSIONS)).data.sessions.map(({ id }: { id: string }) => id);
    const before = await ids();
    const other = await as('viewer');
    const otherId = (await ids()).find((id) => !before.includes(id));

    expect(codeOf(await run(viewer, END, { id: otherId }))).toBe('FORBIDDEN');
    expect((await run(other, VIEWER)).data.viewer).not.toBeNull();
    expect((await run(admin, END, { id: otherId })).data.endSession).toEqual({
      userErrors: [],
      deleted: 1,
    });
    expect((await run(other, VIEWER)).data.viewer).toBeNull();
    expect((await run(admin, END, { id: otherId })).data.endSession.userErrors).toEqual([
      { code: 'NOT_FOUND' },
    ]);

    expect((await run(viewer, END)).data.endSession).toEqual({ userErrors: [], deleted: 1 });
    expect((await run(viewer, VIEWER)).data.viewer).toBeNull();
  });

  it('are in the audit table: what was done, and what was refused', async () => {
    const admin = await as('admin');
    const { data } = await create(admin, { name: 'audited' });
    await create(admin, { name: '' });
    await create(admin, { scopes: [] });

    const { nodes } = (await run(admin, AUDIT, { first: 3, filter: { action: 'CREATE_API_TOKEN' } })).data
      .auditEvents;

    expect(nodes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['FAILED', 'FAILED', 'OK']);
    expect(nodes[2]).toMatchObject({
      actor: 'operator',
      role: 'ADMIN',
      method: 'CODE',
      targetType: 'ApiToken',
      targetId: data.createApiToken.token.id,
      summary: 'Create the access token audited',
      requestId: expect.stringMatching(/^[\w-]{12}$/),
    });
    const filter = { outcome: 'FAILED', search: 'access token', after: '2020-01-01T00:00:00.000Z' };
    const failed = (await run(admin, AUDIT, { filter })).data.auditEvents;
    expect(failed.nodes.length).toBeGreaterThanOrEqual(2);
    expect(failed.totalCount).toBe(failed.nodes.length);
    expect(
      (await run(admin, AUDIT, { filter: { before: '2020-01-01T00:00:00.000Z' } })).data.auditEvents.nodes,
    ).toEqual([]);
  });
});
