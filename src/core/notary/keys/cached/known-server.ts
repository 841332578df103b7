import type { StoredRecord } from '../../key-record/stored-record.js';
import type { RecordTimes } from '../key-query.js';

/** A stored record, with the bytes that go into an answer once they have been made. */
export interface KnownRecord extends RecordTimes {
  /** Row id, below zero when it is not stored; two requests that lead to the same id lead to the same record (SPEC §4.4.7). */
  readonly id: number;
  /** Bytes as published, which is nearly what they are in an answer. */
  readonly publishedBytes: number;
  /** Canonical bytes with our signatures. Signing happens at the first call, for good. */
  element(): Buffer;
}

/** What is stored of one server. Without records: nothing is. */
export interface KnownServer {
  /** Records that are the newest for at least one key id. */
  readonly records: readonly KnownRecord[];
  readonly byKeyId: ReadonlyMap<string, KnownRecord>;
  /** Until when it serves without asking the store, POSIX ms, included. */
  readonly servesUntilTs: number;
}

export const NOTHING_KNOWN: KnownServer = {
  records: [],
  byKeyId: new Map(),
  servesUntilTs: -Infinity,
};

/** Ed25519 is deterministic, so the bytes of a record are made once and kept. */
export class SignedOnce implements KnownRecord {
  readonly id: number;
  readonly addedTs: number;
  readonly validUntilTs: number | bigint;
  readonly publishedBytes: number;
  #published: Buffer | null;
  #element: Buffer | null = null;

  constructor(
    record: StoredRecord,
    private readonly sign: (published: Buffer) => Buffer,
  ) {
    this.id = record.id;
    this.addedTs = record.addedTs;
    this.validUntilTs = record.validUntilTs;
    this.publishedBytes = record.published.length;
    this.#published = record.published;
  }

  element(): Buffer {
    if (this.#element === null) {
      this.#element = this.sign(this.#published ?? Buffer.alloc(0));
      this.#published = null;
    }
    return this.#element;
  }
}

const RECORD_OVERHEAD_BYTES = 400;
const SIGNATURE_BYTES = 200;
const KEY_ID_OVERHEAD_BYTES = 80;

/** Memory for a record with its bytes, our signature and what leads to it. */
export function memoryBytesOf({ published, keyIds }: StoredRecord): number {
  let bytes = RECORD_OVERHEAD_BYTES + published.length + SIGNATURE_BYTES;
  for (const keyId of keyIds) bytes += KEY_ID_OVERHEAD_BYTES + keyId.length;
  return bytes;
}
