import { hash } from 'node:crypto';

import type { Database } from '../../store/db.js';
import { sql, type Sql } from '../../store/sql/sql.js';
import { previewColumns } from './preview-columns.js';

/** A preview as stored: the persistent cache entry of SPEC §2.5. */
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
  /** Whether something is missing because its host could not be resolved. */
  isIncomplete: boolean;
}

export interface NewPreview extends Omit<StoredPreview, 'id' | 'isIncomplete'> {
  /** Names of the values an oEmbed answer gave. */
  oembedKeys?: readonly string[];
  isIncomplete?: boolean;
}

/** As `PlainSql` gives it. */
interface Row extends Omit<StoredPreview, 'id' | 'expiresTs' | 'createdTs' | 'downloadTs' | 'isIncomplete'> {
  id: number | string;
  expiresTs: number | string;
  createdTs: number | string;
  downloadTs: number | string;
  isIncomplete: boolean | number | null;
}

/** Persistent previews; several rows for one URL over time. Plain SQL, because every preview passes here. */
export class PreviewStore {
  constructor(private readonly database: Database) {}

  /**
   * The row for a point in time: the newest downloaded at or before `ts`, else the oldest after it.
   * `null` when the URL was never stored. Whether the row may be used is for the caller to test.
   */
  async findAt(url: string, ts: number): Promise<StoredPreview | null> {
    // Nearly always this one decides: there is no row at all, or the newest is old enough.
    let row = await this.#first(url, sql`ORDER BY download_ts DESC, id DESC`);
    if (row !== undefined && Number(row.downloadTs) > ts) {
      const until = sql`AND download_ts <= ${BigInt(ts)} ORDER BY download_ts DESC, id DESC`;
      row = (await this.#first(url, until)) ?? (await this.#first(url, sql`ORDER BY download_ts, id`));
    }
    if (row === undefined) return null;
    return {
      ...row,
      id: Number(row.id),
      expiresTs: Number(row.expiresTs),
      createdTs: Number(row.createdTs),
      downloadTs: Number(row.downloadTs),
      isIncomplete: Boolean(row.isIncomplete),
    };
  }

  async #first(url: string, rest: Sql): Promise<Row | undefined> {
    const statement = sql`
      SELECT id, url, response_code AS "responseCode", etag, expires_ts AS "expiresTs", open_graph AS "openGraph",
        media_id AS "mediaId", created_ts AS "createdTs", download_ts AS "downloadTs", is_incomplete AS "isIncomplete"
      FROM preview_cache WHERE url_sha256 = ${urlSha256(url)} AND url = ${url} ${rest} LIMIT 1`;
    const [row] = await this.database.plain.query<Row>(statement);
    return row;
  }

  /** Inserts a row; resolves to its id. */
  async save({ oembedKeys = [], isIncomplete = false, ...preview }: NewPreview): Promise<number> {
    const { url, responseCode, etag, openGraph, mediaId } = preview;
    const { urlKey, host, hostEnd, title, imageMediaId, isEmpty } = previewColumns(url, openGraph);
    const [row] = await this.database.plain.query<{ id: number | string }>(sql`
      INSERT INTO preview_cache (url, url_sha256, response_code, etag, expires_ts, open_graph, media_id, created_ts,
        download_ts, url_key, host, host_end, title, image_media_id, is_empty, oembed_keys, is_incomplete)
      VALUES (${url}, ${urlSha256(url)}, ${responseCode}, ${etag}, ${BigInt(preview.expiresTs)}, ${openGraph}, ${mediaId},
        ${BigInt(preview.createdTs)}, ${BigInt(preview.downloadTs)}, ${urlKey}, ${host}, ${hostEnd}, ${title},
        ${imageMediaId}, ${isEmpty}, ${oembedKeys.length === 0 ? null : oembedKeys.join(' ')}, ${isIncomplete || null})
      RETURNING id`);
    return Number(row?.id);
  }
}

/** Usable for `ts` (SPEC §4.7.3): still valid then, and the answer of a successful download (200 to 299). */
export function isUsable(preview: StoredPreview, ts: number): boolean {
  return preview.expiresTs > ts && preview.responseCode >= 200 && preview.responseCode <= 299;
}

/** By which rows of an address are found: whole addresses are too long for an index. */
export function urlSha256(url: string): string {
  return hash('sha256', url, 'hex');
}
