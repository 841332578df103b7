import { describe, expect, test } from 'vitest';

import { parseStrictJson } from '../../../../src/core/base/json/strict-json.js';
import { type JsonObject, encodeCanonicalJsonBytes } from '../../../../src/core/base/json/json-value.js';
import { signedPayload } from '../../../../src/core/notary/key-record/key-record.js';
import { buildOwnRecord, signRecord } from '../../../../src/core/notary/key-record/record-signing.js';
import { SigningKey, verifyEd25519 } from '../../../../src/core/notary/signing/signer.js';
import { readVectors } from '../../../support/json-vectors.js';

const SPEC_KEY = new SigningKey('1', Buffer.from('YJDBA9Xnr2sVqXD9Vj7XVUnmFZcZrlw8Md7kMW+3XA1', 'base64'));
const OWN = 'notary.example';
const KEY_A = new SigningKey('a', Buffer.alloc(32, 1));
const KEY_B = new SigningKey('b', Buffer.alloc(32, 2));

const parse = (bytes: Uint8Array) => parseStrictJson(bytes) as JsonObject;

function verifies(record: Uint8Array, name: string, key: SigningKey): boolean {
  const object = parse(record);
  const signatures = object['signatures'] as Record<string, Record<string, string>>;
  const signature = signatures[name]?.[key.keyId] ?? '';
  return verifyEd25519(key.publicKey, signedPayload(object), Buffer.from(signature, 'base64'));
}

describe('Matrix spec, appendix Cryptographic Test Vectors', () => {
  test.each([
    [
      '{}',
      '{"signatures":{"domain":{"ed25519:1":"K8280/U9SSy9IVtjBuVeLr+HpOB4BQFWbg+UZaADMtTdGYI7Geitb76LTrr5QV/7Xg4ahLwYGYZzuHGZKM5ZAQ"}}}',
    ],
    [
      '{"one": 1, "two": "Two"}',
      '{"one":1,"signatures":{"domain":{"ed25519:1":"KqmLSbO39/Bzb0QIYE82zqLwsA+PDzYIpIRA2sRQ4sL53+sN6/fpNSoqE7BP7vBZhG6kYdD13EIMJpvhJI+6Bw"}},"two":"Two"}',
    ],
  ])('%s is signed to the published bytes', (object, wanted) => {
    expect(signRecord(Buffer.from(object), 'domain', [SPEC_KEY]).toString()).toBe(wanted);
  });
});

test('200 objects are signed to the same bytes as by python3-signedjson', () => {
  interface Vector {
    seed: string;
    version: string;
    name: string;
    published: string;
    signature: string;
    signed: string;
  }
  const vectors = readVectors('records/signed-objects.json') as Vector[];
  expect(vectors).toHaveLength(200);
  for (const { seed, version, name, published, signed, signature } of vectors) {
    const key = new SigningKey(version, Buffer.from(seed, 'base64'));
    const bytes = signRecord(Buffer.from(published), name, [key]);
    expect(bytes.toString()).toBe(signed);
    expect(bytes.toString()).toContain(signature);
  }
});

describe('signing a stored record', () => {
  const published = Buffer.from(
    '{ "server_name":"origin.example", "n": 1152921504606846977, "unsigned":{"age":1}, ' +
      '"signatures":{"origin.example":{"ed25519:o":"AAAA"}, "third.example":{"ed25519:t":"BBBB"}, ' +
      '"notary.example":{"ed25519:fake":"CCCC","ed25519:a":"DDDD"}}, "é":"\\u20ac" }',
  );

  test('adds one signature per key, each over the same bytes', () => {
    const signed = signRecord(published, OWN, [KEY_A, KEY_B]);
    expect(verifies(signed, OWN, KEY_A)).toBe(true);
    expect(verifies(signed, OWN, KEY_B)).toBe(true);
    expect(signedPayload(parse(signed)).equals(signedPayload(parse(published)))).toBe(true);
  });

  test('drops everything under our own name that we did not make', () => {
    const { signatures } = JSON.parse(signRecord(published, OWN, [KEY_A]).toString()) as {
      signatures: Record<string, Record<string, string>>;
    };
    expect(Object.keys(signatures[OWN] ?? {})).toEqual(['ed25519:a']);
    expect(signatures[OWN]?.['ed25519:a']).not.toBe('DDDD');
  });

  test('passes other signatures, unsigned and unknown members on, in canonical form', () => {
    const signed = signRecord(published, OWN, [KEY_A]).toString();
    expect(signed).toContain('"origin.example":{"ed25519:o":"AAAA"},"third.example":{"ed25519:t":"BBBB"}');
    expect(signed).toContain('"unsigned":{"age":1}');
    expect(signed).toContain('"n":1152921504606846977');
    expect(signed).toContain('"é":"€"');
    expect(encodeCanonicalJsonBytes(parseStrictJson(Buffer.from(signed))).toString()).toBe(signed);
  });

  test('is the same bytes each time, and signing again changes nothing', () => {
    const once = signRecord(published, OWN, [KEY_A]);
    expect(signRecord(published, OWN, [KEY_A]).equals(once)).toBe(true);
    expect(signRecord(once, OWN, [KEY_A]).equals(once)).toBe(true);
  });
});

describe('our own record', () => {
  const retired = { keyId: 'ed25519:old', publicKey: KEY_B.publicKeyBase64, expiredTs: 1600000000000 };
  const parts = {
    serverName: OWN,
    activeKeys: [KEY_A, SPEC_KEY],
    retiredKeys: [retired],
    validUntilTs: 1700000000000,
  };

  test('is canonical, signed by every active key and nobody else, retired keys with their time', () => {
    const bytes = buildOwnRecord(parts);
    expect(encodeCanonicalJsonBytes(parseStrictJson(bytes))).toEqual(bytes);
    const record = JSON.parse(bytes.toString()) as Record<string, Record<string, unknown>>;
    expect(Object.keys(record)).toEqual([
      'old_verify_keys',
      'server_name',
      'signatures',
      'valid_until_ts',
      'verify_keys',
    ]);
    expect(record['old_verify_keys']).toEqual({
      'ed25519:old': { expired_ts: 1600000000000, key: KEY_B.publicKeyBase64 },
    });
    expect(Object.keys(record['verify_keys'] ?? {})).toEqual(['ed25519:1', 'ed25519:a']);
    expect(Object.keys(record['signatures'] ?? {})).toEqual([OWN]);
    expect(Object.keys(record['signatures']?.[OWN] ?? {})).toEqual(['ed25519:1', 'ed25519:a']);
  });

  test('a key both active and retired, and a record without active keys, are errors', () => {
    const both = { ...parts, retiredKeys: [{ ...retired, keyId: 'ed25519:a' }] };
    expect(() => buildOwnRecord(both)).toThrow(expect.objectContaining({ reason: 'signing_key_set' }));
    expect(() => buildOwnRecord({ ...parts, activeKeys: [] })).toThrow(
      expect.objectContaining({ reason: 'signing_key_set' }),
    );
  });

  test('published by a homeserver of our name keeps the signatures by keys it lists, and those alone', () => {
    const leftover = '"signatures":{"notary.example":{"ed25519:stray":"AAAA",';
    const published = buildOwnRecord(parts).toString().replace('"signatures":{"notary.example":{', leftover);
    const signed = signRecord(Buffer.from(published), OWN, [KEY_B]);
    for (const key of [KEY_A, SPEC_KEY, KEY_B]) expect(verifies(signed, OWN, key)).toBe(true);
    expect(signed.toString()).not.toContain('stray');
  });

  test('published by a homeserver of our name keeps its signature when a key of ours has the same ID', () => {
    const sameId = new SigningKey('a', Buffer.alloc(32, 9));
    const signed = signRecord(buildOwnRecord(parts), OWN, [sameId]);
    expect(verifies(signed, OWN, KEY_A)).toBe(true);
  });
});
