import { beforeAll, describe, expect, it } from 'vitest';

import { makeTestKey, type KeyRecordOptions } from '../../support/origins/key-record-maker.js';
import { HOUR_MS, REFRESH, startKeysKit } from './keys-kit.js';
import { setUp } from '../../support/set-up.js';

const HISTORY = `query History($server: String!, $first: Int, $after: String) {
  server(name: $server) { history(first: $first, after: $after) {
    pageInfo { hasNextPage endCursor }
    nodes { from until recordNumber firstSeenAt validUntilMs keys { keyId key expiredAt } keyCount } } } }`;

const [K1, K2, OTHER_K2] = [makeTestKey('k1'), makeTestKey('k2'), makeTestKey('k2')];

describe('the history of a server', () => {
  const kit = setUp(startKeysKit);
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
    return (await history({ first: 1 })).nodes[0].recordNumber as number;
  };

  beforeAll(async () => {
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

  it('is a band for each stretch over which a record was the newest, also of one that came back', async () => {
    const { nodes: bands } = await history();
    const { first, rotated, replaced } = numbers;
    expect(bands).toMatchObject([
      { from: at(14), until: null, recordNumber: replaced },
      { from: at(4), until: at(14), recordNumber: rotated },
      { from: at(3), until: at(4), recordNumber: first },
      { from: at(2), until: at(3), recordNumber: rotated },
      { from: at(0), until: at(2), recordNumber: first, keyCount: 1 },
    ]);
    expect(bands.at(-1)).toMatchObject({
      firstSeenAt: at(0),
      validUntilMs: startTs + 10 * HOUR_MS,
    });
  });

  it('lists the keys of each record, and is paged', async () => {
    const first = await history({ first: 2 });
    expect(first.nodes).toMatchObject([
      { from: at(14), keys: [{ keyId: 'ed25519:k2', key: OTHER_K2.publicKey, expiredAt: null }] },
      {
        from: at(4),
        keys: [
          { keyId: 'ed25519:k1', key: K1.publicKey, expiredAt: at(1) },
          { keyId: 'ed25519:k2', key: K2.publicKey, expiredAt: null },
        ],
      },
    ]);
    const second = await history({ first: 2, after: first.pageInfo.endCursor });
    expect(second.nodes.map(({ from }: { from: string }) => from)).toEqual([at(3), at(2)]);
  });
});
