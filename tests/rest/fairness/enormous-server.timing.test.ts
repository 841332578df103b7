import { describe, expect, it } from 'vitest';

import { DAY_MS, MINUTE_MS } from '../../../src/core/base/clock.js';
import { getKeys, postKey } from '../../support/clients/notary-client.js';
import { makeTestKey } from '../../support/origins/key-record-maker.js';
import { longestTurnMs } from '../../support/turns.js';
import { setKeyServers } from './key-servers.js';

/** More than an answer may be long, and than the cache keeps of one server. */
const MANY = 64;
const FEW = 5;
const ROUNDS = 3;
/** Garbage of more records is collected in fewer, longer turns: three times, on a busy machine eight. All read in one turn is above 20. */
const TIMES = 10;
/** Many small values, which take a parser the longest. */
const FILLER = Array.from({ length: 9900 }, (_, at) => `${at} ${'x'.repeat(17)}`);

const servers = setKeyServers();

/** A server of which so many records are kept, each of a key of its own. */
async function serverOf(records: number): Promise<string> {
  const remote = await servers.add();
  const { url, clock } = servers.service;
  for (let at = 0; at < records; at += 1) {
    const key = makeTestKey(`k${at}`);
    remote.publish({ keys: [key], validUntilTs: clock.now() + DAY_MS, extra: { filler: FILLER } });
    const found = async () => (await postKey(url, remote.serverName, key.keyId)).records.length;
    // On a busy machine it may come too late for the first question.
    await expect.poll(found).toBe(1);
    clock.advance(MINUTE_MS);
  }
  return remote.serverName;
}

describe('a server with as many and as long records as one may have, asked about again and again', () => {
  it('holds the event loop no longer than one with a few', async () => {
    const few = await serverOf(FEW);
    const many = await serverOf(MANY);
    const cold = async (serverName: string): Promise<number> => {
      await servers.restart();
      return longestTurnMs(() => getKeys(servers.service.url, `query/${serverName}`));
    };
    // The first one warms up what answers it.
    await cold(many);
    const ofFew: number[] = [];
    const ofMany: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      ofFew.push(await cold(few));
      ofMany.push(await cold(many));
    }
    // Of each that round in which least was done beside it.
    expect(Math.min(...ofMany)).toBeLessThan(TIMES * Math.min(...ofFew));
  });
});
