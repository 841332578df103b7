import { createHash } from 'node:crypto';

import type { Database } from '../db/db.js';
import { previewColumns } from './preview-columns.js';

/** A preview as stored: the persistent cache entry of §2.5. */
export interface StoredPreview {
  id: number;
  url: string;
  responseCode: number;
  etag: string | null;
  expiresTs: number;
  /** The answer, byte for byte. */
  openGraph: string;
  mediaId: string;
  createdTs: number;
  /** When the download was sent, POSIX ms. */
  downloadTs: number;
}

/** A preview to be stored. */
export interface NewPreview extends Omit<StoredPreview, 'id'> {
  /** Names of the values an oEmbed answer gave. */
  oembedKeys?: readonly string[];
}

const NEWEST_FIRST = [{ downloadTs: 'desc' as const }, { id: 'desc' as const }];

/** Persistent previews; several rows for one URL over time. */
export class PreviewStore {
  constructor(private readonly database: Database) {}

  /**
   * The row for a point in time: the newest downloaded at or before `ts`, else the oldest after it (D10).
   * `null` when the URL was never stored. Whether the row may be used is for the caller to test.
   */
  async findAt(url: string, ts: number): Promise<StoredPreview | null> {
    const { previewCache } = this.database.client;
    const where = { urlSha256: sha256(url), url };
    // Nearly always this one decides: there is no row at all, or the newest is old enough.
    const newest = await previewCache.findFirst({ where, orderBy: NEWEST_FIRST });
    const row =
      newest === null || newest.downloadTs <= BigInt(ts)
        ? newest
        : ((await previewCache.findFirst({
            where: { ...where, downloadTs: { lte: BigInt(ts) } },
            orderBy: NEWEST_FIRST,
          })) ?? (await previewCache.findFirst({ where, orderBy: [{ downloadTs: 'asc' }, { id: 'asc' }] })));
    if (row === null) return null;
    return {
      ...row,
      expiresTs: Number(row.expiresTs),
      createdTs: Number(row.createdTs),
      downloadTs: Number(row.downloadTs),
    };
  }

  /** Inserts a row; resolves to its id. */
  async save({ oembedKeys = [], ...preview }: NewPreview): Promise<number> {
    const { id } = await this.database.client.previewCache.create({
      data: {
        ...preview,
        ...previewColumns(preview.url, preview.openGraph),
        oembedKeys: oembedKeys.length === 0 ? null : oembedKeys.join(' '),
        urlSha256: sha256(preview.url),
        expiresTs: BigInt(preview.expiresTs),
        createdTs: BigInt(preview.createdTs),
        downloadTs: BigInt(preview.downloadTs),
      },
      select: { id: true },
    });
    return id;
  }
}

/** Usable for `ts` (§4.7.3): still valid then, and the answer of a successful download (200 to 299, D9). */
export function isUsable(preview: StoredPreview, ts: number): boolean {
  return preview.expiresTs > ts && preview.responseCode >= 200 && preview.responseCode <= 299;
}

function sha256(url: string): string {
  return createHash('sha256').update(url).digest('hex');
}
