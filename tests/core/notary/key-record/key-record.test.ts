import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { ApiError } from '../../../../src/core/base/errors/api-error.js';
import {
  encodeCanonicalJsonBytes,
  type JsonObject,
  type JsonValue,
} from '../../../../src/core/base/json/json-value.js';
import { parseStrictJson } from '../../../../src/core/base/json/strict-json.js';
import { KNOWN_BANNED_PUBLIC_KEYS, SigningKey } from '../../../../src/core/notary/signing/signer.js';
import {
  type AcceptedRecord,
  acceptKeyRecord,
  type KeyRecordPolicy,
  signedPayload,
} from '../../../../src/core/notary/key-record/key-record.js';

const NAME = 'origin.example:8448';
const KEYS = [1, 2, 3].map((n) => new SigningKey(`k${n}`, Buffer.alloc(32, n)));
const [K1, K2, K3] = KEYS as [SigningKey, SigningKey, SigningKey];

const POLICY: KeyRecordPolicy = {
  requireAllKeysSigned: false,
  bannedPublicKeys: new Set(KNOWN_BANNED_PUBLIC_KEYS),
  maxKeys: 1000,
};

interface Draft {
  /** Members of the record as JSON text, so that any spelling can be tested. */
  members?: Record<string, string>;
  signers?: [keyId: string, key: SigningKey][];
  /** Changes the signature map (as text) before it is put in. */
  signatures?: (own: string) => string;
}

const listed = (...keys: SigningKey[]) =>
  `{${keys.map((key) => `"${key.keyId}":{"key":"${key.publicKeyBase64}"}`).join(',')}}`;

/** A record text; members given as undefined text ('') are left out. */
function draft({ members = {}, signers = [['ed25519:k1', K1]], signatures }: Draft = {}): Buffer {
  const all = {
    server_name: JSON.stringify(NAME),
    valid_until_ts: '1700000000000',
    verify_keys: listed(K1),
    old_verify_keys: '{}',
    ...members,
  };
  const body = Object.entries(all)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  const payload = signedPayload(parseStrictJson(Buffer.from(`{${body.join(',')}}`)) as JsonObject);
  const own = signers.map(([keyId, key]) => `${JSON.stringify(keyId)}:"${key.sign(payload)}"`).join(',');
  const map = signatures === undefined ? `{"${NAME}":{${own}}}` : signatures(own);
  return Buffer.from(`{${[...body, ...(map === '' ? [] : [`"signatures":${map}`])].join(', ')}}`);
}

const accept = (body: Uint8Array, policy: Partial<KeyRecordPolicy> = {}): AcceptedRecord =>
  acceptKeyRecord(body, NAME, { ...POLICY, ...policy });

function refusal(body: Uint8Array | string, policy: Partial<KeyRecordPolicy> = {}): string | null {
  try {
    accept(typeof body === 'string' ? Buffer.from(body) : body, policy);
    return null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 502 && error.detail !== null) return error.reason;
    throw error;
  }
}

describe('an ordinary record', () => {
  test('is read: names, exact times, keys, payload, digest', () => {
    const body = draft({
      members: { old_verify_keys: `{"ed25519:k3":{"expired_ts":5,"key":"${K3.publicKeyBase64}"}}` },
    });
    const accepted = accept(body);
    expect(accepted).toMatchObject({
      serverName: NAME,
      validUntilTs: 1700000000000,
      unprovenKeyIds: [],
    });
    expect([...accepted.verifyKeys]).toEqual([['ed25519:k1', { publicKey: K1.publicKeyBase64 }]]);
    expect([...accepted.oldVerifyKeys]).toEqual([
      ['ed25519:k3', { publicKey: K3.publicKeyBase64, expiredTs: 5 }],
    ]);
    const { signatures, ...covered } = JSON.parse(body.toString()) as Record<string, JsonValue>;
    expect(signatures).toBeDefined();
    expect(accepted.payload).toEqual(encodeCanonicalJsonBytes(covered));
    const whole = encodeCanonicalJsonBytes(parseStrictJson(body));
    expect(accepted.sha256).toBe(createHash('sha256').update(whole).digest('hex'));
  });

  test.each([
    ['1152921504606846976', 2n ** 60n],
    ['1180591620717411303424', 2n ** 70n],
  ])('validity %s is accepted exactly', (text, value) => {
    expect(accept(draft({ members: { valid_until_ts: text } })).validUntilTs).toBe(value);
  });

  test('without old_verify_keys is accepted, and none is invented', () => {
    const accepted = accept(draft({ members: { old_verify_keys: '' } }));
    expect(accepted.oldVerifyKeys.size).toBe(0);
    expect('old_verify_keys' in accepted.record).toBe(false);
  });
});

describe('name and shape', () => {
  test('a record of another server is refused', () => {
    expect(refusal(draft({ members: { server_name: '"evil.example"' } }))).toBe('record_name_mismatch');
  });

  test.each([`"${NAME.toUpperCase()}"`, `"${NAME}."`, '7', 'null', ''])(
    'server_name %s is refused',
    (text) => {
      expect(refusal(draft({ members: { server_name: text } }))).toBe('record_name_mismatch');
    },
  );

  test.each(['"1700000000000"', 'true', 'null', '-1', '-1180591620717411303424', '[]', ''])(
    'valid_until_ts %s is refused',
    (text) => {
      expect(refusal(draft({ members: { valid_until_ts: text } }))).toBe('record_bad_validity');
    },
  );

  test.each(['1.0', '1e15', '1800000000000.0', '1e400'])(
    'valid_until_ts %s is refused as no integer literal',
    (text) => {
      const body = draft().toString().replace('1700000000000', text);
      expect(refusal(body)).toBe('json_float');
    },
  );

  test.each(['[]', 'null', '"x"', ''])('verify_keys %s is refused', (text) => {
    expect(refusal(draft({ members: { verify_keys: text } }))).toBe('record_bad_shape');
  });

  test.each(['[]', 'null', '5', '{"ed25519:o":5}', '{"ed25519:o":{"key":"AAAA"}}'])(
    'old_verify_keys %s is refused',
    (text) => {
      expect(refusal(draft({ members: { old_verify_keys: text } }))).toMatch(/^record_bad_(shape|key)$/);
    },
  );

  test.each(['', 'null', '1.5', '"5"', '-1'])('expired_ts %s is refused', (text) => {
    const expired = text === '' ? '' : `,"expired_ts":${text}`;
    const body = draft()
      .toString()
      .replace(
        '"old_verify_keys":{}',
        `"old_verify_keys":{"ed25519:o":{"key":"${K3.publicKeyBase64}"${expired}}}`,
      );
    expect(refusal(body)).toMatch(/^(record_bad_shape|json_float)$/);
  });

  test.each([
    ['[]', 'record_not_object'],
    ['null', 'record_not_object'],
    ['', 'json_syntax'],
    ['<html>', 'json_syntax'],
    ['{"a":NaN}', 'json_syntax'],
    ['{"a":"\\ud800"}', 'json_lone_surrogate'],
    ['['.repeat(10_000), 'json_depth'],
    ['\ufeff{}', 'json_syntax'],
  ])('%.20s is refused: %s', (text, reason) => {
    expect(refusal(text)).toBe(reason);
  });

  test('duplicate members are refused, also spelled with an escape', () => {
    const body = draft().toString();
    expect(refusal(body.replace('{', '{"verify_keys":{},'))).toBe('json_duplicate_member');
    expect(refusal(body.replace('{', '{"verify\\u005fkeys":{},'))).toBe('json_duplicate_member');
  });

  test('bytes that are not UTF-8 are refused', () => {
    expect(refusal(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toBe('json_not_utf8');
  });
});

const withKey = (encoded: string) => ({
  members: {
    verify_keys: `{"ed25519:k1":{"key":"${K1.publicKeyBase64}"},"ed25519:bad":{"key":"${encoded}"}}`,
  },
});

const url = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');

describe('keys', () => {
  test.each([
    ['31 bytes', Buffer.alloc(31, 9).toString('base64'), 'record_bad_key'],
    ['33 bytes', Buffer.alloc(33, 9).toString('base64'), 'record_bad_key'],
    ['empty', '', 'record_bad_key'],
    ['bad Base64', '!!!', 'record_bad_key'],
    ['Base64 with a blank', ` ${K2.publicKeyBase64}`, 'record_bad_key'],
    ['identity', Buffer.from(`01${'00'.repeat(31)}`, 'hex').toString('base64'), 'record_weak_key'],
    [
      'identity, non-canonical',
      Buffer.from(`ee${'ff'.repeat(30)}7f`, 'hex').toString('base64'),
      'record_weak_key',
    ],
    ['order 8', 'JuiVj8KyJ7BFw/SJ8u+Y8NXfrAXTxjM5sTgCiG1T/AU', 'record_weak_key'],
    ['non-canonical', Buffer.from(`f1${'ff'.repeat(30)}7f`, 'hex').toString('base64'), 'record_weak_key'],
    ['banned (CVE-2026-24044)', 'l/O9hxMVKB6Lg+3Hqf0FQQZhVESQcMzbPN1Cz2nM3og', 'record_banned_key'],
  ])('a listed ed25519 key of the kind "%s" refuses the record', (_kind, encoded, reason) => {
    expect(refusal(draft(withKey(encoded)))).toBe(reason);
  });

  test('an entry without a string key refuses the record', () => {
    for (const entry of ['{}', '[]', 'null', '"x"', '{"key":5}']) {
      const body = draft({
        members: { verify_keys: `{"ed25519:k1":{"key":"${K1.publicKeyBase64}"},"ed25519:x":${entry}}` },
      });
      expect(refusal(body)).toBe('record_bad_shape');
    }
  });

  test('padded and URL-safe Base64 is accepted for keys and signatures; what we hand on is unpadded standard', () => {
    const body = draft({
      members: { verify_keys: `{"ed25519:k1":{"key":"${url(K1.publicKeyBase64)}="}}` },
      signatures: (own) => `{"${NAME}":{${url(own).replace(/"$/, '=="')}}}`,
    });
    expect(accept(body).verifyKeys.get('ed25519:k1')).toEqual({ publicKey: K1.publicKeyBase64 });
  });

  test('keys of unknown algorithms are kept in the record and otherwise ignored', () => {
    const body = draft({
      members: {
        verify_keys: `{"rsa:1":7,"ed448:x":{"key":"AA"},"ed25519:k1":{"key":"${K1.publicKeyBase64}"}}`,
      },
    });
    const accepted = accept(body);
    expect([...accepted.verifyKeys.keys()]).toEqual(['ed25519:k1']);
    expect(accepted.payload.toString()).toContain('"rsa:1":7');
  });

  test('a weak or banned old key is noted and left out: a server may have got rid of it', () => {
    const body = draft({
      members: {
        old_verify_keys: `{"ed25519:w":{"expired_ts":1,"key":"${'A'.repeat(43)}"},"ed25519:b":{"expired_ts":1,"key":"l/O9hxMVKB6Lg+3Hqf0FQQZhVESQcMzbPN1Cz2nM3og"}}`,
      },
    });
    const accepted = accept(body);
    expect(accepted.oldVerifyKeys.size).toBe(0);
  });

  test.each(['ed25519:\\u0000', 'ed25519:\\n', `ed25519:${'v'.repeat(300)}`])(
    'key ID %.20s is refused',
    (keyId) => {
      const body = draft({
        members: {
          verify_keys: `{"ed25519:k1":{"key":"${K1.publicKeyBase64}"},"${keyId}":{"key":"${K2.publicKeyBase64}"}}`,
        },
      });
      expect(refusal(body)).toBe('record_bad_key_id');
    },
  );

  test('more keys than the policy allows refuse the record; current and old count together', () => {
    const body = draft({
      members: {
        verify_keys: listed(K1, K2),
        old_verify_keys: `{"ed25519:k3":{"expired_ts":1,"key":"${K3.publicKeyBase64}"}}`,
      },
    });
    expect(refusal(body, { maxKeys: 2 })).toBe('record_too_many_keys');
    expect(refusal(body, { maxKeys: 3 })).toBeNull();
  });
});

describe('signatures', () => {
  test.each([
    ['absent', () => ''],
    ['empty', () => '{}'],
    ['an array', () => '[]'],
    ['null', () => 'null'],
    ['under another name only', (own: string) => `{"other.example":{${own}}}`],
    ['a list under the own name', () => `{"${NAME}":[]}`],
    ['none under the own name', () => `{"${NAME}":{}}`],
  ])('signatures that are %s refuse the record', (_kind, signatures) => {
    expect(refusal(draft({ signatures }))).toBe('record_no_signature');
  });

  test('a signature by a key that is not listed is not a proof', () => {
    expect(refusal(draft({ signers: [['ed25519:k2', K2]] }))).toBe('record_no_signature');
  });

  test('a signature by an old key only is not a proof', () => {
    const members = { old_verify_keys: `{"ed25519:k3":{"expired_ts":1,"key":"${K3.publicKeyBase64}"}}` };
    expect(refusal(draft({ members, signers: [['ed25519:k3', K3]] }))).toBe('record_no_signature');
    expect(
      refusal(
        draft({
          members,
          signers: [
            ['ed25519:k1', K1],
            ['ed25519:k3', K2],
          ],
        }),
      ),
    ).toBeNull();
  });

  test('wrong, cut, blank and non-string signatures by a listed key refuse the record', () => {
    expect(refusal(draft({ signers: [['ed25519:k1', K2]] }))).toBe('record_bad_signature');
    const entries = ['""', '"AAAA"', '"!"', '5', 'null', '{}', `"${'A'.repeat(86)}"`];
    for (const entry of entries) {
      expect(refusal(draft({ signatures: () => `{"${NAME}":{"ed25519:k1":${entry}}}` }))).toBe(
        'record_bad_signature',
      );
    }
  });

  test('the verdict does not depend on the order: one bad signature by a listed key refuses, first or last', () => {
    const members = { verify_keys: listed(K1, K2) };
    const good: [string, SigningKey] = ['ed25519:k1', K1];
    const bad: [string, SigningKey] = ['ed25519:k2', K3];
    expect(refusal(draft({ members, signers: [good, bad] }))).toBe('record_bad_signature');
    expect(refusal(draft({ members, signers: [bad, good] }))).toBe('record_bad_signature');
  });

  test('junk by an unlisted key is ignored, first or last', () => {
    const junk: [string, SigningKey] = ['ed25519:zz', K3];
    expect(refusal(draft({ signers: [junk, ['ed25519:k1', K1]] }))).toBeNull();
    expect(refusal(draft({ signers: [['ed25519:k1', K1], junk] }))).toBeNull();
  });

  test('a listed key that did not sign is flagged, or refused when all must sign', () => {
    const body = draft({ members: { verify_keys: listed(K1, K2) } });
    expect(accept(body)).toMatchObject({
      unprovenKeyIds: ['ed25519:k2'],
    });
    expect(refusal(body, { requireAllKeysSigned: true })).toBe('record_unproven_key');
    const both = draft({
      members: { verify_keys: listed(K1, K2) },
      signers: [
        ['ed25519:k2', K2],
        ['ed25519:k1', K1],
      ],
    });
    expect(refusal(both, { requireAllKeysSigned: true })).toBeNull();
  });

  test('more than 32 signatures by listed keys are refused unchecked', () => {
    const many = Array.from({ length: 33 }, (_, i) => `"ed25519:x${i}":{"key":"${K1.publicKeyBase64}"}`).join(
      ',',
    );
    const signers = Array.from({ length: 33 }, (_, i): [string, SigningKey] => [`ed25519:x${i}`, K1]);
    const members = { verify_keys: `{${many}}` };
    expect(refusal(draft({ members, signers }))).toBe('record_too_many_signatures');
    expect(refusal(draft({ members, signers: signers.slice(1) }))).toBeNull();
  });

  test('one changed character in a signed member breaks the signature', () => {
    const body = draft({ members: { note: '"abc"' } }).toString();
    expect(refusal(body)).toBeNull();
    expect(refusal(body.replace('abc', 'abd'))).toBe('record_bad_signature');
  });
});

describe('what signatures cover', () => {
  test('top-level unsigned is not covered', () => {
    const body = draft().toString().replace('{', '{"unsigned":{"age":5},');
    expect(accept(Buffer.from(body)).payload.toString()).not.toContain('unsigned');
  });

  test('nested unsigned and signatures are covered', () => {
    const body = draft({ members: { extra: '{"unsigned":1,"signatures":2}' } }).toString();
    expect(refusal(body)).toBeNull();
    expect(refusal(body.replace('"unsigned":1', '"unsigned":3'))).toBe('record_bad_signature');
    expect(refusal(body.replace('"signatures":2', '"signatures":3'))).toBe('record_bad_signature');
  });

  test('unknown members, non-ASCII and integers beyond 2^53 are covered exactly', () => {
    const body = draft({ members: { extra: '{"é":"日本 😀","n":1152921504606846977}' } }).toString();
    expect(refusal(body)).toBeNull();
    expect(refusal(body.replace('846977', '846976'))).toBe('record_bad_signature');
  });
});

describe('__proto__', () => {
  test('as a member of the record, as a signer and as a key ID it is data', () => {
    const body = draft({
      members: {
        ['__proto__']: '{"polluted":1}',
        verify_keys: `{"__proto__":{"key":"x"},"ed25519:__proto__":{"key":"${K2.publicKeyBase64}"},"ed25519:k1":{"key":"${K1.publicKeyBase64}"}}`,
      },
      signers: [
        ['ed25519:__proto__', K2],
        ['__proto__', K3],
        ['ed25519:k1', K1],
      ],
      signatures: (own) => `{"__proto__":{"ed25519:k1":"x"},"${NAME}":{${own}}}`,
    });
    const accepted = accept(body);
    expect([...accepted.verifyKeys.keys()]).toEqual(['ed25519:__proto__', 'ed25519:k1']);
    expect(accepted.unprovenKeyIds).toEqual([]);
    expect(accepted.payload.toString()).toContain('"__proto__":{"polluted":1}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
