import type { Clock } from '../../../base/clock.js';
import type { Database } from '../../../store/db.js';
import { countUpTo } from '../../../store/lists/count-up-to.js';
import { sql, type Sql } from '../../../store/sql/sql.js';
import type { MediaSums } from './media-measure-store.js';
import type { MeasuredTotals, TotalStore } from './total-store.js';

/** Servers of the key store and the state of their newest record. */
export interface KeyCounts {
  servers: number;
  records: number;
  fresh: number;
  due: number;
  expired: number;
  failing: number;
}

export interface StoredPreviewCounts {
  stored: number;
  fresh: number;
  expired: number;
}

/** Media, as last measured; items and those due for deletion are counted now where they are few. */
export interface MediaCounts extends MediaSums {
  /** Files and thumbnails: the one figure for what media takes on disk. */
  diskBytes: number;
  dueForDeletion: number;
  /** `null`: never measured. */
  measuredTs: number | null;
}

export interface CountStoreOptions {
  database: Database;
  totals: TotalStore;
  clock: Clock;
  mediaRetentionMs: number;
}

/** Up to here rows are counted at each look; beyond, the measured total is told. */
const COUNTED_ROWS = 10_000;
const ALL = sql`1 = 1`;

/** How much there is of everything, without counting through big tables. */
export class CountStore {
  constructor(private readonly options: CountStoreOptions) {}

  async keys(): Promise<KeyCounts> {
    const totals = await this.options.totals.read();
    const now = BigInt(this.options.clock.now());
    // Whatever is not due is valid still. Both together are no range of an index, and due ones may be few among many.
    const notDue = await this.#count('remote_server', sql`due_ts > ${now}`);
    const valid = await this.#count('remote_server', sql`valid_until_ts > ${now}`);
    return {
      servers: told(await this.#count('remote_server', ALL), 'keys.servers', totals),
      records: told(await this.#count('key_record', ALL), 'keys.records', totals),
      fresh: told(notDue, 'keys.fresh', totals),
      due: valid < COUNTED_ROWS ? Math.max(0, valid - notDue) : (totals.values.get('keys.due') ?? 0),
      expired: told(
        await this.#count('remote_server', sql`valid_until_ts <= ${now}`),
        'keys.expired',
        totals,
      ),
      failing: told(await this.#count('remote_server', sql`fail_count > 0`), 'keys.failing', totals),
    };
  }

  #count(table: string, where: Sql): Promise<number> {
    return countUpTo(this.options.database, { table, where }, COUNTED_ROWS);
  }

  async previews(): Promise<StoredPreviewCounts> {
    const totals = await this.options.totals.read();
    const now = BigInt(this.options.clock.now());
    const stored = told(await this.#count('preview_cache', ALL), 'previews.stored', totals);
    const valid = await this.#count('preview_cache', sql`expires_ts > ${now}`);
    const fresh = told(valid, 'previews.fresh', totals);
    return { stored, fresh, expired: Math.max(0, stored - fresh) };
  }

  async media(): Promise<MediaCounts> {
    const { clock, mediaRetentionMs } = this.options;
    const totals = await this.options.totals.read();
    const overdueTs = BigInt(Math.max(0, clock.now() - mediaRetentionMs));
    const measured = (name: string) => totals.values.get(`media.${name}`) ?? 0;
    return {
      items: told(await this.#count('media', sql`file_removed_ts IS NULL`), 'media.items', totals),
      bytes: measured('bytes'),
      diskBytes: diskBytes(totals),
      thumbnails: measured('thumbnails'),
      thumbnailBytes: measured('thumbnailBytes'),
      orphans: measured('orphans'),
      missingFiles: told(
        await this.#count('media', sql`missing_since_ts IS NOT NULL`),
        'media.missingFiles',
        totals,
      ),
      dueForDeletion: await this.#count(
        'media',
        sql`created_ts < ${overdueTs} AND file_removed_ts IS NULL AND url_cache IS NOT NULL`,
      ),
      measuredTs: totals.measuredTs,
    };
  }
}

/** What files and thumbnails of media take, as last measured. */
export function diskBytes({ values }: MeasuredTotals): number {
  return (values.get('media.bytes') ?? 0) + (values.get('media.thumbnailBytes') ?? 0);
}

/** A count that reached its bound says less than what was measured. */
function told(counted: number, name: string, totals: MeasuredTotals): number {
  return counted < COUNTED_ROWS ? counted : Math.max(counted, totals.values.get(name) ?? 0);
}
