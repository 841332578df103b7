import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { respondJson } from '../../support/origins/key-origin.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { getKeys, postKey } from '../../support/clients/notary-client.js';
import { K1, K2, listed, made, spoiled, type Recipe } from '../../support/origins/record-recipes.js';
import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { setUp } from '../../support/set-up.js';

const HOUR_MS = 3_600_000;
const BANNED = makeTestKey('banned');

describe.each(testEngines())('key events, on %s', (engine) => {
  const authority = setUp(createTestAuthority);
  let service: TestService;
  let remote: RemoteServer;

  beforeAll(async () => {
    service = await startTestService({
      engine,
      caPaths: [authority.caPath],
      settings: { federation: { banned_keys: [BANNED.publicKey] } },
    });
  });
  beforeEach(async () => {
    remote = await startRemoteServer(authority, { keys: [K1], validUntilTs: validUntilTs() });
  });
  afterEach(() => remote.origin.close());
  afterAll(() => service.remove());

  const validUntilTs = () => service.clock.now() + 10 * HOUR_MS;
  const events = (serverName = remote.serverName) =>
    service.context.parts.database.client.keyEvent.findMany({
      where: { serverName },
      orderBy: { seq: 'asc' },
    });
  /** What happened at a fetch past half-life that brings the given change. */
  const eventsOf = async (change: Parameters<RemoteServer['publish']>[0]) => {
    const before = (await events()).length;
    service.clock.advance(6 * HOUR_MS);
    remote.publish({ validUntilTs: validUntilTs(), ...change });
    await postKey(service.url, remote.serverName);
    const fresh = (await events()).slice(before);
    return fresh.map(({ kind, severity, keyId }) => [kind, severity, keyId]);
  };
  const fetchFirst = () => postKey(service.url, remote.serverName);

  it('tell of a server first seen and each of its keys, once', async () => {
    remote.publish({ keys: [K1, K2], signWith: [K1] });
    await fetchFirst();
    const [record] = await service.context.parts.database.client.keyRecord.findMany({
      where: { serverName: remote.serverName },
    });
    const ts = BigInt(service.clock.now());
    expect(await events()).toMatchObject([
      { kind: 'server_first_seen', severity: 'info', keyId: null, ts, recordId: record?.id },
      { kind: 'key_added', severity: 'info', keyId: K1.keyId, detail: { public_key: K1.publicKey } },
      { kind: 'key_added', severity: 'info', keyId: K2.keyId },
      { kind: 'key_unproven', severity: 'warning', keyId: K2.keyId },
    ]);
    expect(await eventsOf({})).toEqual([]);
  });

  it('tell of added, removed, retired, reinstated and replaced keys', async () => {
    await fetchFirst();
    expect(await eventsOf({ keys: [K1, K2] })).toEqual([['key_added', 'info', K2.keyId]]);
    expect(await eventsOf({ keys: [K2] })).toEqual([['key_removed', 'warning', K1.keyId]]);
    expect(await eventsOf({ keys: [K1, K2] })).toEqual([]);
    const retired = { keys: [K2], oldKeys: [{ key: K1, expiredTs: 5 }] };
    expect(await eventsOf(retired)).toEqual([['key_retired', 'info', K1.keyId]]);
    expect(await eventsOf({ keys: [K1, K2], oldKeys: [] })).toEqual([
      ['key_reinstated', 'warning', K1.keyId],
    ]);
    const other = makeTestKey('k1');
    expect(await eventsOf({ keys: [other, K2] })).toEqual([['key_replaced', 'alert', K1.keyId]]);
  });

  it.each<[string, string, string, Recipe]>([
    ['a weak key', 'weak_key_refused', 'alert', listed(['ed25519:x', `AQ${'A'.repeat(41)}`])],
    ['a banned key', 'banned_key_refused', 'alert', listed([BANNED.keyId, BANNED.publicKey])],
    ['a bad signature', 'record_refused', 'warning', spoiled((r) => (r['valid_until_ts'] = 5))],
    ['another name', 'record_refused', 'warning', made({ serverName: 'victim.example' })],
    ['no JSON', 'record_refused', 'warning', () => 'hello'],
  ])('tell of a record refused for %s, and of nothing else', async (_what, kind, severity, recipe) => {
    const { serverName } = remote;
    const answer = recipe({ serverName, keys: [K1], validUntilTs: validUntilTs() });
    remote.origin.respond = typeof answer === 'function' ? answer : respondJson(answer);
    await fetchFirst();
    expect(await events()).toMatchObject([{ kind, severity, recordId: null }]);
    expect(await events('victim.example')).toEqual([]);
  });

  it('can be neither changed nor deleted', async () => {
    await fetchFirst();
    const before = await events();
    const { client } = service.context.parts.database;
    await expect(client.keyEvent.updateMany({ data: { kind: 'x' } })).rejects.toThrow(/append-only/);
    await expect(client.keyEvent.deleteMany({})).rejects.toThrow(/append-only/);
    await expect(client.$executeRaw`DELETE FROM key_event`).rejects.toThrow(/append-only/);
    await expect(client.$executeRaw`UPDATE key_event SET severity = 'info'`).rejects.toThrow(/append-only/);
    expect(await events()).toEqual(before);
  });

  it('and records, keys and signatures are the same after a restart, to the byte', async () => {
    await fetchFirst();
    await eventsOf({ keys: [K2] });
    const hits = remote.hits();
    const paths = [`query/${remote.serverName}`, `query/${remote.serverName}/${K2.keyId}`, 'server'];
    const ask = () => Promise.all(paths.map(async (path) => (await getKeys(service.url, path)).text));
    const [answers, happened] = [await ask(), await events()];
    service = await service.restart();
    expect(await ask()).toEqual(answers);
    expect(await events()).toEqual(happened);
    expect(remote.hits()).toBe(hits);
  });
});
