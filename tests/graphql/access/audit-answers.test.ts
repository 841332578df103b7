import { describe, expect, it } from 'vitest';

import { toNodeId } from '../../../src/graphql/common/fields.js';
import { storePages } from '../../support/stored-pages.js';
import { startPreviewAdminKit } from '../previews/preview-admin-kit.js';
import { setUp } from '../../support/set-up.js';

interface Entry {
  actor: string;
  role: string;
  action: string;
  outcome: string;
  summary: string;
  detail: object | null;
}

const EVENTS = `query A($filter: AuditFilter) { auditEvents(first: 100, filter: $filter) { nodes {
  actor role action outcome summary detail } } }`;
const DELETE_MEDIA = `mutation D($dryRun: Boolean! = false, $expectedCount: Int, $filter: MediaFilter!) { deleteMedia(dryRun: $dryRun, expectedCount: $expectedCount, filter: $filter) {
  userErrors { message } matched } }`;
const DELETE_KEYS = `mutation D($ids: [ID!]!) { deleteKeyRecords(ids: $ids) {
  userErrors { message } matched } }`;
const DELETE = `mutation D($dryRun: Boolean! = false, $expectedCount: Int, $filter: PreviewFilter!, $withMedia: Boolean! = true) { deletePreviews(dryRun: $dryRun, expectedCount: $expectedCount, filter: $filter, withMedia: $withMedia) {
  userErrors { message } matched run { id } } }`;

describe('audit', () => {
  const kit = setUp(startPreviewAdminKit);

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

  it('keeps the number of what was deleted', async () => {
    await storePages(kit.service, 101);
    await deleteAll(101);

    const [entry] = await entries({ action: 'DELETE_PREVIEWS' });
    expect(entry).toMatchObject({ actor: 'operator', outcome: 'OK' });
    expect(entry?.detail).toMatchObject({ deleted: 101 });
  });

  it('keeps the IDs that were chosen for deletion, and the servers of deleted key records', async () => {
    await storePages(kit.service, 2);
    const { keyRecord, media } = kit.service.context.parts.database.client;
    const ids = (await media.findMany()).map(({ mediaId }) => mediaId);
    await kit.admin.data(DELETE_MEDIA, {
      filter: { ids: ids.map((id) => toNodeId('Media', id)) },
      expectedCount: 2,
    });
    const [ofMedia] = await entries({ action: 'DELETE_MEDIA' });
    expect(ofMedia?.detail).toMatchObject({ deleted: 2, filter: { ids } });

    const serverName = 'many.test';
    const seen = { firstSeenTs: 1n, lastSeenTs: 1n, validUntilTs: 1n };
    await keyRecord.create({ data: { ...seen, serverName, sha256: '', published: Buffer.from('{}') } });
    await kit.admin.data(DELETE_KEYS, { ids: [toNodeId('RemoteServer', serverName)] });
    const [ofKeys] = await entries({ action: 'DELETE_KEY_RECORDS' });
    expect(ofKeys?.detail).toMatchObject({ records: 1, servers: [serverName] });
  });
});
