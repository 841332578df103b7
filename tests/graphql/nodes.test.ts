import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import 'reflect-metadata';
import { readNodeId, rowOfNodeId, toNodeId } from '../../src/graphql/nodes/node-id.js';
import { NODE_LOADERS } from '../../src/graphql/node-loaders.js';
import { AdminClient, startGraphqlService } from '../support/clients/admin-client.js';
import type { TestService } from '../support/service.js';

/** Keys nobody gave out. */
const LIES = [
  '',
  '0',
  '-1',
  '01',
  '1e3',
  '1.5',
  '0x1',
  '2147483648',
  '9223372036854775808',
  '9'.repeat(400),
  "' OR 1=1 --",
  '1; DROP TABLE media',
  '__proto__',
  'constructor',
  'a.example:ed25519:1',
  'a.example\ned25519:1',
  'ä.example',
  '\uD800',
  'x'.repeat(900),
  '[]',
  '["a","b"]',
  '{"a":1}',
  '../../etc/passwd',
  '1 ',
  '１',
];

const DOCUMENT = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';

interface Nodes {
  nodes: ({ __typename: string; id: string } | null)[];
}

describe('ids that lie', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startGraphqlService();
  });
  afterAll(() => service.remove());

  it.each(NODE_LOADERS.map(({ typeName }) => typeName))(
    '%s: there is nothing, and no error',
    async (typeName) => {
      const client = await AdminClient.withToken(service, 'admin_write');
      const ids = LIES.map((key) => toNodeId(typeName, key));
      const { nodes } = await client.data<Nodes>(DOCUMENT, { ids });

      expect(nodes).toEqual(LIES.map(() => null));
    },
  );

  it('ids of no known form are nobody', async () => {
    const client = await AdminClient.withToken(service, 'admin_write');
    const ids = [
      '',
      'x',
      '%%%',
      'a'.repeat(5000),
      toNodeId('Query', '1'),
      toNodeId('__Schema', '1'),
      toNodeId('constructor', 'name'),
      Buffer.from('Media').toString('base64url'),
      `${toNodeId('Media', 'abc')}=`,
      Buffer.from([0xff, 0xfe, 0x3a]).toString('base64url'),
    ];
    const { nodes } = await client.data<Nodes>(DOCUMENT, { ids });

    expect(nodes).toEqual(ids.map(() => null));
  });

  it('rows are found up to the greatest number a table has', async () => {
    const client = await AdminClient.withToken(service, 'admin_write');
    const id = 2_147_483_000;
    const { auditEvent, jobRun, blacklistHit } = service.context.parts.database.client;
    const who = { ts: 1n, actor: 'a', role: 'admin', method: 'code', requestId: 'r' };
    await auditEvent.create({ data: { ...who, id, action: 'x', summary: 'x', outcome: 'ok' } });
    const run = { job: 'media_sweep', cause: 'job', outcome: 'ok', startedTs: 1n, durationMs: 1, bytes: 0n };
    await jobRun.create({ data: { ...run, id, counts: {}, instance: 'i' } });
    const hit = { ts: 1n, url: 'http://a.test/', stage: 'target', rule: 'r', requestId: 'r' };
    await blacklistHit.create({ data: { ...hit, id } });
    const ids = ['AuditEvent', 'JobRun', 'BlockHit'].map((typeName) => toNodeId(typeName, id));

    const { nodes } = await client.data<Nodes>(DOCUMENT, { ids });

    expect(nodes.map((node) => node?.id)).toEqual(ids);
  });

  it('what a role may not list it cannot get by id either', async () => {
    const { info } = await service.context.access.tokens.create({
      userId: null,
      label: 'x',
      expiresTs: null,
      scopes: ['metrics'],
    });
    const ids = [toNodeId('ApiToken', info.id)];
    const viewer = await AdminClient.withToken(service, 'admin_read');
    const admin = await AdminClient.withToken(service, 'admin_write');

    expect(await viewer.data<Nodes>(DOCUMENT, { ids })).toEqual({ nodes: [null] });
    expect(await admin.data<Nodes>(DOCUMENT, { ids })).toEqual({
      nodes: [{ __typename: 'ApiToken', id: ids[0] }],
    });
  });
});

describe('node ids', () => {
  it('hold type and key, whatever is in the key', () => {
    for (const key of ['a:b', 'ä', '', '☃', 'a.example']) {
      expect(readNodeId(toNodeId('RemoteServer', key))).toEqual({ typeName: 'RemoteServer', key });
    }
  });

  it('have one spelling', () => {
    const id = toNodeId('Media', 'abc');

    expect(readNodeId(`${id}=`)).toBeNull();
    expect(readNodeId(`${id} `)).toBeNull();
    expect(readNodeId(id.replace(/.$/, '*'))).toBeNull();
  });

  it.each([
    ['1', 1],
    ['2147483647', 2_147_483_647],
    ['2147483648', null],
    ['0', null],
    ['01', null],
    ['1.0', null],
  ])('the row %s is %s', (key, row) => {
    expect(rowOfNodeId('JobRun', toNodeId('JobRun', key))).toBe(row);
    expect(rowOfNodeId('KeyFetch', toNodeId('JobRun', key))).toBeNull();
  });
});
