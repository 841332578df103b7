import type { Database, PreviewRow } from '../../store/db.js';
import { urlSha256 } from '../../preview/pipeline/preview-store.js';

/** A stored preview as lists show it. */
export interface PreviewRecord {
  id: number;
  url: string;
  host: string;
  responseCode: number;
  etag: string | null;
  createdTs: number;
  expiresTs: number;
  title: string | null;
  /** The downloaded page or image; its media may be gone. */
  mediaId: string;
  /** The image; its media may be gone. */
  imageMediaId: string | null;
  isEmpty: boolean;
}

/** What a stored preview answers, and where it comes from as far as that is kept. */
export interface PreviewContent {
  id: number;
  /** The answer, byte for byte. */
  openGraph: string;
  /** Names of the values an oEmbed answer gave. */
  oembedKeys: ReadonlySet<string>;
}

/** What lists leave alone, the answer above all, which may be long. */
const UNLISTED = {
  urlSha256: true,
  openGraph: true,
  downloadTs: true,
  oembedKeys: true,
} as const;

/** Of all media asked for together. */
const MAX_USERS = 2000;

const OLDEST_FIRST = [{ downloadTs: 'asc' as const }, { id: 'asc' as const }];

/** Reads rows of preview_cache for operators, many at a time. */
export class PreviewRecords {
  constructor(private readonly database: Database) {}

  /** Those of the given previews that are there, in the order asked for. */
  async find(ids: readonly number[]): Promise<PreviewRecord[]> {
    const rows = await this.database.client.previewCache.findMany({
      where: { id: { in: [...ids] } },
      omit: UNLISTED,
    });
    const found = new Map(rows.map((row) => [row.id, toRecord(row)]));
    return ids.map((id) => found.get(id)).filter((record) => record !== undefined);
  }

  /** The newest row of an address, or `null`. */
  async findByUrl(url: string): Promise<PreviewRecord | null> {
    return (await this.findByUrls([url])).get(url) ?? null;
  }

  /** The newest row of each address that has one. */
  async findByUrls(urls: readonly string[]): Promise<Map<string, PreviewRecord>> {
    const rows = await this.database.client.previewCache.findMany({
      // By the digests alone: not every address is one that a database takes.
      where: { urlSha256: { in: urls.map(urlSha256) } },
      orderBy: OLDEST_FIRST,
      omit: UNLISTED,
    });
    return new Map(rows.map((row) => [row.url, toRecord(row)]));
  }

  /** Ids of all rows of an address but one. */
  async otherIdsOfUrl(url: string, id: number): Promise<number[]> {
    const rows = await this.database.client.previewCache.findMany({
      where: { urlSha256: urlSha256(url), url, id: { not: id } },
      select: { id: true },
    });
    return rows.map((row) => row.id);
  }

  /** Answers of the given previews, in no order. */
  async contents(ids: readonly number[]): Promise<PreviewContent[]> {
    const rows = await this.database.client.previewCache.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, openGraph: true, oembedKeys: true },
    });
    return rows.map(({ id, openGraph, oembedKeys }) => ({
      id,
      openGraph,
      oembedKeys: new Set(oembedKeys === null ? [] : oembedKeys.split(' ')),
    }));
  }

  /** Previews that use each media as page or as image, newest first. Stored media serve one preview, seldom two. */
  async usersOf(mediaIds: readonly string[]): Promise<Map<string, PreviewRecord[]>> {
    const wanted = { in: [...mediaIds] };
    const rows = await this.database.client.previewCache.findMany({
      where: { OR: [{ mediaId: wanted }, { imageMediaId: wanted }] },
      orderBy: { id: 'desc' },
      take: MAX_USERS,
      omit: UNLISTED,
    });
    const records = rows.map(toRecord);
    return new Map(
      mediaIds.map((id) => [
        id,
        records.filter(({ mediaId, imageMediaId }) => mediaId === id || imageMediaId === id),
      ]),
    );
  }
}

function toRecord(row: Omit<PreviewRow, keyof typeof UNLISTED>): PreviewRecord {
  return { ...row, createdTs: Number(row.createdTs), expiresTs: Number(row.expiresTs) };
}
