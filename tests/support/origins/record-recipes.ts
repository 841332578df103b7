import { sign } from 'node:crypto';

import { respondJson, type Respond } from './key-origin.js';
import {
  makeKeyRecord,
  makeKeyRecordObject,
  makeTestKey,
  simpleCanonicalJson,
  type KeyRecordOptions,
  type TestKey,
} from './key-record-maker.js';

/** Makes what an origin answers, from the options of a good record. */
export type Recipe = (base: KeyRecordOptions) => Buffer | string | Respond;

/** The two keys recipes play with; origins have the first. */
export const K1 = makeTestKey('k1');
export const K2 = makeTestKey('k2');

/** The answer of a recipe. */
export function respondWith(recipe: Recipe, base: KeyRecordOptions): Respond {
  const answer = recipe(base);
  return typeof answer === 'function' ? answer : respondJson(answer);
}

/** A record with other options, signed after that. */
export const made =
  (options: Partial<KeyRecordOptions>): Recipe =>
  (base) =>
    makeKeyRecord({ ...base, ...options });

/** A good record of which something was changed after it had been signed. */
export const spoiled =
  (change: (record: Record<string, unknown>) => void): Recipe =>
  (base) => {
    const record = makeKeyRecordObject(base);
    change(record);
    return simpleCanonicalJson(record);
  };

/** A good record whose text was changed. */
export const rewritten =
  (from: string, to: string): Recipe =>
  (base) => {
    const text = makeKeyRecord(base).toString();
    if (!text.includes(from)) throw new Error(`nothing to replace: ${from}`);
    return text.replace(from, to);
  };

/** Further `verify_keys`, which do not sign. */
export const listed = (...keys: [keyId: string, publicKey: string][]): Recipe =>
  made({ keys: [K1, ...keys.map(fakeKey)], signWith: [K1] });

/** As `listed`, with a signature by each. */
export const listedAndSigning = (...keys: [keyId: string, publicKey: string][]): Recipe =>
  made({ keys: [K1, ...keys.map(fakeKey)] });

const fakeKey = ([keyId, publicKey]: [string, string]): TestKey => ({
  keyId,
  publicKey,
  privateKey: K1.privateKey,
});

/** That many copies of the first key under ids of their own. */
export const copies = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, index) => [`ed25519:x${index}`, K1.publicKey]);

/** Signatures by both keys, one of them spoiled, in the given order of the text. */
export const oneSpoiledSignature =
  (order: [TestKey, TestKey], bad: TestKey): Recipe =>
  (base) => {
    const record = makeKeyRecordObject({ ...base, keys: [K1, K2] });
    const own = (record['signatures'] as Record<string, Record<string, string>>)[base.serverName];
    const signatures = order.map(({ keyId }) => {
      const signature = own?.[keyId] ?? '';
      const other = signature.startsWith('A') ? 'B' : 'A';
      return [keyId, keyId === bad.keyId ? other + signature.slice(1) : signature];
    });
    return JSON.stringify({ ...record, signatures: { [base.serverName]: Object.fromEntries(signatures) } });
  };

/** Signed over members in UTF-16 order, as a naive encoder sorts them. */
export const utf16Signed: Recipe = (base) => {
  const payload = {
    server_name: base.serverName,
    valid_until_ts: base.validUntilTs,
    verify_keys: { [K1.keyId]: { key: K1.publicKey } },
    '\u{10000}': 1,
    '\uff61': 2,
  };
  const signature = sign(null, Buffer.from(JSON.stringify(payload)), K1.privateKey).toString('base64');
  return JSON.stringify({ ...payload, signatures: { [base.serverName]: { [K1.keyId]: signature } } });
};
