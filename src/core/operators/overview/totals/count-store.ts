import type { Clock } from '../../../base/clock.js';
import type { Database } from '../../../store/db.js';
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

/** Stored previews. */
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

/** How much there is of everything, without counting through big tables. */
export class CountStore {
  constructor(private readonly options: CountStoreOptions) {}

  async keys(): Promise<KeyCounts> {
    const { remoteServer, keyRecord } = this.options.database.client;
    const totals = await this.options.totals.read();
    const now = BigInt(this.options.clock.now());
    const take = COUNTED_ROWS;
    const countServers = (where: Partial<Record<'dueTs' | 'validUntilTs' | 'failCount', object>>) =>
      remoteServer.count({ take, where });
    // Whatever is not due is valid still. Both together are no range of an index, and due ones may be few among many.
    const notDue = await countServers({ dueTs: { gt: now } });
    const valid = await countServers({ validUntilTs: { gt: now } });
    return {
      servers: told(await remoteServer.count({ take }), 'keys.servers', totals),
      records: told(await keyRecord.count({ take }), 'keys.records', totals),
      fresh: told(notDue, 'keys.fresh', totals),
      due: valid < COUNTED_ROWS ? Math.max(0, valid - notDue) : (totals.values.get('keys.due') ?? 0),
      expired: told(await countServers({ validUntilTs: { lte: now } }), 'keys.expired', totals),
      failing: told(await countServers({ failCount: { gt: 0 } }), 'keys.failing', totals),
    };
  }

  async previews(): Promise<StoredPreviewCounts> {
    const { previewCache } = this.options.database.client;
    const totals = await this.options.totals.read();
    const take = COUNTED_ROWS;
    const expiresTs = { gt: BigInt(this.options.clock.now()) };
    const stored = told(await previewCache.count({ take }), 'previews.stored', totals);
    const fresh = told(await previewCache.count({ take, where: { expiresTs } }), 'previews.fresh', totals);
    return { stored, fresh, expired: Math.max(0, stored - fresh) };
  }

  async media(): Promise<MediaCounts> {
    const { database, clock, mediaRetentionMs } = this.options;
    const { media } = database.client;
    const totals = await this.options.totals.read();
    const overdueTs = BigInt(Math.max(0, clock.now() - mediaRetentionMs));
    const take = COUNTED_ROWS;
    const measured = (name: string) => totals.values.get(`media.${name}`) ?? 0;
    return {
      items: told(await media.count({ take, where: { fileRemovedTs: null } }), 'media.items', totals),
      bytes: measured('bytes'),
      diskBytes: diskBytes(totals),
      thumbnails: measured('thumbnails'),
      thumbnailBytes: measured('thumbnailBytes'),
      orphans: measured('orphans'),
      missingFiles: told(
        await media.count({ take, where: { missingSinceTs: { not: null } } }),
        'media.missingFiles',
        totals,
      ),
      dueForDeletion: await media.count({
        take,
        where: { createdTs: { lt: overdueTs }, fileRemovedTs: null, urlCache: { not: null } },
      }),
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
