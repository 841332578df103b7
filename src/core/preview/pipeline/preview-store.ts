import { hash } from 'node:crypto';

import { Batcher } from '../../base/batcher.js';
import type { Database, PreviewRow } from '../../store/db.js';
import { plainRow, type PlainRow } from '../../store/plain-row.js';
import { insertRows, newestPreviews } from '../../store/hot-sql.js';
import { storableText } from '../../base/text/strings.js';
import { hostColumns } from '../../base/text/url.js';
import { parseMediaId } from '../media/media-paths.js';

/** A preview as stored: the persistent cache entry of SPEC §2.5. */
export type StoredPreview = PlainRow<PreviewRow>;

type Stated =
  | 'url'
  | 'responseCode'
  | 'etag'
  | 'openGraph'
  | 'mediaId'
  | 'createdTs'
  | 'expiresTs'
  | 'downloadTs';

export interface NewPreview extends Pick<StoredPreview, Stated> {
  oembedKeys?: readonly string[];
  /** Whether something is missing because its host could not be resolved. */
  isIncomplete?: boolean;
}

const TITLE_LENGTH = 300;
/** Looked up by one statement. */
const MAX_AT_ONCE = 64;

/** Persistent previews; several rows for one URL over time. */
export class PreviewStore {
  /** One statement for all that are looked up at the same time. */
  readonly #newest = new Batcher<string, PreviewRow | null>({
    maxItems: MAX_AT_ONCE,
    gatherMs: 0,
    expected: () => 0,
    write: async (urls) => {
      const rows = await newestPreviews(this.database.client, urls.map(urlSha256));
      return urls.map((url) => rows.find((row) => row.url === url) ?? null);
    },
  });

  constructor(private readonly database: Database) {}

  /**
   * The row for a point in time: the newest downloaded at or before `ts`, else the oldest after it.
   * `null` when the URL was never stored. Whether the row may be used is for the caller to test.
   */
  async findAt(url: string, ts: number): Promise<StoredPreview | null> {
    // Nearly always this one decides: there is no row at all, or the newest is old enough.
    let row = await this.#newest.add(url);
    if (row !== null && Number(row.downloadTs) > ts) {
      const first = (way: 'asc' | 'desc', downloadTs: { lte?: bigint } = {}) =>
        this.database.client.previewCache.findFirst({
          where: { url, urlSha256: urlSha256(url), downloadTs },
          orderBy: [{ downloadTs: way }, { id: way }],
        });
      row = (await first('desc', { lte: BigInt(ts) })) ?? (await first('asc'));
    }
    return row && plainRow(row);
  }

  async save({ oembedKeys = [], isIncomplete = false, ...preview }: NewPreview): Promise<number> {
    const { url, expiresTs, createdTs, downloadTs } = preview;
    const values = new Map<string, unknown>(Object.entries(JSON.parse(preview.openGraph)));
    const title = values.get('og:title');
    const row = {
      ...preview,
      urlSha256: urlSha256(url),
      expiresTs: BigInt(expiresTs),
      createdTs: BigInt(createdTs),
      downloadTs: BigInt(downloadTs),
      oembedKeys: oembedKeys.length === 0 ? null : oembedKeys.join(' '),
      isIncomplete: isIncomplete || null,
      // What lists show and search.
      ...hostColumns(url),
      title: typeof title === 'string' ? storableText(title.slice(0, TITLE_LENGTH)) : null,
      imageMediaId: mediaIdOf(values.get('og:image')),
      isEmpty: values.size === 0,
    };
    const into = { table: 'preview_cache', conflict: 'RETURNING id' };
    const [stored] = await insertRows<{ id: number }>(this.database.client, into, [row]);
    return stored?.id ?? 0;
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

/** The media id of one of our content URIs; `null` for everything else. */
export function mediaIdOf(contentUri: unknown): string | null {
  if (typeof contentUri !== 'string') return null;
  const mediaId = contentUri.slice(contentUri.lastIndexOf('/') + 1);
  return parseMediaId(mediaId) === null ? null : mediaId;
}
