import type { Clock } from '../../../base/clock.js';
import type { Database } from '../../../store/db.js';
import type { MeasuredTotals, TotalStore } from './total-store.js';

/** Servers of the key store. */
export interface KeyCounts {
  servers: number;
  /** Whose newest record is valid no more. */
  expired: number;
  /** Whose last fetch failed. */
  failing: number;
}

/** Media in store. */
export interface MediaCounts {
  items: number;
  /** Files and thumbnails, as last measured. */
  diskBytes: number;
}

export interface CountStoreOptions {
  database: Database;
  totals: TotalStore;
  clock: Clock;
}

/** Up to here rows are counted at each look; beyond, the measured total is shown. */
const COUNTED_ROWS = 10_000;

/** How much there is of everything, without counting through big tables. */
export class CountStore {
  constructor(private readonly options: CountStoreOptions) {}

  async keys(): Promise<KeyCounts> {
    const { remoteServer } = this.options.database.client;
    const validUntilTs = { lte: BigInt(this.options.clock.now()) };
    const take = COUNTED_ROWS;
    const expired = { where: { validUntilTs }, orderBy: { validUntilTs: 'asc' }, take } as const;
    const failing = { where: { failCount: { gt: 0 } }, orderBy: { failCount: 'desc' }, take } as const;
    return {
      servers: await this.#atLeast(await remoteServer.count({ take }), 'keys.servers'),
      expired: await this.#atLeast(await remoteServer.count(expired), 'keys.expired'),
      failing: await this.#atLeast(await remoteServer.count(failing), 'keys.failing'),
    };
  }

  /** Stored ones. */
  async previews(): Promise<number> {
    const { previewCache } = this.options.database.client;
    return this.#atLeast(await previewCache.count({ take: COUNTED_ROWS }), 'previews.stored');
  }

  async media(): Promise<MediaCounts> {
    const { media } = this.options.database.client;
    const counted = await media.count({ where: { fileRemovedTs: null }, take: COUNTED_ROWS });
    const items = await this.#atLeast(counted, 'media.items');
    return { items, diskBytes: diskBytes(await this.options.totals.read()) };
  }

  /** A count that reached its bound says less than what was measured. */
  async #atLeast(counted: number, total: string): Promise<number> {
    if (counted < COUNTED_ROWS) return counted;
    return Math.max(counted, (await this.options.totals.read()).values.get(total) ?? 0);
  }
}

/** What files and thumbnails of media take, as last measured. */
export function diskBytes({ values }: MeasuredTotals): number {
  return (values.get('media.bytes') ?? 0) + (values.get('media.thumbnailBytes') ?? 0);
}
