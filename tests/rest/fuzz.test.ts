import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { respondJson } from '../support/origins/key-origin.js';
import { makeKeyRecord } from '../support/origins/key-record-maker.js';
import { mutate, seededRandom } from '../support/mutations.js';
import { getKeys, isSignedBy, postKeys, type AnsweredRecord } from '../support/clients/notary-client.js';
import { K1, K2 } from '../support/origins/record-recipes.js';
import { startRemoteServer, type RemoteServer } from '../support/origins/remote-server.js';
import { askNobodyForTheTime } from '../support/paused-jobs.js';
import { setNotary } from '../support/world.js';

const ROUNDS_OVER_WIRE = 240;
const AT_ONCE = 8;
const BACKOFF_MS = 600_000;

describe('mutated input', () => {
  const { authority, service } = setNotary({
    settings: { log: { requests: 'none' } },
  });
  let remotes: RemoteServer[];

  beforeAll(async () => {
    await askNobodyForTheTime(service);
    const validUntilTs = service.clock.now() + 1e12;
    remotes = await Promise.all(
      Array.from({ length: AT_ONCE }, () => startRemoteServer(authority, { keys: [K1], validUntilTs })),
    );
  });
  afterAll(() => Promise.all(remotes.map((remote) => remote.origin.close())));

  const serverErrors = () => service.logs.filter((line) => line.level === 'error' || line.level === 'fatal');

  it('in bodies is answered with 200 or an error of the client, in JSON', async () => {
    const random = seededRandom(1);
    const seeds = [
      '{"server_keys":{}}',
      '{"server_keys":{"a b":{"ed25519:a":{"minimum_valid_until_ts":1800000000000}},"notary.test":{}}}',
      '{"server_keys":{"\\u0061/":{"ed25519:\\ud83d\\udd11":{"x":[1.5,null,{"y":true}]}}},"more":{"__proto__":1}}',
    ].map((text) => Buffer.from(text));
    const statuses = new Map<number, number>();
    for (let round = 0; round < ROUNDS_OVER_WIRE; round += AT_ONCE) {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          const body = mutate(seeds[random(seeds.length)] ?? Buffer.alloc(0), random);
          const response = await fetch(`${service.url}/_svc/key/v2/query`, {
            method: 'POST',
            body: new Uint8Array(body),
          });
          return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
        }),
      );
      for (const { status, answer } of answers) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(Object.keys(answer)).toEqual(status === 200 ? ['server_keys'] : ['errcode', 'error']);
      }
    }
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect(statuses.get(200)).toBeGreaterThan(20);
    expect(serverErrors()).toEqual([]);
  });

  /** Half are spoiled after signing, half have odd content under a good signature. */
  function mutatedRecord(serverName: string, random: (below: number) => number): Buffer {
    const base = { serverName, keys: [K1, K2], validUntilTs: 1_900_000_000_000 + random(1000) };
    if (random(2) === 0) return mutate(makeKeyRecord(base), random);
    const seed = Buffer.from('{"a":{"b":[1,"x",{"c":null}]},"d":"e","unsigned":{"f":2},"\\u0041":true}');
    try {
      const extra = JSON.parse(mutate(seed, random).toString('utf8')) as Record<string, unknown>;
      return makeKeyRecord({ ...base, extra });
    } catch {
      return makeKeyRecord(base);
    }
  }

  const provers = (record: AnsweredRecord, serverName: string) =>
    [K1, K2].filter(
      (key) =>
        record.verify_keys[key.keyId]?.key.replaceAll('=', '') === key.publicKey &&
        isSignedBy(record, serverName, key),
    );

  it('in records that come over the wire is answered only when the signature verifies', async () => {
    const random = seededRandom(4);
    let answered = 0;
    const criteria = { [K1.keyId]: { minimum_valid_until_ts: 9e15 } };
    const names = remotes.map((remote) => remote.serverName);
    const question = { server_keys: Object.fromEntries(names.map((name) => [name, criteria])) };
    for (let asked = AT_ONCE; asked <= ROUNDS_OVER_WIRE; asked += AT_ONCE) {
      for (const { origin, serverName } of remotes)
        origin.respond = respondJson(mutatedRecord(serverName, random));
      const { status, records } = await postKeys(service.url, question);
      const hits = remotes.map((remote) => remote.hits() * AT_ONCE);
      expect([status, ...hits]).toEqual([200, ...names.map(() => asked)]);
      for (const record of records) {
        answered += 1;
        expect(names).toContain(record.server_name);
        expect(provers(record, record.server_name).length).toBeGreaterThan(0);
      }
      service.clock.advance(BACKOFF_MS);
    }
    expect(answered).toBeGreaterThan(20);
    expect(serverErrors()).toEqual([]);
    expect((await getKeys(service.url, 'server')).status).toBe(200);
  });
});
