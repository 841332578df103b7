import { LRUCache } from 'lru-cache';

import { CLOCKS_APART_MS, SECOND_MS, type Clock } from '../../../base/clock.js';
import { readStoredRecord, type StoredRecord } from '../../key-record/stored-record.js';
import type { FetchedRecord } from '../saving/record-rows.js';
import { memoryBytesOf } from './known-server.js';

export interface UnstoredRecordsOptions {
  clock: Clock;
  /** How long a record is kept, unless that is less than half a minute. */
  lifetimeMs: number;
}

interface Unstored {
  record: StoredRecord;
  /** POSIX ms. */
  sinceTs: number;
}

const MAX_BYTES = 8 * 1024 * 1024;
const MIN_LIFETIME_MS = 30 * SECOND_MS;

/**
 * Records that were fetched and are not stored, because a budget is used up: the latest of each server. Apart from what
 * is cached of the store, so that whatever forgets that leaves them, and bounded in bytes on their own.
 */
export class UnstoredRecords {
  readonly #records: LRUCache<string, Unstored>;
  readonly #lifetimeMs: number;
  #lastId = 0;

  constructor(private readonly options: UnstoredRecordsOptions) {
    this.#records = new LRUCache({ maxSize: MAX_BYTES });
    this.#lifetimeMs = Math.max(options.lifetimeMs, MIN_LIFETIME_MS);
  }

  keep({ record: { serverName }, published, fetchedTs }: FetchedRecord): void {
    this.#lastId -= 1;
    const record = readStoredRecord({ id: this.#lastId, serverName, published, lastSeenTs: fetchedTs });
    const size = memoryBytesOf(record);
    this.#records.set(serverName, { record, sinceTs: this.options.clock.now() }, { size });
  }

  /**
   * What is stored of a server, oldest first, and the record of it that is not: as the newest, unless a later one has
   * been stored since, or the same.
   */
  addTo(stored: readonly StoredRecord[], serverName: string): readonly StoredRecord[] {
    const record = this.#find(serverName)?.record;
    if (record === undefined) return stored;
    const latestTs = this.options.clock.now() + CLOCKS_APART_MS;
    const isLater = ({ addedTs }: StoredRecord): boolean => addedTs >= record.addedTs && addedTs <= latestTs;
    const isSame = ({ published }: StoredRecord): boolean => published.equals(record.published);
    if (stored.some((each) => isSame(each) && isLater(each))) return stored;
    // A change back to an earlier record is not stored either.
    const others = stored.filter((each) => !isSame(each));
    const at = others.findIndex((each) => isLater(each) && each.addedTs > record.addedTs);
    return others.toSpliced(at === -1 ? others.length : at, 0, record);
  }

  /** Until when the record of a server is kept, POSIX ms; Infinity when there is none. */
  untilTs(serverName: string): number {
    const kept = this.#find(serverName);
    return kept === undefined ? Infinity : kept.sinceTs + this.#lifetimeMs;
  }

  forget(serverName: string): void {
    this.#records.delete(serverName);
  }

  clear(): void {
    this.#records.clear();
  }

  get bytes(): number {
    return this.#records.calculatedSize;
  }

  #find(serverName: string): Unstored | undefined {
    const kept = this.#records.get(serverName);
    // A clock set back must not keep it longer.
    if (kept === undefined || Math.abs(this.options.clock.now() - kept.sinceTs) <= this.#lifetimeMs)
      return kept;
    this.#records.delete(serverName);
    return undefined;
  }
}

/** Row ids are above zero, and so is none of these. */
export function isUnstored({ id }: { id: number }): boolean {
  return id < 0;
}
