import { afterEach, describe, expect, it } from 'vitest';

import { testEngines } from '../../support/store/databases.js';
import { respondJson } from '../../support/origins/key-origin.js';
import {
  makeKeyRecord,
  makeKeyRecordObject,
  simpleCanonicalJson,
} from '../../support/origins/key-record-maker.js';
import { isSignedBy, postKey, type AnsweredRecord } from '../../support/clients/notary-client.js';
import {
  K1,
  K2,
  copies,
  listed,
  made,
  respondWith,
  spoiled,
  type Recipe,
} from '../../support/origins/record-recipes.js';
import { startRemoteServer, type RemoteServer } from '../../support/origins/remote-server.js';
import { OWN_NAME } from '../../support/service.js';
import { setNotary } from '../../support/world.js';

const VALID_UNTIL_TS = 1_800_003_600_000;
const ODD_MEMBERS = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toJSON":3,"signatures2":{}}') as Record<
  string,
  unknown
>;

const CASES: [string, Recipe][] = [
  ['two listed keys of which one signed', made({ keys: [K1, K2], signWith: [K1] })],
  ['the signature of an unlisted key beside a good one', made({ signWith: [K1, K2] })],
  ['unsigned content', (base) => simpleCanonicalJson({ ...makeKeyRecordObject(base), unsigned: { a: 1 } })],
  ['unknown members, nested and not ASCII', made({ extra: { 'x.y': { é: ['🔑', { z: null }] } } })],
  ['members named like parts of objects', made({ extra: ODD_MEMBERS })],
  ['an unknown algorithm', listed(['falcon:1', 'x'.repeat(5000)])],
  ['an unknown algorithm with a key of 200 KB', listed(['falcon:1', randomLetters(200_000)])],
  ['250 keys', listed(...copies(249))],
  ['a validity in the past', made({ validUntilTs: 5 })],
  ['a validity of 2^60', made({ validUntilTs: 2n ** 60n })],
  ['blanks and another order', (base) => JSON.stringify(makeKeyRecordObject(base), null, 2)],
  ['another content type', (base) => respondJson(makeKeyRecord(base), { 'Content-Type': 'text/plain' })],
  ['nearly 256 KiB', made({ extra: { pad: 'x'.repeat(255 * 1024) } })],
  [
    'a foreign signature, which is passed through',
    spoiled((r) => Object.assign(r['signatures'] as object, { 'x.example': { 'ed25519:a': 'b' } })),
  ],
];

describe.each(testEngines())('a record is accepted, on %s:', (engine) => {
  const { authority, service } = setNotary({ engine });
  let remote: RemoteServer;

  afterEach(() => remote.origin.close());

  const ask = async (recipe: Recipe) => {
    remote = await startRemoteServer(authority, { keys: [K1], validUntilTs: VALID_UNTIL_TS });
    const { serverName } = remote;
    remote.origin.respond = respondWith(recipe, { serverName, keys: [K1], validUntilTs: VALID_UNTIL_TS });
    return postKey(service.url, serverName);
  };
  const ownKeys = () =>
    service.context.services.signing.signingKeys.active.map((key) => ({
      keyId: key.keyId,
      publicKey: key.publicKeyBase64,
    }));
  /** JSON.parse rounds a validity beyond 2^53, so it is put back for the check. */
  const exact = (record: AnsweredRecord | undefined, text: string): AnsweredRecord => {
    const validity = /"valid_until_ts":(\d+)/.exec(text)?.[1] ?? '';
    return { ...(record as AnsweredRecord), valid_until_ts: BigInt(validity) as unknown as number };
  };

  it.each(CASES)('%s; both signatures verify, and it is stored', async (_what, recipe) => {
    const answer = await ask(recipe);
    expect(answer.records).toHaveLength(1);
    const record = exact(answer.records[0], answer.text);
    expect(record.server_name).toBe(remote.serverName);
    expect(isSignedBy(record, remote.serverName, K1)).toBe(true);
    expect(ownKeys().map((key) => isSignedBy(record, OWN_NAME, key))).toEqual([true]);
    service.context.services.keys.cache.clear();
    expect((await postKey(service.url, remote.serverName)).text).toContain(answer.text.slice(0, 100));
    const { client } = service.context.parts.database;
    expect(await client.keyRecord.count({ where: { serverName: remote.serverName } })).toBe(1);
  });

  it('entries under our own name give way to our real signatures', async () => {
    const fake = { [OWN_NAME]: { 'ed25519:fake': 'AA' } };
    const answer = await ask(spoiled((r) => Object.assign(r['signatures'] as object, fake)));
    const keyIds = ownKeys().map((key) => key.keyId);
    expect(Object.keys(answer.records[0]?.signatures[OWN_NAME] ?? {})).toEqual(keyIds);
  });

  it('an absent old_verify_keys is not invented', async () => {
    const answer = await ask(made({ withoutOldVerifyKeys: true }));
    expect(answer.records[0]).not.toHaveProperty('old_verify_keys');
  });

  it('padded Base64 stays as published, and our own signatures are unpadded', async () => {
    const answer = await ask(
      spoiled((r) => {
        const own = (r['signatures'] as Record<string, Record<string, string>>)[remote.serverName] ?? {};
        own[K1.keyId] = `${own[K1.keyId]}==`;
      }),
    );
    const signatures = answer.records[0]?.signatures ?? {};
    expect(signatures[remote.serverName]?.[K1.keyId]).toMatch(/==$/);
    expect(Object.values(signatures[OWN_NAME] ?? {}).join()).toMatch(/^[\w+/]{86}$/);
  });
});

/** The same each time, and hard to compress: databases judge the size after compression. */
function randomLetters(count: number): string {
  let state = 1;
  let text = '';
  while (text.length < count) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return text.slice(0, count);
}
