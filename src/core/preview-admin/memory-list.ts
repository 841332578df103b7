import { ApiError, invalidParam } from '../errors.js';
import type { CappedCount, Page, PageRequest } from '../db/keyset-page.js';
import type { PreviewCache, PreviewCacheEntry } from '../preview/preview-cache.js';

/** How an entry of the memory cache stands. */
export type MemoryState = 'running' | 'ready' | 'failed';

/** An entry of the memory cache as operators see it. */
export interface MemoryRecord {
  id: string;
  url: string;
  state: MemoryState;
  startedTs: number;
  expiresTs: number;
  hits: number;
  /** What clients get; `null` while it is being made. */
  status: number | null;
  errcode: string | null;
  message: string | null;
}

/** Which entries are wanted; absent members do not matter. */
export interface MemoryFilter {
  /** Part of the address. */
  search?: string;
  state?: MemoryState;
}

const RANKS: Record<PreviewCacheEntry['state'], number> = { failed: 0, running: 1, finished: 2 };
const CURSOR = /^([0-2])\.(\d{1,15})$/;

/** The memory cache of this process, failed entries first, then the newest. */
export class MemoryList {
  constructor(private readonly cache: PreviewCache) {}

  /** One page. Throws 400 for a text that is no cursor. */
  page(filter: MemoryFilter, { direction, size, cursor }: PageRequest): Page<MemoryRecord> {
    const place = cursor === null ? null : readCursor(cursor);
    const sorted = this.#find(filter).toSorted(compare);
    const isForward = direction === 'forward';
    const ordered = isForward ? sorted : sorted.toReversed();
    const rest = ordered.filter(
      (entry) =>
        place === null || (isForward ? comparePlace(entry, place) > 0 : comparePlace(entry, place) < 0),
    );
    const entries = isForward ? rest.slice(0, size) : rest.slice(0, size).toReversed();
    const rows = entries.map((entry) => ({ cursor: writeCursor(entry), row: toRecord(entry) }));
    const goesOn = rest.length > size;
    return {
      rows,
      hasNextPage: isForward ? goesOn : place !== null,
      hasPreviousPage: isForward ? place !== null : goesOn,
      startCursor: rows.at(0)?.cursor ?? null,
      endCursor: rows.at(-1)?.cursor ?? null,
    };
  }

  count(filter: MemoryFilter): CappedCount {
    return { count: this.#find(filter).length, exact: true };
  }

  /** Entries by id; `null` for those that are gone. */
  find(ids: readonly string[]): (MemoryRecord | null)[] {
    const found = new Map(this.cache.list().map((entry) => [entry.id, entry]));
    return ids.map((id) => {
      const entry = found.get(id);
      return entry === undefined ? null : toRecord(entry);
    });
  }

  /** The entry of an address, or `null`. */
  findByUrl(url: string): MemoryRecord | null {
    const entry = this.cache.look(url);
    return entry === null ? null : toRecord(entry);
  }

  /** Forgets entries; resolves to the ids of those that went. Who waits for one being made still gets it. */
  forget(which: { ids: readonly string[] } | 'failed' | 'all'): string[] {
    const wanted = typeof which === 'string' ? null : new Set(which.ids);
    return this.cache
      .list()
      .filter(({ id, state }) => (wanted === null ? which === 'all' || state === 'failed' : wanted.has(id)))
      .filter(({ url }) => this.cache.forget(url))
      .map(({ id }) => id);
  }

  #find({ search, state }: MemoryFilter): PreviewCacheEntry[] {
    const text = search?.toLowerCase() ?? '';
    return this.cache
      .list()
      .filter((entry) => state === undefined || stateOf(entry) === state)
      .filter(({ url }) => text === '' || url.toLowerCase().includes(text));
  }
}

function stateOf({ state }: PreviewCacheEntry): MemoryState {
  return state === 'finished' ? 'ready' : state;
}

function toRecord(entry: PreviewCacheEntry): MemoryRecord {
  const { id, url, storedTs, expiresTs, hits, outcome } = entry;
  const base = { id, url, state: stateOf(entry), startedTs: storedTs, expiresTs, hits };
  if (outcome === null) return { ...base, status: null, errcode: null, message: null };
  if (!('error' in outcome)) return { ...base, status: 200, errcode: null, message: null };
  const { error } = outcome;
  if (error instanceof ApiError) {
    return { ...base, status: error.status, errcode: error.errcode, message: error.message };
  }
  return { ...base, status: 500, errcode: 'M_UNKNOWN', message: 'Internal server error' };
}

interface Place {
  rank: number;
  sequence: number;
}

function compare(left: PreviewCacheEntry, right: PreviewCacheEntry): number {
  return comparePlace(left, { rank: RANKS[right.state], sequence: right.sequence });
}

function comparePlace({ state, sequence }: PreviewCacheEntry, place: Place): number {
  return RANKS[state] - place.rank || place.sequence - sequence;
}

function writeCursor({ state, sequence }: PreviewCacheEntry): string {
  return Buffer.from(`${RANKS[state]}.${sequence}`).toString('base64url');
}

function readCursor(cursor: string): Place {
  const [, rank, sequence] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (rank === undefined || sequence === undefined) throw invalidParam('The cursor cannot be read');
  return { rank: Number(rank), sequence: Number(sequence) };
}
