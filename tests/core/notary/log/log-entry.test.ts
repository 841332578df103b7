import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';

import { parseStrictJson } from '../../../../src/core/base/json/strict-json.js';
import type { JsonObject } from '../../../../src/core/base/json/json-value.js';
import { encodeLogEntry } from '../../../../src/core/notary/log/log-entry.js';

const SHA256 = 'ab'.repeat(32);
const recordOf = (value: unknown): JsonObject =>
  parseStrictJson(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))) as JsonObject;
const entryOf = (record: unknown) =>
  encodeLogEntry({
    event: 'record',
    serverName: 'a.example',
    recordSha256: SHA256,
    record: recordOf(record),
    observedTs: 7,
  });

/** Keys with IDs of this length. */
const keys = (count: number, idLength: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `ed25519:${String(index).padStart(idLength, '_')}`,
      { key: 'A'.repeat(43), expired_ts: 1_700_000_000_000 },
    ]),
  );

describe('an entry of the log (SPEC §4.15.5)', () => {
  it('is canonical JSON with keys as published, of all algorithms, and an exact validity', () => {
    const record = `{"valid_until_ts": 9007199254740993, "server_name": "a.example",
      "verify_keys": {"ed25519:é": {"key": "AA==", "more": 1}, "other:1": {"key": "x"}, "odd:2": 5, "odd:3": {}},
      "old_verify_keys": {"ed25519:b": {"key": "B", "expired_ts": 5}, "odd:4": {"key": "C", "expired_ts": "x"}}}`;
    expect(entryOf(record).toString()).toBe(
      '{"event":"record","observed_ts":7,' +
        '"old_verify_keys":{"ed25519:b":{"expired_ts":5,"key":"B"},"odd:4":{"key":"C"}},' +
        `"record_sha256":"${SHA256}","server_name":"a.example","valid_until_ts":9007199254740993,` +
        '"verify_keys":{"ed25519:é":{"key":"AA=="},"other:1":{"key":"x"}},"version":1}',
    );
  });

  it('of 250 keys fits, and one that does not leaves the keys to the record', () => {
    const fitting = entryOf({ valid_until_ts: 1, verify_keys: {}, old_verify_keys: keys(250, 100) });
    expect(fitting.length).toBeGreaterThan(40_000);
    expect(fitting.toString()).toContain('ed25519:');
    const large = entryOf({ valid_until_ts: 1, verify_keys: {}, old_verify_keys: keys(250, 240) });
    expect(large.toString()).toBe(
      `{"event":"record","observed_ts":7,"record_sha256":"${SHA256}","server_name":"a.example","valid_until_ts":1,"version":1}`,
    );
  });
});
