import { ApiError } from '../../base/errors/api-error.js';
import { hostOfUrl, isHostMeant, readHostPattern } from '../../base/text/url-host.js';
import { pageOfAll } from '../../store/lists/page-of-all.js';
import type { CappedCount, Page, PageRequest } from '../../store/lists/keyset-page.js';
import type { PreviewCache, PreviewCacheEntry } from '../../preview/pipeline/preview-cache.js';

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
  /** As `readHostPattern`. */
  host?: string;
  /** What the searcher sees of an address; absent: all of it. */
  shown?: (url: string) => string;
}

const RANKS: Record<PreviewCacheEntry['state'], number> = { failed: 2, running: 1, finished: 0 };
/** More than there will ever be entries. */
const RANK_STEP = 2 ** 40;

/** The memory cache of this process, failed entries first, then the newest. */
export class MemoryList {
  constructor(private readonly cache: PreviewCache) {}

  /** One page. Throws 400 for a text that is no cursor. */
  page(filter: MemoryFilter, request: PageRequest): Page<MemoryRecord> {
    const sorted = this.#find(filter).toSorted((left, right) => placeOf(right) - placeOf(left));
    const page = pageOfAll(sorted, request, { name: 'memory', numberOf: placeOf });
    return { ...page, rows: page.rows.map(({ cursor, row }) => ({ cursor, row: toRecord(row) })) };
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
  forget(which: { ids: readonly string[]; failedOnly: boolean } | 'failed' | 'all'): string[] {
    const wanted = typeof which === 'string' ? null : new Set(which.ids);
    const failedOnly = typeof which === 'string' ? which === 'failed' : which.failedOnly;
    return this.cache
      .list()
      .filter(({ id, state }) => (wanted?.has(id) ?? true) && (!failedOnly || state === 'failed'))
      .filter(({ url }) => this.cache.forget(url))
      .map(({ id }) => id);
  }

  #find({ search, state, host, shown = (url) => url }: MemoryFilter): PreviewCacheEntry[] {
    const text = search?.toLowerCase() ?? '';
    const hosts = host === undefined ? null : readHostPattern(host);
    return this.cache
      .list()
      .filter((entry) => state === undefined || stateOf(entry) === state)
      .filter(({ url }) => hosts === null || isHostMeant(hosts, hostOfUrl(url)))
      .filter(({ url }) => text === '' || shown(url).toLowerCase().includes(text));
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

/** Falls in the order of the list. */
function placeOf({ state, sequence }: PreviewCacheEntry): number {
  return RANKS[state] * RANK_STEP + sequence;
}
