import type { Clock } from '../../../base/clock.js';
import type { Database } from '../../../store/db.js';
import { countUpTo } from '../../../store/lists/count-up-to.js';
import { sql, type Sql } from '../../../store/sql/sql.js';
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
const ALL = sql`1 = 1`;

/** How much there is of everything, without counting through big tables. */
export class CountStore {
  constructor(private readonly options: CountStoreOptions) {}

  async keys(): Promise<KeyCounts> {
    const now = BigInt(this.options.clock.now());
    const count = (where: Sql, total: string) => this.#count('remote_server', where, total);
    return {
      servers: await count(ALL, 'keys.servers'),
      expired: await count(sql`valid_until_ts <= ${now}`, 'keys.expired'),
      failing: await count(sql`fail_count > 0`, 'keys.failing'),
    };
  }

  /** Stored ones. */
  previews(): Promise<number> {
    return this.#count('preview_cache', ALL, 'previews.stored');
  }

  async media(): Promise<MediaCounts> {
    const items = await this.#count('media', sql`file_removed_ts IS NULL`, 'media.items');
    return { items, diskBytes: diskBytes(await this.options.totals.read()) };
  }

  /** A count that reached its bound says less than what was measured. */
  async #count(table: string, where: Sql, total: string): Promise<number> {
    const counted = await countUpTo(this.options.database, { table, where }, COUNTED_ROWS);
    if (counted < COUNTED_ROWS) return counted;
    return Math.max(counted, (await this.options.totals.read()).values.get(total) ?? 0);
  }
}

/** What files and thumbnails of media take, as last measured. */
export function diskBytes({ values }: MeasuredTotals): number {
  return (values.get('media.bytes') ?? 0) + (values.get('media.thumbnailBytes') ?? 0);
}
