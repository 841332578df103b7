import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeTestKey, type KeyRecordOptions } from '../../support/origins/key-record-maker.js';
import { testEngines } from '../../support/store/databases.js';
import { DELETE, HOUR_MS, REFRESH, SERVER, startKeysKit, type KeysKit } from './keys-kit.js';

const HISTORY = `query History($server: String!, $first: Int, $after: String) {
  keyHistory(server: $server, first: $first, after: $after) {
    bands { totalCount { count exact } pageInfo { hasNextPage endCursor }
      nodes { from until recordNumber sha256 firstSeenAt lastSeenAt validUntilMs keyIds keyCount } }
    keys { keyId pieces { from until key kind validUntil } } keysLeftOut
    marks { kind from until keyId sentence } } }`;
const ANSWER = `query Answer($server: String!, $at: DateTime!) { keyAnswerAt(server: $server, at: $at) {
  at complete records { recordNumber isNewest addedAt addedAtExact refetchAfter state keyCount
    keys { keyId kind expiredAt valid } } } }`;
const DIFF = `query Diff($server: String!, $from: Int!, $to: Int!) {
  recordDiff(server: $server, from: $from, to: $to) { kind subject from to } }`;

const [K1, K2, K3, OTHER_K2] = [makeTestKey('k1'), makeTestKey('k2'), makeTestKey('k3'), makeTestKey('k2')];

describe.each(testEngines())('the history of a server, on %s', (engine) => {
  let kit: KeysKit;
  let server: string;
  let startTs: number;
  /** Records as stored, by what is in them. */
  const numbers: Record<string, number> = {};

  const history = async (page: Record<string, unknown> = {}) =>
    (await kit.runner.run(HISTORY, { server, ...page }, 'viewer')).data.keyHistory;
  /** Hours after the start, in the form of the API. */
  const at = (hours: number) => new Date(startTs + hours * HOUR_MS).toISOString();
  const answer = async (hours: number) =>
    (await kit.runner.run(ANSWER, { server, at: at(hours) }, 'viewer')).data.keyAnswerAt;
  const fetchAt = async (hours: number, record: Partial<KeyRecordOptions>) => {
    kit.service.clock.advance(startTs + hours * HOUR_MS - kit.service.clock.now());
    kit.remote.publish(record);
    await kit.runner.run(REFRESH, { input: { serverName: server } });
    return (await history({ first: 1 })).bands.nodes[0].recordNumber as number;
  };

  beforeAll(async () => {
    kit = await startKeysKit(engine);
    server = kit.remote.serverName;
    startTs = kit.service.clock.now();
    const validUntilTs = startTs + 10 * HOUR_MS;
    const first = { keys: [K1], oldKeys: [], validUntilTs };
    const rotated = { keys: [K2], oldKeys: [{ key: K1, expiredTs: startTs + HOUR_MS }], validUntilTs };
    numbers['first'] = await fetchAt(0, first);
    await fetchAt(1, first);
    numbers['rotated'] = await fetchAt(2, rotated);
    // A cache in front of the server answers with the record of before.
    await fetchAt(3, first);
    await fetchAt(4, rotated);
    // Nothing is fetched for hours after it has ended.
    numbers['replaced'] = await fetchAt(14, {
      keys: [OTHER_K2],
      oldKeys: [],
      validUntilTs: startTs + 30 * HOUR_MS,
    });
  });
  afterAll(() => kit.remove());

  it('is a band for each stretch over which a record was the newest, also of one that came back', async () => {
    const { bands } = await history();
    const { first, rotated, replaced } = numbers;
    expect(bands.totalCount).toEqual({ count: 5, exact: true });
    expect(bands.nodes).toMatchObject([
      { from: at(14), until: null, recordNumber: replaced },
      { from: at(4), until: at(14), recordNumber: rotated },
      { from: at(3), until: at(4), recordNumber: first },
      { from: at(2), until: at(3), recordNumber: rotated },
      { from: at(0), until: at(2), recordNumber: first, keyIds: ['ed25519:k1'], keyCount: 1 },
    ]);
    expect(bands.nodes.at(-1)).toMatchObject({
      firstSeenAt: at(0),
      lastSeenAt: at(3),
      validUntilMs: startTs + 10 * HOUR_MS,
    });
  });

  it('marks rotation, replacement and gap in words', async () => {
    const { marks } = await history();
    expect(marks).toMatchObject([
      { kind: 'FIRST', from: at(0) },
      { kind: 'ROTATION', from: at(2), sentence: '"ed25519:k2" took over from "ed25519:k1".' },
      { kind: 'ROTATION', from: at(3), sentence: '"ed25519:k1" took over from "ed25519:k2".' },
      { kind: 'ROTATION', from: at(4) },
      { kind: 'GAP', from: at(10), until: at(14) },
      { kind: 'REPLACEMENT', from: at(14), keyId: 'ed25519:k2' },
    ]);
  });

  it('has a line for each key, in which it is in use, old or another one', async () => {
    const { keys, keysLeftOut } = await history();
    expect(keysLeftOut).toBe(0);
    const [k2, k1] = keys;
    expect(k2).toMatchObject({
      keyId: 'ed25519:k2',
      pieces: [
        { from: at(2), until: at(3), kind: 'VERIFY', key: K2.publicKey, validUntil: at(10) },
        { from: at(4), until: at(14), kind: 'VERIFY', key: K2.publicKey },
        { from: at(14), until: null, kind: 'VERIFY', key: OTHER_K2.publicKey, validUntil: at(30) },
      ],
    });
    expect(k1).toMatchObject({
      keyId: 'ed25519:k1',
      pieces: [
        { from: at(0), until: at(2), kind: 'VERIFY', validUntil: at(10) },
        { from: at(2), until: at(3), kind: 'OLD', validUntil: at(1) },
        { from: at(3), until: at(4), kind: 'VERIFY' },
        { from: at(4), until: at(14), kind: 'OLD' },
      ],
    });
  });

  it('is paged, and what a page begins with is compared with the record ahead of it', async () => {
    const first = await history({ first: 2 });
    expect(first.bands.nodes.map(({ from }: { from: string }) => from)).toEqual([at(14), at(4)]);
    expect(first.marks.map(({ kind }: { kind: string }) => kind)).toEqual(['ROTATION', 'GAP', 'REPLACEMENT']);
    const second = await history({ first: 2, after: first.bands.pageInfo.endCursor });
    expect(second.bands.nodes.map(({ from }: { from: string }) => from)).toEqual([at(3), at(2)]);
  });

  it('tells what would have been answered, by the half-life rule of then (SPEC §4.4.4)', async () => {
    const { first, rotated, replaced } = numbers;
    expect(await answer(-1)).toEqual({ at: at(-1), complete: true, records: [] });
    // Fetched at 0, valid until 10; fetched again at 1.
    expect(await answer(0.5)).toMatchObject({
      complete: true,
      records: [
        {
          recordNumber: first,
          isNewest: true,
          addedAt: at(0),
          addedAtExact: true,
          refetchAfter: at(5),
          state: 'FRESH',
          keys: [{ keyId: 'ed25519:k1', kind: 'VERIFY', valid: true }],
        },
      ],
    });
    expect((await answer(1.5)).records).toMatchObject([{ addedAt: at(1), refetchAfter: at(5.5) }]);
    // The record that lists a key last is the one that answers for it.
    expect((await answer(3.5)).records).toMatchObject([
      { recordNumber: first, isNewest: true, keys: [{ keyId: 'ed25519:k1', kind: 'VERIFY', valid: true }] },
      { recordNumber: rotated, isNewest: false, addedAt: at(2), keys: [{ keyId: 'ed25519:k2' }] },
    ]);
    expect((await answer(7)).records).toMatchObject([{ recordNumber: rotated, state: 'FRESH' }]);
    expect((await answer(7.5)).records).toMatchObject([{ recordNumber: rotated, state: 'DUE' }]);
    expect((await answer(11)).records).toMatchObject([
      { state: 'EXPIRED', keys: [{ keyId: 'ed25519:k1', valid: false }, { valid: false }] },
    ]);
    expect((await answer(14)).records).toMatchObject([
      { recordNumber: replaced, keys: [{ keyId: 'ed25519:k2', valid: true }] },
      { recordNumber: rotated, keys: [{ keyId: 'ed25519:k1', kind: 'OLD', valid: false }] },
    ]);
  });

  it('says where it is not known for sure when a record had last been fetched', async () => {
    const { client } = kit.service.context.services.operators.database;
    await client.keyFetch.deleteMany({ where: { startedTs: { lt: BigInt(startTs + 2 * HOUR_MS) } } });
    expect((await answer(1.5)).records).toMatchObject([{ addedAt: at(0), addedAtExact: false }]);
    expect((await answer(5)).records).toMatchObject([{ addedAt: at(4), addedAtExact: true }]);
  });

  it('tells how a record differs from another', async () => {
    const { first, rotated, replaced } = numbers;
    const diff = async (from: unknown, to: unknown) =>
      (await kit.runner.run(DIFF, { server, from, to }, 'viewer')).data.recordDiff;
    expect(await diff(first, rotated)).toMatchObject([
      { kind: 'KEY_RETIRED', subject: 'ed25519:k1', from: null, to: String(startTs + HOUR_MS) },
      { kind: 'KEY_ADDED', subject: 'ed25519:k2', from: null, to: K2.publicKey },
      { kind: 'SIGNATURE_REMOVED', subject: `${server} ed25519:k1`, to: null },
      { kind: 'SIGNATURE_ADDED', subject: `${server} ed25519:k2`, from: null },
    ]);
    const ends = { from: String(startTs + 10 * HOUR_MS), to: String(startTs + 30 * HOUR_MS) };
    expect(await diff(rotated, replaced)).toMatchObject([
      { kind: 'KEY_REMOVED', subject: 'ed25519:k1' },
      { kind: 'KEY_REPLACED', subject: 'ed25519:k2', from: K2.publicKey, to: OTHER_K2.publicKey },
      { kind: 'VALIDITY_MOVED', subject: 'valid_until_ts', ...ends },
      { kind: 'SIGNATURE_CHANGED', subject: `${server} ed25519:k2` },
    ]);
    expect(await diff(first, first)).toEqual([]);
    expect(await diff(first, 999_999)).toBeNull();
  });

  it('keeps the time of a record that is deleted, and what was left is the newest from then on', async () => {
    const { records } = await kit.serverOf(server);
    const newest = records.nodes.find(({ keyId }: { keyId: string }) => keyId === 'ed25519:k2');
    kit.service.clock.advance(HOUR_MS);
    await kit.runner.run(DELETE, { ids: [newest.id] });
    const [left, deleted] = (await history()).bands.nodes;
    expect(left).toMatchObject({ from: at(15), until: null, recordNumber: numbers['rotated'] });
    expect(deleted).toMatchObject({ from: at(14), until: at(15), sha256: null, keyCount: 0 });
    expect((await answer(14.5)).complete).toBe(false);
    kit.service.clock.advance(HOUR_MS);
    await kit.runner.run(DELETE, {
      ids: (await kit.serverOf(server)).records.nodes.map(({ id }: { id: string }) => id),
    });
    expect((await history()).bands.nodes[0]).toMatchObject({ from: at(16), recordNumber: null });
    expect(await answer(16)).toMatchObject({ complete: true, records: [] });
    numbers['again'] = await fetchAt(20, { keys: [K3], oldKeys: [], validUntilTs: startTs + 90 * HOUR_MS });
    expect((await history()).marks.slice(-2)).toMatchObject([
      { kind: 'GAP', from: at(16), until: at(20) },
      { kind: 'ROTATION', from: at(20) },
    ]);
    expect((await answer(21)).records).toHaveLength(1);
  });

  it('of a server nobody asked about is empty', async () => {
    const { data } = await kit.runner.run(HISTORY, { server: 'never.example' }, 'viewer');
    expect(data.keyHistory).toMatchObject({ bands: { nodes: [] }, keys: [], marks: [] });
    expect((await kit.runner.run(SERVER, { name: 'never.example' })).data.server).toBeNull();
  });
});
