import { ApiError } from '../../base/errors/api-error.js';
import { hostOfUrl, isHostMeant, readHostPattern } from '../../base/text/url-host.js';
import { pageOfAll } from '../../store/lists/page-of-all.js';
import type { Page, PageRequest } from '../../store/lists/keyset-page.js';
import type { PreviewForgetting } from '../../preview/pipeline/preview-forgetting.js';
import type { PreviewCache, PreviewCacheEntry } from '../../preview/pipeline/preview-cache.js';

/** An entry of the memory cache as operators see it. */
export interface MemoryRecord {
  id: string;
  /** Falls in the order of the list. */
  place: number;
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

export type MemoryState = 'running' | 'ready' | 'failed';

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

const RANKS: Record<MemoryState, number> = { failed: 2, running: 1, ready: 0 };
/** More than any time in ms, with room for the order within one. */
const RANK_STEP = 2 ** 51;
const ORDERS_PER_MS = 2 ** 10;

/** The memory cache of this process, failed entries first, then the newest. */
export class MemoryList {
  constructor(
    private readonly cache: PreviewCache,
    private readonly forgetting: PreviewForgetting,
  ) {}

  /** One page. Throws 400 for a text that is not a cursor. */
  page(filter: MemoryFilter, request: PageRequest): { page: Page<MemoryRecord>; count: number } {
    const sorted = this.#all(filter).toSorted((left, right) => right.place - left.place);
    const page = pageOfAll(sorted, request, { name: 'memory', numberOf: ({ place }) => place });
    return { page, count: sorted.length };
  }

  /** Forgets entries (`null`: all), on other instances too; resolves to the ids of those that went here. */
  async forget({
    ids,
    failedOnly,
  }: {
    ids: readonly string[] | null;
    failedOnly: boolean;
  }): Promise<string[]> {
    const wanted = this.#all(failedOnly ? { state: 'failed' } : {}).filter(
      ({ id }) => ids?.includes(id) ?? true,
    );
    await (ids === null
      ? this.forgetting.forgetAll({ failedOnly })
      : this.forgetting.forget(wanted.map(({ url }) => url)));
    return wanted.map(({ id }) => id);
  }

  #all(filter: MemoryFilter): MemoryRecord[] {
    const isMeant = meantBy(filter);
    return this.cache
      .list()
      .filter((entry) => isMeant({ url: entry.url, state: stateOf(entry) }))
      .map(toRecord);
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
}

/** Whether entries are wanted. */
function meantBy({
  search,
  state,
  host,
  shown = (url) => url,
}: MemoryFilter): (entry: Pick<MemoryRecord, 'url' | 'state'>) => boolean {
  const text = search?.toLowerCase() ?? '';
  const hosts = host === undefined ? null : readHostPattern(host);
  return (entry) =>
    (state === undefined || entry.state === state) &&
    (hosts === null || isHostMeant(hosts, hostOfUrl(entry.url))) &&
    (text === '' || shown(entry.url).toLowerCase().includes(text));
}

function stateOf({ state }: PreviewCacheEntry): MemoryState {
  return state === 'finished' ? 'ready' : state;
}

function toRecord(entry: PreviewCacheEntry): MemoryRecord {
  const { id, url, storedTs, expiresTs, hits, outcome, sequence } = entry;
  const state = stateOf(entry);
  const place = RANKS[state] * RANK_STEP + storedTs * ORDERS_PER_MS + (sequence % ORDERS_PER_MS);
  const base = { id, place, url, state, startedTs: storedTs, expiresTs, hits };
  if (outcome === null) return { ...base, status: null, errcode: null, message: null };
  if (!('error' in outcome)) return { ...base, status: 200, errcode: null, message: null };
  const { error } = outcome;
  if (error instanceof ApiError) {
    return { ...base, status: error.status, errcode: error.errcode, message: error.message };
  }
  return { ...base, status: 500, errcode: 'M_UNKNOWN', message: 'Internal server error' };
}
