import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json-value.js';
import { parseStrictJson, STORED_JSON } from '../../base/json/strict-json.js';

const MAX_COLUMN = 2n ** 63n - 1n;
const MIN_COLUMN = -(2n ** 63n);

/** An untrusted time as a column value. Databases hold 64 bits; the exact value stays in the record's bytes. */
export function toColumnTs(ts: number | bigint): bigint {
  const exact = BigInt(ts);
  if (exact > MAX_COLUMN) return MAX_COLUMN;
  return exact < MIN_COLUMN ? MIN_COLUMN : exact;
}

/** A record as it stands in the store, read back. */
export interface StoredRecord {
  id: number;
  serverName: string;
  /** The bytes as the origin published them. */
  published: Buffer;
  /** Time added (SPEC §4.4.4), POSIX ms. */
  addedTs: number;
  /** The record's own `valid_until_ts`, exact. */
  validUntilTs: number | bigint;
  /** Verify keys and old verify keys. */
  keyIds: readonly string[];
}

/** The columns of key_record that a record is read from. */
export interface KeyRecordRow {
  id: number;
  serverName: string;
  published: Uint8Array;
  /** POSIX ms. */
  lastSeenTs: number;
}

/** Reads a row back. Throws when the stored bytes are damaged, since only accepted records are ever stored. */
export function readStoredRecord(row: KeyRecordRow): StoredRecord {
  const published = Buffer.from(row.published.buffer, row.published.byteOffset, row.published.byteLength);
  const { record, validUntilTs } = parseStoredRecord(row.id, published);
  return {
    id: row.id,
    serverName: row.serverName,
    published,
    addedTs: row.lastSeenTs,
    validUntilTs,
    keyIds: [...memberNames(record['verify_keys']), ...memberNames(record['old_verify_keys'])],
  };
}

/** What a row's bytes say, and until when exactly. Throws as `readStoredRecord`. */
export function parseStoredRecord(
  id: number | string,
  published: Uint8Array,
): { record: JsonObject; validUntilTs: number | bigint } {
  const record = parseStrictJson(published, STORED_JSON);
  if (!isJsonObject(record)) throw new Error(`key_record ${id} is damaged: no JSON object`);
  const validUntilTs = record['valid_until_ts'];
  if (typeof validUntilTs !== 'number' && typeof validUntilTs !== 'bigint') {
    throw new Error(`key_record ${id} is damaged: no valid_until_ts`);
  }
  return { record, validUntilTs };
}

function memberNames(value: JsonValue | undefined): string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}
