import { LRUCache } from 'lru-cache';

import type { Clock } from '../../base/clock.js';
import { storeUnavailable } from '../../base/errors/api-error.js';
import { isStoreError } from '../../store/store-errors.js';
import { SignedOnce, memoryBytesOf, type KnownRecord, type KnownServer } from './cached/known-server.js';
import { UnstoredRecords, isUnstored } from './cached/unstored-records.js';
import type { StoredRecord } from '../key-record/stored-record.js';
import type { FetchedRecord } from './saving/record-rows.js';

/** What the cache needs: stored records of many servers in one call, and a way to sign one. */
export interface RecordCacheOptions {
  /** `null`, without reading them, when the records are longer than `maxBytes` together. */
  load(serverNames: readonly string[], maxBytes: number): Promise<Map<string, StoredRecord[]> | null>;
  sign(published: Buffer): Buffer;
  clock: Clock;
  maxBytes: number;
  /** Entries older than this are read again, since other instances may have stored newer ones. */
  lifetimeMs: number;
}

/** How much one look-up may take. */
export interface FindLimits {
  limitMs: number;
  /** To be read from the store; what is cached does not count. */
  maxBytes: number;
}

interface Loaded {
  entry: KnownServer;
  /** Whether nothing was stored meanwhile. */
  current: boolean;
}

/**
 * Stored records with their signed bytes, above the database, bounded in bytes.
 * Servers of which nothing is stored have entries too.
 */
export class RecordCache {
  /** Entries past their time are kept for the case that the store cannot be reached. */
  readonly #entries: LRUCache<string, KnownServer>;
  /** Loads under way; a save in the meantime makes their result unfit for keeping. */
  readonly #loads = new Map<string, { keep: boolean; users: number }>();
  /** Answered beside what is stored. */
  readonly #unstored: UnstoredRecords;

  constructor(private readonly options: RecordCacheOptions) {
    this.#unstored = new UnstoredRecords(options);
    this.#entries = new LRUCache({
      maxSize: options.maxBytes,
      // One enormous server must not flush everybody else.
      maxEntrySize: Math.max(1, Math.floor(options.maxBytes / 4)),
    });
  }

  /** What is known of a server without asking the store; `undefined` when the store must be asked. */
  peek(serverName: string, nowTs: number): KnownServer | undefined {
    const entry = this.#entries.get(serverName);
    return entry !== undefined && this.#serves(entry, nowTs) ? entry : undefined;
  }

  /** A life longer than an entry can have comes from a clock that was set back: it is over. */
  #serves({ servesUntilTs }: KnownServer, nowTs: number): boolean {
    return nowTs <= servesUntilTs && servesUntilTs - nowTs <= this.options.lifetimeMs;
  }

  /**
   * What is stored of each server, in one query for all that are not cached. While the store cannot be reached, or
   * does not answer within `limitMs`, entries past their time serve; rejects when there are none of a server. `null`
   * when more than `maxBytes` would have to be read.
   */
  async find(
    serverNames: readonly string[],
    { limitMs, maxBytes }: FindLimits,
  ): Promise<Map<string, KnownServer> | null> {
    const found = new Map<string, KnownServer>();
    const missing: string[] = [];
    const nowTs = this.options.clock.now();
    for (const serverName of serverNames) {
      const entry = this.peek(serverName, nowTs);
      if (entry === undefined) missing.push(serverName);
      else found.set(serverName, entry);
    }
    if (missing.length === 0) return found;
    try {
      const loaded = await answeredWithin(limitMs, this.#loadCurrent(missing, maxBytes));
      if (loaded === null) return null;
      for (const [serverName, entry] of loaded) found.set(serverName, entry);
    } catch (error) {
      if (!isStoreError(error)) throw error;
      for (const serverName of missing) {
        const entry = this.#entries.get(serverName);
        if (entry === undefined || entry.records.length === 0) throw error;
        found.set(serverName, entry);
      }
    }
    return found;
  }

  async #loadCurrent(
    serverNames: readonly string[],
    maxBytes: number,
  ): Promise<Map<string, KnownServer> | null> {
    const found = new Map<string, KnownServer>();
    const outdated: string[] = [];
    const first = await this.#load(serverNames, maxBytes);
    if (first === null) return null;
    for (const [serverName, load] of first) {
      found.set(serverName, load.entry);
      if (!load.current) outdated.push(serverName);
    }
    // Something was stored while the store was read: read once more, so that nothing older than that comes back.
    if (outdated.length === 0) return found;
    const second = await this.#load(outdated, maxBytes);
    if (second === null) return null;
    for (const [serverName, load] of second) found.set(serverName, load.entry);
    return found;
  }

  /** Keeps a record that is not stored, and answers it beside those that are. */
  keepUnstored(fetched: FetchedRecord): void {
    this.#unstored.keep(fetched);
    this.invalidate(fetched.record.serverName);
  }

  /** Forgets all of a server after records of it were deleted. */
  forget(serverName: string): void {
    this.#unstored.forget(serverName);
    this.invalidate(serverName);
  }

  /** Forgets what was read of a server after something was stored about it. */
  invalidate(serverName: string): void {
    const load = this.#loads.get(serverName);
    if (load !== undefined) load.keep = false;
    this.#entries.delete(serverName);
  }

  /** Forgets everything; the next questions go to the store. */
  clear(): void {
    for (const load of this.#loads.values()) load.keep = false;
    this.#unstored.clear();
    this.#entries.clear();
  }

  /** Bytes held and entries, for metrics. */
  size(): { bytes: number; servers: number } {
    return {
      bytes: this.#entries.calculatedSize + this.#unstored.bytes,
      servers: this.#entries.size,
    };
  }

  async #load(serverNames: readonly string[], maxBytes: number): Promise<Map<string, Loaded> | null> {
    for (const serverName of serverNames) this.#beginLoad(serverName);
    const result = new Map<string, Loaded>();
    try {
      const stored = await this.options.load(serverNames, maxBytes);
      if (stored === null) return null;
      for (const serverName of serverNames) {
        const current = this.#loads.get(serverName)?.keep === true;
        // Another load may have been faster; what it made may be signed already.
        const known = current ? this.peek(serverName, this.options.clock.now()) : undefined;
        if (known !== undefined) {
          result.set(serverName, { entry: known, current });
          continue;
        }
        const records = this.#unstored.addTo(stored.get(serverName) ?? [], serverName);
        const entry = this.#knownServer(serverName, records);
        result.set(serverName, { entry, current });
        if (current) this.#entries.set(serverName, entry, { size: entryBytes(serverName, records) });
      }
    } finally {
      for (const serverName of serverNames) this.#endLoad(serverName);
    }
    return result;
  }

  #beginLoad(serverName: string): void {
    const load = this.#loads.get(serverName);
    if (load === undefined) this.#loads.set(serverName, { keep: true, users: 1 });
    else load.users += 1;
  }

  #endLoad(serverName: string): void {
    const load = this.#loads.get(serverName);
    if (load === undefined) return;
    load.users -= 1;
    if (load.users === 0) this.#loads.delete(serverName);
  }

  #knownServer(serverName: string, all: readonly StoredRecord[]): KnownServer {
    const byKeyId = new Map<string, KnownRecord>();
    const served: KnownRecord[] = [];
    for (const record of all) {
      const known = new SignedOnce(record, (published) => this.options.sign(published));
      served.push(known);
      // Oldest first, so that the newest record wins for an id that several list.
      for (const keyId of record.keyIds) byKeyId.set(keyId, known);
    }
    const untilTs = this.options.clock.now() + this.options.lifetimeMs;
    return {
      records: withoutReplaced(served, byKeyId),
      byKeyId,
      servesUntilTs: Math.min(untilTs, this.#unstored.untilTs(serverName)),
    };
  }
}

/** Of the stored ones without those all of whose key ids lead to others since one that is not stored stands beside them. */
function withoutReplaced(
  records: readonly KnownRecord[],
  byKeyId: ReadonlyMap<string, KnownRecord>,
): readonly KnownRecord[] {
  if (!records.some(isUnstored)) return records;
  const newest = new Set(byKeyId.values());
  return records.filter((record) => newest.has(record));
}

const ENTRY_OVERHEAD_BYTES = 400;

function entryBytes(serverName: string, records: readonly StoredRecord[]): number {
  let bytes = ENTRY_OVERHEAD_BYTES + serverName.length;
  for (const record of records) bytes += memoryBytesOf(record);
  return bytes;
}

/** The outcome of a look-up that is not waited for any longer than that; it goes on by itself. */
async function answeredWithin<T>(limitMs: number, lookUp: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(storeUnavailable(new Error('the store did not answer in time'))),
      limitMs,
    );
  });
  try {
    return await Promise.race([lookUp, expired]);
  } finally {
    clearTimeout(timer);
  }
}
