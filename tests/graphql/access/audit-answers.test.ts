import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { AdminClient } from '../../support/clients/admin-client.js';
import { testEngines } from '../../support/store/databases.js';
import { storePages } from '../../support/stored-pages.js';
import { eventually } from '../../browser/support/eventually.js';
import { startPreviewAdminKit, type PreviewAdminKit } from '../previews/preview-admin-kit.js';

interface Entry {
  actor: string;
  role: string;
  action: string;
  outcome: string;
  summary: string;
  detail: { deleted?: number; first?: string[]; sha256?: string | null; run?: string } | null;
}

const EVENTS = `query A($filter: AuditFilter) { auditEvents(first: 100, filter: $filter) { nodes {
  actor role action outcome summary detail } } }`;
const DELETE = `mutation D($input: DeletePreviewsInput!) { deletePreviews(input: $input) {
  userErrors { message } matched run { id } } }`;

describe.each(testEngines())('audit on %s', (engine) => {
  let kit: PreviewAdminKit;
  beforeAll(async () => {
    kit = await startPreviewAdminKit(engine);
  });
  afterAll(() => kit.remove());

  const entries = async (filter: Record<string, unknown>) =>
    (await kit.admin.data<{ auditEvents: { nodes: Entry[] } }>(EVENTS, { filter })).auditEvents.nodes;
  const deleteAll = async (expectedCount: number) =>
    kit.operator.data(DELETE, { input: { filter: {}, expectedCount } });

  it('names who signed in with a code that carries a name', async () => {
    const { code } = await kit.service.context.access.codes.create('operator', 'ana');
    const base = `${kit.service.url}/admin`;
    const answer = await fetch(`${base}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(base).origin },
      body: JSON.stringify({ code }),
    });

    expect(answer.status).toBe(200);
    expect(await entries({ actor: 'ana' })).toMatchObject([{ action: 'signIn', role: 'OPERATOR' }]);
  });

  it.each([
    ['admin_read', 'VIEWER'],
    ['admin_operate', 'OPERATOR'],
    ['admin_write', 'ADMIN'],
  ] as const)('a token of the scope %s has the role %s and its name', async (scope, role) => {
    const client = await AdminClient.withToken(kit.service, scope);
    const { viewer } = await client.data<{ viewer: { role: string } }>('{ viewer { name role } }');

    expect(viewer.role).toBe(role);
  });

  it('keeps the addresses of what was deleted, up to a hundred, then their number and a digest', async () => {
    await storePages(kit.service, 101);
    const { previewCache } = kit.service.context.parts.database.client;
    const urls = (await previewCache.findMany({ orderBy: { id: 'desc' } })).map(({ url }) => url);
    await deleteAll(101);

    const [entry] = await entries({ action: 'deletePreviews' });
    const digest = createHash('sha256')
      .update(urls.map((url) => `${url}\n`).join(''))
      .digest('hex');
    expect(entry).toMatchObject({ actor: 'operator', outcome: 'OK' });
    expect(entry?.detail).toMatchObject({ deleted: 101, first: urls.slice(0, 100), sha256: digest });
  });

  it('of a run in the background says at its end what is gone', async () => {
    expect(await entries({ search: 'in the background' })).toEqual([]);
    await storePages(kit.service, 501);
    await deleteAll(501);

    await eventually(() => entries({ search: 'in the background' })).toMatchObject([
      { action: 'deletePreviews', actor: 'operator', detail: { deleted: 501 } },
    ]);
  });

  it('can be read without what changed nothing', async () => {
    const all = new Set((await entries({})).map(({ action }) => action));
    const changes = new Set((await entries({ changesOnly: true })).map(({ action }) => action));

    expect(all).toContain('signIn');
    expect([...changes]).toEqual(['deletePreviews', 'changeSigningKeys']);
  });
});
