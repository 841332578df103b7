import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { makeTestKey, type KeyRecordOptions } from '../../support/origins/key-record-maker.js';
import { HOUR_MS, REFRESH, startKeysKit, type KeysKit } from './keys-kit.js';

const HISTORY = `query History($server: String!, $first: Int, $after: String) {
  server(name: $server) { history(first: $first, after: $after) {
    pageInfo { hasNextPage endCursor }
    bands { from until recordNumber sha256 firstSeenAt validUntilMs keyIds keyCount }
    keys { keyId pieces { from until key kind validUntil } } keysLeftOut
    marks { kind from until keyId sentence } } } }`;

const [K1, K2, OTHER_K2] = [makeTestKey('k1'), makeTestKey('k2'), makeTestKey('k2')];

describe('the history of a server', () => {
  let kit: KeysKit;
  let server: string;
  let startTs: number;
  /** Records as stored, by what is in them. */
  const numbers: Record<string, number> = {};

  const history = async (page: Record<string, unknown> = {}) =>
    (await kit.runner.run(HISTORY, { server, ...page }, 'viewer')).data.server.history;
  /** Hours after the start, in the form of the API. */
  const at = (hours: number) => new Date(startTs + hours * HOUR_MS).toISOString();
  const fetchAt = async (hours: number, record: Partial<KeyRecordOptions>) => {
    kit.service.clock.advance(startTs + hours * HOUR_MS - kit.service.clock.now());
    kit.remote.publish(record);
    await kit.runner.run(REFRESH, { serverName: server });
    return (await history({ first: 1 })).bands[0].recordNumber as number;
  };

  beforeAll(async () => {
    kit = await startKeysKit();
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
    expect(bands).toMatchObject([
      { from: at(14), until: null, recordNumber: replaced },
      { from: at(4), until: at(14), recordNumber: rotated },
      { from: at(3), until: at(4), recordNumber: first },
      { from: at(2), until: at(3), recordNumber: rotated },
      { from: at(0), until: at(2), recordNumber: first, keyIds: ['ed25519:k1'], keyCount: 1 },
    ]);
    expect(bands.at(-1)).toMatchObject({
      firstSeenAt: at(0),
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
    expect(first.bands.map(({ from }: { from: string }) => from)).toEqual([at(14), at(4)]);
    expect(first.marks.map(({ kind }: { kind: string }) => kind)).toEqual(['ROTATION', 'GAP', 'REPLACEMENT']);
    const second = await history({ first: 2, after: first.pageInfo.endCursor });
    expect(second.bands.map(({ from }: { from: string }) => from)).toEqual([at(3), at(2)]);
  });
});
