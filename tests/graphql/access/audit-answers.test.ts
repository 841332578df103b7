import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { toNodeId } from '../../../src/graphql/nodes/node-id.js';
import { AdminClient } from '../../support/clients/admin-client.js';
import { storePages } from '../../support/stored-pages.js';
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
const COUNT = `mutation { deletePreviews(filter: {}, dryRun: true) { matched } }`;
const DELETE_MEDIA = `mutation D($dryRun: Boolean! = false, $expectedCount: Int, $filter: MediaFilter, $ids: [ID!]) { deleteMedia(dryRun: $dryRun, expectedCount: $expectedCount, filter: $filter, ids: $ids) {
  userErrors { message } matched } }`;
const DELETE_KEYS = `mutation D($ids: [ID!]!) { deleteKeyRecords(ids: $ids) {
  userErrors { message } matched } }`;
const DELETE = `mutation D($dryRun: Boolean! = false, $expectedCount: Int, $filter: PreviewFilter, $ids: [ID!], $withMedia: Boolean! = true) { deletePreviews(dryRun: $dryRun, expectedCount: $expectedCount, filter: $filter, ids: $ids, withMedia: $withMedia) {
  userErrors { message } matched run { id } } }`;

describe('audit', () => {
  let kit: PreviewAdminKit;
  beforeAll(async () => {
    kit = await startPreviewAdminKit();
  });
  afterAll(() => kit.remove());

  const entries = async (filter: Record<string, unknown>) =>
    (await kit.admin.data<{ auditEvents: { nodes: Entry[] } }>(EVENTS, { filter })).auditEvents.nodes;
  const deleteAll = async (expectedCount: number) => kit.operator.data(DELETE, { filter: {}, expectedCount });

  it('names who signed in with a code that carries a name', async () => {
    const { code } = await kit.service.context.access.codes.create('operator', 'ana');
    const base = `${kit.service.url}/admin`;
    const answer = await fetch(`${base}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: new URL(base).origin },
      body: JSON.stringify({ code }),
    });

    expect(answer.status).toBe(200);
    expect(await entries({ actor: 'ana' })).toMatchObject([{ action: 'SIGN_IN', role: 'OPERATOR' }]);
  });

  it.each([
    ['admin_read', 'VIEWER'],
    ['admin_operate', 'OPERATOR'],
    ['admin_write', 'ADMIN'],
  ] as const)('a token of the scope %s has the role %s and its name', async (scope, role) => {
    const client = await AdminClient.withToken(kit.service, scope);
    const { viewer } = await client.data<{ viewer: object }>('{ viewer { name role } }');
    await client.send(COUNT);

    expect(viewer).toEqual({ name: 'script', role });
    const [entry] = await entries({ actor: 'script' });
    expect(entry).toMatchObject({ actor: 'script', role, outcome: role === 'VIEWER' ? 'FAILED' : 'OK' });
  });

  it('keeps the addresses of what was deleted, up to a hundred, then their number and a digest', async () => {
    await storePages(kit.service, 101);
    const { previewCache } = kit.service.context.parts.database.client;
    const urls = (await previewCache.findMany({ orderBy: { id: 'desc' } })).map(({ url }) => url);
    await deleteAll(101);

    const [entry] = await entries({ action: 'DELETE_PREVIEWS' });
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

    await expect
      .poll(() => entries({ search: 'in the background' }))
      .toMatchObject([{ action: 'DELETE_PREVIEWS', actor: 'operator', detail: { deleted: 501 } }]);
  });

  it('keeps the addresses of deleted media, and the keys of deleted records, in the same way', async () => {
    await storePages(kit.service, 2);
    const { media, keyRecord } = kit.service.context.parts.database.client;
    const stored = await media.findMany();
    const counted = { filter: {}, expectedCount: stored.length };
    await kit.admin.data(DELETE_MEDIA, counted);
    const [ofMedia] = await entries({ action: 'DELETE_MEDIA' });
    const urls = stored.map(({ urlCache }) => urlCache);
    expect(ofMedia?.detail).toMatchObject({ deleted: 2, first: urls, sha256: null });

    const serverName = 'many.test';
    const keyIds = Array.from({ length: 101 }, (_, index) => `ed25519:${1000 + index}`);
    const seen = { firstSeenTs: 1n, lastSeenTs: 1n };
    const keys = keyIds.map((keyId) => ({ ...seen, serverName, keyId, publicKey: 'x' }));
    const row = { ...seen, serverName, sha256: '', published: Buffer.from('{}'), validUntilTs: 1n };
    const { id } = await keyRecord.create({ data: row });
    await kit.service.context.parts.database.client.verifyKey.createMany({
      data: keys.map((key) => ({ ...key, recordId: id })),
    });
    const digest = createHash('sha256').update(keyIds[0]!).digest('hex').slice(0, 32);
    const input = { ids: [toNodeId('KeyRecord', `${id}-${digest}`)] };
    await kit.admin.data(DELETE_KEYS, input);
    const [ofKeys] = await entries({ action: 'DELETE_KEY_RECORDS' });
    const names = keyIds.map((keyId) => `${serverName} ${keyId}`);
    expect(ofKeys?.detail).toMatchObject({
      deleted: 101,
      first: names.slice(0, 100),
      sha256: createHash('sha256')
        .update(names.map((name) => `${name}\n`).join(''))
        .digest('hex'),
    });
  });

  it('can be read without what changed nothing', async () => {
    const all = new Set((await entries({})).map(({ action }) => action));
    const changes = new Set((await entries({ changesOnly: true })).map(({ action }) => action));

    expect(all).toContain('SIGN_IN');
    expect(changes).toEqual(
      new Set(['DELETE_PREVIEWS', 'DELETE_MEDIA', 'DELETE_KEY_RECORDS', 'CHANGE_SIGNING_KEYS']),
    );
  });
});
