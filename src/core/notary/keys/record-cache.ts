import { LRUCache } from 'lru-cache';

import type { Clock } from '../../base/clock.js';
import { storeUnavailable } from '../../base/errors/api-error.js';
import { isStoreError } from '../../store/store-errors.js';
import { type FetchedRecord, keyIdsOf, type StoredRecord } from '../key-record/record-signing.js';

/** The two times a record is judged by. */
export interface RecordTimes {
  /** Time added: when the latest fetch that returned the record was sent, POSIX ms. */
  addedTs: number;
  /** The record's own `valid_until_ts`, exact. */
  validUntilTs: number | bigint;
}

/** A stored record, with the bytes that go into an answer once they have been made. */
export interface KnownRecord extends RecordTimes {
  /** Row id, below zero when it is not stored. */
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
}

export const NOTHING_KNOWN: KnownServer = { records: [], byKeyId: new Map() };

export interface RecordCacheOptions {
  /** `null`, without reading them, when the records are longer than `maxBytes` together. */
  load(serverNames: readonly string[], maxBytes: number): Promise<Map<string, StoredRecord[]> | null>;
  sign: (published: Buffer) => Buffer;
  clock: Clock;
  maxBytes: number;
  /** Entries older than this are read again, since other instances may have stored newer ones. */
  lifetimeMs: number;
}

/** How much one look-up may take; `maxBytes` to be read from the store, what is cached does not count. */
export interface FindLimits {
  limitMs: number;
  maxBytes: number;
}

/**
 * Stored records with their signed bytes, above the database, bounded in bytes.
 * Servers of which nothing is stored have entries too.
 */
export class RecordCache {
  /** Entries past their time are kept for the case that the store cannot be reached. */
  readonly #entries: LRUCache<string, { known: KnownServer; sinceTs: number }>;
  /** Work with the store under way: servers that were forgotten meanwhile. */
  readonly #watched = new Set<Set<string>>();
  #lastUnstoredId = 0;

  constructor(private readonly options: RecordCacheOptions) {
    this.#entries = new LRUCache({
      maxSize: options.maxBytes,
      // One enormous server must not flush everybody else.
      maxEntrySize: Math.max(1, Math.floor(options.maxBytes / 4)),
    });
  }

  /** What is known of a server without asking the store; `undefined` when the store must be asked. */
  peek(serverName: string, nowTs: number): KnownServer | undefined {
    const entry = this.#entries.get(serverName);
    // A clock that was set back must not keep anything longer.
    const isFresh = entry !== undefined && Math.abs(nowTs - entry.sinceTs) <= this.options.lifetimeMs;
    return isFresh ? entry.known : undefined;
  }

  /**
   * What is stored of servers that are not cached, in one query. While the store cannot be reached, or does not answer
   * within `limitMs`, entries past their time serve; rejects when there are none of a server. `null` when more than
   * `maxBytes` would have to be read.
   */
  async find(
    serverNames: readonly string[],
    { limitMs, maxBytes }: FindLimits,
  ): Promise<Map<string, KnownServer> | null> {
    try {
      return await answeredWithin(limitMs, this.#load(serverNames, maxBytes));
    } catch (error) {
      if (!isStoreError(error)) throw error;
      const old = serverNames.map((name) => [name, this.#entries.get(name)?.known ?? NOTHING_KNOWN] as const);
      if (old.some(([, { records }]) => records.length === 0)) throw error;
      return new Map(old);
    }
  }

  /** Does work with the store; `isUntouched`: a server has not been forgotten since it began, so that it may be kept. */
  async watch<T>(work: (isUntouched: (serverName: string) => boolean) => Promise<T>): Promise<T> {
    const forgotten = new Set<string>();
    this.#watched.add(forgotten);
    try {
      return await work((serverName) => this.#watched.has(forgotten) && !forgotten.has(serverName));
    } finally {
      this.#watched.delete(forgotten);
    }
  }

  /** Keeps the only record of a server, which has just been stored: the query that waits for it reads nothing. */
  keepOnly(fetched: FetchedRecord, id: number): void {
    const { serverName } = fetched.record;
    this.forget(serverName);
    this.#read(serverName, [storedRecordOf(fetched, id)], true);
  }

  /**
   * Keeps a record that is not stored for the life of an entry, beside those that are and that it does not replace
   * wholly. Rejects when the store cannot be read.
   */
  async keepUnstored(fetched: FetchedRecord): Promise<void> {
    const { serverName } = fetched.record;
    // Anew: what is kept by now may have been stored, deleted, or kept in this way.
    const stored = await this.options.load([serverName], Number.MAX_SAFE_INTEGER);
    const others = stored?.get(serverName) ?? [];
    this.forget(serverName);
    this.#lastUnstoredId -= 1;
    const record = storedRecordOf(fetched, this.#lastUnstoredId);
    const { records, byKeyId } = knownServer([...others, record], this.options.sign);
    const led = new Set(byKeyId.values());
    const known = { records: records.filter((each) => led.has(each)), byKeyId };
    this.#keep(serverName, known, entryBytes(serverName, [...others, record]));
  }

  /** Forgets a server after records of it were deleted or a newer one was stored. */
  forget(serverName: string): void {
    for (const forgotten of this.#watched) forgotten.add(serverName);
    this.#entries.delete(serverName);
  }

  /** Forgets everything; the next queries go to the store. */
  clear(): void {
    this.#entries.clear();
    this.#watched.clear();
  }

  /** Bytes held and entries, for metrics. */
  size(): { bytes: number; servers: number } {
    return { bytes: this.#entries.calculatedSize, servers: this.#entries.size };
  }

  #load(serverNames: readonly string[], maxBytes: number): Promise<Map<string, KnownServer> | null> {
    return this.watch(async (isUntouched) => {
      const stored = await this.options.load(serverNames, maxBytes);
      if (stored === null) return null;
      const found = new Map<string, KnownServer>();
      for (const serverName of serverNames) {
        // Another load may have been faster; what it made may be signed already.
        const made = this.peek(serverName, this.options.clock.now());
        const records = stored.get(serverName) ?? [];
        found.set(serverName, made ?? this.#read(serverName, records, isUntouched(serverName)));
      }
      return found;
    });
  }

  #read(serverName: string, stored: readonly StoredRecord[], mayKeep: boolean): KnownServer {
    const known = knownServer(stored, this.options.sign);
    if (mayKeep) this.#keep(serverName, known, entryBytes(serverName, stored));
    return known;
  }

  #keep(serverName: string, known: KnownServer, bytes: number): void {
    this.#entries.set(serverName, { known, sinceTs: this.options.clock.now() }, { size: bytes });
  }
}

function knownServer(stored: readonly StoredRecord[], sign: (published: Buffer) => Buffer): KnownServer {
  if (stored.length === 0) return NOTHING_KNOWN;
  const byKeyId = new Map<string, KnownRecord>();
  const records = stored.map((record) => {
    const known = signedOnce(record, sign);
    // Oldest first, so that the newest record wins for an id that several list.
    for (const keyId of record.keyIds) byKeyId.set(keyId, known);
    return known;
  });
  return { records, byKeyId };
}

/** Ed25519 is deterministic, so the bytes of a record are made once and kept. */
function signedOnce(record: StoredRecord, sign: (published: Buffer) => Buffer): KnownRecord {
  const { id, addedTs, validUntilTs } = record;
  let [bytes, isSigned] = [record.published, false];
  const element = (): Buffer => {
    if (!isSigned) bytes = sign(bytes);
    isSigned = true;
    return bytes;
  };
  return { id, addedTs, validUntilTs, publishedBytes: bytes.length, element };
}

function storedRecordOf({ record, published, fetchedTs }: FetchedRecord, id: number): StoredRecord {
  const { validUntilTs } = record;
  return { id, published, addedTs: fetchedTs, validUntilTs, keyIds: keyIdsOf(record.record) };
}

const ENTRY_OVERHEAD_BYTES = 400;
/** Counted generously: names of which nothing is known cost nothing to invent. */
const NOTHING_BYTES = 2000;
const RECORD_OVERHEAD_BYTES = 400;
const SIGNATURE_BYTES = 200;
const KEY_ID_OVERHEAD_BYTES = 80;

function entryBytes(serverName: string, records: readonly StoredRecord[]): number {
  let bytes = (records.length === 0 ? NOTHING_BYTES : ENTRY_OVERHEAD_BYTES) + serverName.length;
  for (const { published, keyIds } of records) {
    bytes += RECORD_OVERHEAD_BYTES + published.length + SIGNATURE_BYTES;
    for (const keyId of keyIds) bytes += KEY_ID_OVERHEAD_BYTES + keyId.length;
  }
  return bytes;
}

/** The outcome of a look-up that is not waited for any longer than that; it goes on by itself. */
async function answeredWithin<T>(limitMs: number, lookUp: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    const late = () => reject(storeUnavailable(new Error('the store did not answer in time')));
    timer = setTimeout(late, limitMs);
  });
  try {
    return await Promise.race([lookUp, expired]);
  } finally {
    clearTimeout(timer);
  }
}
