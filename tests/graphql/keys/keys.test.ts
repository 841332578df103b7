import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { testEngines } from '../../support/databases.js';
import { respondJson, respondStatus } from '../../support/key-origin.js';
import { makeKeyRecord, makeTestKey } from '../../support/key-record-maker.js';
import { getKeys, postKey } from '../../support/notary-client.js';
import { createTestAuthority, startRemoteServer } from '../../support/remote-server.js';
import type { RemoteServer, TestAuthority } from '../../support/remote-server.js';
import { OWN_NAME, startTestService } from '../../support/service.js';
import type { TestService } from '../../support/service.js';
import { OperationRunner } from '../run-operation.js';

const HOUR_MS = 3_600_000;

const SERVER = `query Server($name: String!) { server(name: $name) {
  id name federationAllowed worstState keyCount failCount addedAt validUntil refetchAfter backoffUntil
  records { totalCount { count exact } nodes {
    id keyId kind key state validUntilMs expiredAt published publishedText served servedText server { name }
    signatures { signer keyId valid isOurs message } } }
  lastFetch { id outcome errorCode message cause steps { name title status advice startedAtMs durationMs } }
  fetches(first: 1) { nodes { outcome } pageInfo { hasNextPage endCursor } totalCount { count } }
  events { nodes { kind severity message keyId } } } }`;
const DIAGNOSE = `mutation Diagnose($name: String!, $keyId: String) {
  diagnoseServer(input: { serverName: $name, keyId: $keyId, clientMutationId: "c" }) {
    clientMutationId userErrors { code }
    report { serverName ok published resolvedTo checkedAt steps { name status message advice detail } } } }`;
const REFRESH = `mutation Refresh($input: RefreshServerKeysInput!) { refreshServerKeys(input: $input) {
  userErrors { code message field } server { name keyCount worstState failCount } fetch { outcome cause errorCode } } }`;
const DELETE = `mutation Delete($ids: [ID!]!) { deleteKeyRecords(input: { ids: $ids }) {
  userErrors { code field } matched deletedIds freedBytes } }`;

describe.each(testEngines())('keys for operators, on %s', (engine) => {
  let authority: TestAuthority;
  let service: TestService;
  let remote: RemoteServer;
  let runner: OperationRunner;

  beforeAll(async () => {
    authority = await createTestAuthority();
    service = await startTestService({ engine, caPaths: [authority.caPath] });
    runner = new OperationRunner(service.context.adminServices);
    remote = await startRemoteServer(authority, { validUntilTs: service.clock.now() + 10 * HOUR_MS });
  });
  afterAll(async () => {
    await service.remove();
    await remote.origin.close();
    await authority.remove();
  });
  const serverOf = async (name: string) => (await runner.run(SERVER, { name })).data.server;

  it('show a server with its keys, signatures, fetches and events', async () => {
    const bytes = remote.publish({ extra: { big: 9_007_199_254_740_993n, __proto: 1, '<b>': '\u202e' } });
    const answer = await postKey(service.url, remote.serverName);

    const { data, errors } = await runner.run(SERVER, { name: remote.serverName });

    expect(errors).toEqual([]);
    const { server } = data;
    expect(server).toMatchObject({
      name: remote.serverName,
      federationAllowed: true,
      worstState: 'FRESH',
      keyCount: 1,
      failCount: 0,
      backoffUntil: null,
      addedAt: new Date(service.clock.now()).toISOString(),
      validUntil: new Date(service.clock.now() + 10 * HOUR_MS).toISOString(),
      refetchAfter: new Date(service.clock.now() + 5 * HOUR_MS).toISOString(),
      lastFetch: { outcome: 'OK', errorCode: null, cause: 'query' },
      fetches: { nodes: [{ outcome: 'OK' }], pageInfo: { hasNextPage: false }, totalCount: { count: 1 } },
    });
    const [record] = server.records.nodes;
    expect(record).toMatchObject({
      keyId: remote.key.keyId,
      kind: 'VERIFY',
      key: remote.key.publicKey,
      state: 'FRESH',
    });
    expect(record.publishedText).toBe(bytes.toString());
    expect(record.published.big).toBe('9007199254740993');
    expect(record.published['<b>']).toBe('\u202e');
    expect(`{"server_keys":[${record.servedText}]}`).toBe(answer.text);
    expect(record.signatures).toMatchObject([
      { signer: remote.serverName, keyId: remote.key.keyId, valid: true, isOurs: false, message: null },
      { signer: OWN_NAME, valid: true, isOurs: true, message: null },
    ]);
    expect(server.events.nodes.map((event: { kind: string }) => event.kind)).toEqual([
      'key_added',
      'server_first_seen',
    ]);
    expect(server.events.nodes[0].message).toBe('The key "ed25519:k1" appeared.');
    const steps = server.lastFetch.steps as { title: string; startedAtMs: number }[];
    expect(steps.map(({ title }) => title)).toEqual(expect.arrayContaining(['Certificate', 'Key record']));
  });

  it('tell good from bad signatures, those of strangers and those under our name', async () => {
    const other = makeTestKey('other');
    const record = JSON.parse(remote.publish({ extra: {} }).toString());
    record.signatures[OWN_NAME] = { 'ed25519:fake': 'AAAA' };
    record.signatures['x.example'] = { [other.keyId]: 'AAAA' };
    remote.origin.respond = respondJson(JSON.stringify(record));
    await runner.run(REFRESH, { input: { serverName: remote.serverName } });

    const { signatures, served } = (await serverOf(remote.serverName)).records.nodes[0];

    expect(signatures).toMatchObject([
      { signer: remote.serverName, valid: true, isOurs: false },
      {
        signer: OWN_NAME,
        keyId: 'ed25519:fake',
        valid: false,
        isOurs: false,
        message: expect.stringContaining('peers do not get it'),
      },
      { signer: 'x.example', valid: false, message: expect.stringContaining('does not list this key') },
      { signer: OWN_NAME, valid: true, isOurs: true },
    ]);
    expect(Object.keys(served.signatures[OWN_NAME])).not.toContain('ed25519:fake');
  });

  it('diagnose a healthy server with every step OK, and store nothing', async () => {
    remote.publish({ extra: {} });
    await runner.run(REFRESH, { input: { serverName: remote.serverName } });
    const { client } = service.context.parts.database;
    const before = [
      await client.keyFetch.count(),
      await client.keyRecord.count(),
      await client.keyEvent.count(),
    ];

    const { data } = await runner.run(
      DIAGNOSE,
      { name: remote.serverName, keyId: remote.key.keyId },
      'operator',
    );

    const { report, userErrors, clientMutationId } = data.diagnoseServer;
    expect([userErrors, clientMutationId]).toEqual([[], 'c']);
    expect(report).toMatchObject({
      serverName: remote.serverName,
      ok: true,
      published: { server_name: remote.serverName },
    });
    const steps = report.steps as { name: string; status: string; message: string }[];
    expect(steps.filter(({ status }) => status !== 'OK' && status !== 'SKIPPED')).toEqual([]);
    expect(steps.find(({ name }) => name === 'allowed')?.message).toContain('Every server may be asked');
    expect(steps.find(({ name }) => name === 'record')?.message).toContain('is signed by a key it lists');
    expect(steps.find(({ name }) => name === 'stored')?.message).toBe('The keys are those that are stored.');
    const after = [
      await client.keyFetch.count(),
      await client.keyRecord.count(),
      await client.keyEvent.count(),
    ];
    expect(after).toEqual(before);
  });

  it('refresh whatever back-off says, and keep what is stored when that fails', async () => {
    remote.origin.respond = respondStatus(503);
    const hits = remote.hits();
    const input = { serverName: remote.serverName };

    for (let attempt = 0; attempt < 5; attempt += 1) await runner.run(REFRESH, { input });

    expect(remote.hits()).toBe(hits + 5);
    const failed = await serverOf(remote.serverName);
    expect(failed).toMatchObject({ failCount: 5, keyCount: 1, lastFetch: { errorCode: 'REMOTE_ERROR' } });
    expect(failed.backoffUntil).not.toBeNull();
    const last = failed.lastFetch.steps.at(-1);
    expect(last).toMatchObject({
      name: 'response',
      status: 'FAILED',
      advice: expect.stringContaining('overloaded'),
    });
    remote.publish({});
    const { data } = await runner.run(REFRESH, { input });
    expect(data.refreshServerKeys).toMatchObject({
      userErrors: [],
      server: { keyCount: 1, failCount: 0 },
      fetch: { outcome: 'OK', cause: 'operator' },
    });
  });

  it('say when a refresh does not bring what was wanted', async () => {
    const input = {
      serverName: remote.serverName,
      keyIds: [remote.key.keyId, 'ed25519:none', 'ed25519:\u0000'],
      minimumValidUntilMs: service.clock.now() + 20 * HOUR_MS,
    };

    const { data } = await runner.run(REFRESH, { input });

    expect(data.refreshServerKeys.userErrors).toMatchObject([
      { code: 'NOT_FOUND', field: ['input', 'keyIds'] },
      { code: 'NOT_FOUND', field: ['input', 'keyIds'] },
      { code: 'BAD_RESPONSE', field: ['input', 'minimumValidUntilMs'] },
    ]);
  });

  it.each([
    ['https://x.example', 'INVALID', 'leave out the scheme'],
    [OWN_NAME, 'INVALID', 'our own name'],
    ['\u0000', 'INVALID', 'not allowed in a server name'],
  ])('refuse to refresh %j', async (serverName, code, message) => {
    const { data, errors } = await runner.run(REFRESH, { input: { serverName } });

    expect(errors).toEqual([]);
    expect(data.refreshServerKeys.userErrors).toMatchObject([
      { code, message: expect.stringContaining(message), field: ['input', 'serverName'] },
    ]);
  });

  it('know nothing of names nobody asked about, nor of names that are none', async () => {
    expect(await serverOf('unknown.example')).toBeNull();
    expect(await serverOf('\u0000')).toBeNull();
  });

  it('delete a record with its keys; a peer who asks gets it fetched anew', async () => {
    const old = makeTestKey('old');
    remote.publish({ oldKeys: [{ key: old, expiredTs: 5 }] });
    await runner.run(REFRESH, { input: { serverName: remote.serverName } });
    await getKeys(service.url, `query/${remote.serverName}`);
    const before = (await serverOf(remote.serverName)).records.nodes as {
      id: string;
      kind: string;
      expiredAt: string | null;
    }[];
    expect(before.map(({ kind, expiredAt }) => [kind, expiredAt])).toEqual([
      ['VERIFY', null],
      ['OLD', '1970-01-01T00:00:00.005Z'],
    ]);
    const ids = [before[0]?.id ?? ''];

    const { data } = await runner.run(DELETE, { ids });

    expect(data.deleteKeyRecords).toMatchObject({ userErrors: [], matched: 1 });
    expect(data.deleteKeyRecords.deletedIds.toSorted()).toEqual(before.map(({ id }) => id).toSorted());
    expect(data.deleteKeyRecords.freedBytes).toBeGreaterThan(100);
    expect(await serverOf(remote.serverName)).toMatchObject({
      keyCount: 0,
      worstState: null,
      validUntil: null,
      records: { nodes: [] },
    });
    expect((await serverOf(remote.serverName)).events.nodes[0]).toMatchObject({
      kind: 'record_deleted',
      severity: 'WARNING',
      message: 'An operator deleted the record with 2 keys.',
    });
    expect((await runner.run(DELETE, { ids })).data.deleteKeyRecords).toMatchObject({
      userErrors: [{ code: 'NOT_FOUND' }],
      matched: 0,
    });
    expect((await getKeys(service.url, `query/${remote.serverName}`)).records).toEqual([]);
    const hits = remote.hits();
    expect((await postKey(service.url, remote.serverName)).records).toHaveLength(1);
    expect(remote.hits()).toBe(hits + 1);
    expect(await serverOf(remote.serverName)).toMatchObject({ keyCount: 2, worstState: 'FRESH' });
  });

  it('leave each role what it may do', async () => {
    const input = { serverName: remote.serverName };
    const codes = await Promise.all([
      runner.run(DIAGNOSE, { name: remote.serverName }, 'viewer'),
      runner.run(REFRESH, { input }, 'viewer'),
      runner.run(DELETE, { ids: ['x'] }, 'operator'),
    ]);

    expect(codes.map(({ errors }) => errors[0]?.code)).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']);
  });

  it('are found by their ids, and by none that somebody made up', async () => {
    const { id, records, lastFetch } = await serverOf(remote.serverName);
    const { data: events } = await runner.run(
      `query Q($name: String!) { server(name: $name) { events(first: 1) { nodes { id } } } signingKeys { id } }`,
      { name: remote.serverName },
    );
    const real = [
      id,
      records.nodes[0].id,
      lastFetch.id,
      events.server.events.nodes[0].id,
      events.signingKeys[0].id,
    ];
    const made = [
      'KeyRecord:1-00',
      `KeyRecord:999999-${'0'.repeat(32)}`,
      'KeyFetch:99999999999',
      'RemoteServer:\u0000',
      'KeyEvent:01',
    ];
    const ids = [...real, ...made.map((text) => Buffer.from(text).toString('base64url'))];

    const { data, errors } = await runner.run(
      `query N($ids: [ID!]!) { nodes(ids: $ids) { id __typename } }`,
      { ids },
    );

    expect(errors).toEqual([]);
    expect(data.nodes.slice(0, 5).map((node: { __typename: string }) => node.__typename)).toEqual([
      'RemoteServer',
      'KeyRecord',
      'KeyFetch',
      'KeyEvent',
      'SigningKey',
    ]);
    expect(data.nodes.slice(5)).toEqual([null, null, null, null, null]);
  });

  it('show our own keys with lines for peers', async () => {
    const { data } = await runner.run(
      `{ signingKeys { keyId publicKey active fingerprint retiredAt peerSnippets { software language text } } }`,
    );

    const [key] = data.signingKeys;
    expect(key).toMatchObject({ active: true, retiredAt: null });
    expect(key.fingerprint).toMatch(/^([0-9a-f]{4} ){15}[0-9a-f]{4}$/);
    expect(key.peerSnippets.map(({ text }: { text: string }) => text)).toEqual([
      `trusted_key_servers:\n  - server_name: "${OWN_NAME}"\n    verify_keys:\n      "${key.keyId}": "${key.publicKey}"\n`,
      `federation_api:\n  key_perspectives:\n    - server_name: "${OWN_NAME}"\n      keys:\n        - key_id: "${key.keyId}"\n          public_key: "${key.publicKey}"\n`,
      `[global]\ntrusted_servers = ["${OWN_NAME}"]\n`,
    ]);
  });

  it('refuse a server that is not on the whitelist, say where that is set, and still show what is stored', async () => {
    const settings = { federation_domain_whitelist: ['other.example'] };
    service = await service.restart(settings);
    runner = new OperationRunner(service.context.adminServices);
    const hits = remote.hits();

    const { data } = await runner.run(REFRESH, { input: { serverName: remote.serverName } });
    const diagnosis = (await runner.run(DIAGNOSE, { name: remote.serverName })).data.diagnoseServer.report;

    expect(data.refreshServerKeys).toMatchObject({
      userErrors: [
        { code: 'FEDERATION_NOT_ALLOWED', message: expect.stringContaining('federation_domain_whitelist') },
      ],
      server: { keyCount: 2 },
      fetch: null,
    });
    expect(diagnosis).toMatchObject({ ok: false, published: null });
    expect(diagnosis.steps.at(-1)).toMatchObject({
      name: 'allowed',
      status: 'FAILED',
      advice: expect.stringContaining('federation_domain_whitelist'),
    });
    expect(await serverOf(remote.serverName)).toMatchObject({ federationAllowed: false, keyCount: 2 });
    expect((await serverOf(remote.serverName)).records.nodes).toHaveLength(2);
    expect(remote.hits()).toBe(hits);
  });

  it('show a record of the worst kind as data', async () => {
    service = await service.restart({ federation_domain_whitelist: [remote.serverName] });
    runner = new OperationRunner(service.context.adminServices);
    const hostile = `ed25519:${'"\\\u202e<script>'.repeat(10)}`;
    const record = makeKeyRecord({
      serverName: remote.serverName,
      keys: [remote.key, { ...makeTestKey('x'), keyId: hostile }],
      validUntilTs: 2n ** 70n,
      extra: { constructor: { prototype: 1 }, toString: 'x' },
    });
    remote.origin.respond = respondJson(record);
    await runner.run(REFRESH, { input: { serverName: remote.serverName } });

    const { data, errors } = await runner.run(SERVER, { name: remote.serverName });

    expect(errors).toEqual([]);
    const shown = data.server.records.nodes.find(({ keyId }: { keyId: string }) => keyId === hostile);
    expect(shown).toMatchObject({ validUntilMs: Number.MAX_SAFE_INTEGER, state: 'FRESH' });
    expect(shown.published).toMatchObject({ constructor: { prototype: 1 }, toString: 'x' });
    expect(data.server.validUntil).toBe('9999-12-31T23:59:59.999Z');
    const { data: node } = await runner.run(`query N($id: ID!) { node(id: $id) { id } }`, { id: shown.id });
    expect(node.node).toEqual({ id: shown.id });
  });
});
