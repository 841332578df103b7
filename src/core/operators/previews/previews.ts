import type { Clock } from '../../base/clock.js';
import { type AddressSearch, searchableText, searchableUrl } from '../../base/text/url.js';
import { storableText } from '../../base/text/strings.js';
import { urlSha256 } from '../../preview/pipeline/preview-store.js';
import type { Database, PreviewRow } from '../../store/db.js';
import {
  anyContains,
  createdOf,
  type CreationFilter,
  type ListCondition,
  type ListedRow,
  textIn,
  timeRange,
} from '../../store/lists/keyset-filter.js';
import { RecordList, type Listing } from '../../store/lists/record-list.js';

/** Where a value of a preview comes from: the page, an oEmbed answer, or made here from the stored image. */
export type PropertyOrigin = 'page' | 'oembed' | 'made';

export interface PreviewProperty {
  key: string;
  value: string | number | null;
  origin: PropertyOrigin;
}

const MADE_OF_IMAGE = /^(?:og:image(?::(?:type|width|height))?|[a-z]{1,20}:image:size)$/;

/** The values of an answer in its order. `openGraph` is the JSON text that clients get. */
export function propertiesOf(openGraph: string, oembedKeys: ReadonlySet<string>): PreviewProperty[] {
  // The answers we make hold nothing else.
  const values: Record<string, PreviewProperty['value']> = JSON.parse(openGraph);
  const hasImage = Object.hasOwn(values, 'og:image');
  return Object.entries(values).map(([key, value]) => ({
    key,
    value,
    origin: originOf(key, { hasImage, oembedKeys }),
  }));
}

/** Where one value comes from; the image of an answer is always our copy. */
export function originOf(
  key: string,
  { hasImage, oembedKeys }: { hasImage: boolean; oembedKeys: ReadonlySet<string> },
): PropertyOrigin {
  if (hasImage && MADE_OF_IMAGE.test(key)) return 'made';
  return oembedKeys.has(key) ? 'oembed' : 'page';
}

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

/** Which stored previews are wanted; absent members do not matter. */
export interface PreviewFilter extends CreationFilter, AddressSearch {
  ids?: readonly number[];
  /** Part of the address, as it is shown, or the title. */
  search?: string;
  state?: 'fresh' | 'expired';
  responseCode?: number;
  /** User whose request stored it. Exact. */
  owner?: string;
  hasImage?: boolean;
  /** Whether the answer is `{}`. */
  isEmpty?: boolean;
}

/** What stored previews can be sorted by, each with an index. */
export type PreviewSortField = 'created' | 'expires';

/** An order of stored previews. */
export interface PreviewSort {
  field: PreviewSortField;
  direction: 'asc' | 'desc';
}

export interface WantedPreviews {
  filter: PreviewFilter;
  sort: PreviewSort;
}

export type PreviewList = RecordList<WantedPreviews, number, PreviewRecord>;

/** Newest first. */
export const DEFAULT_PREVIEW_SORT: PreviewSort = { field: 'created', direction: 'desc' };

export function createPreviewList(database: Database, records: PreviewRecords, clock: Clock): PreviewList {
  return new RecordList(database, {
    listing: ({ filter, sort }) => previewListing(filter, sort, { database, nowTs: clock.now() }),
    find: (ids) => records.find(ids),
    keyOf: ({ id }) => id,
  });
}

const SORTS = { created: 'createdTs', expires: 'expiresTs' } as const;

/** The list of stored previews that a filter lets through; `nowTs` decides what is fresh. */
function previewListing(
  filter: PreviewFilter,
  sort: PreviewSort,
  { database, nowTs }: { database: Database; nowTs: number },
): Listing {
  const { ids, search = '', state, responseCode, owner, hasImage, isEmpty } = filter;
  const conditions: ListCondition[] = createdOf(filter);
  if (ids !== undefined) conditions.push({ where: { id: { in: [...ids] } }, servedBy: Object.values(SORTS) });
  if (state !== undefined) {
    const range = state === 'fresh' ? { fromTs: nowTs + 1, toTs: null } : { fromTs: null, toTs: nowTs + 1 };
    conditions.push(...timeRange('expiresTs', range));
  }
  if (responseCode !== undefined) conditions.push({ where: { responseCode } });
  if (owner !== undefined) conditions.push(ownedBy(database, owner));
  if (hasImage !== undefined) conditions.push({ where: { imageMediaId: hasImage ? { not: null } : null } });
  if (isEmpty !== undefined) conditions.push({ where: { isEmpty } });
  if (search !== '') {
    const shown = (row: ListedRow): string[] => [
      searchableUrl(textIn(row, 'url'), textIn(row, 'host'), filter),
      searchableText(textIn(row, 'title'), filter),
    ];
    conditions.push(anyContains(database.engine, { fields: ['url', 'title', 'host'], shown }, search));
  }
  const order = {
    model: 'previewCache',
    sort: { name: SORTS[sort.field], kind: 'integer', nullable: false, direction: sort.direction },
    key: { name: 'id', kind: 'integer' },
  } as const;
  return { ...order, conditions };
}

/** The user stands with the page or image that the preview was made from. */
function ownedBy(database: Database, owner: string): ListCondition {
  const keep = async (rows: readonly ListedRow[]): Promise<readonly ListedRow[]> => {
    const mediaId = { in: rows.map((row) => textIn(row, 'mediaId')) };
    const where = { mediaId, userId: storableText(owner) };
    const media = await database.client.media.findMany({ where, select: { mediaId: true } });
    const owned = new Set(media.map((one) => one.mediaId));
    return rows.filter((row) => owned.has(textIn(row, 'mediaId')));
  };
  return { where: { mediaId: { not: '' } }, fields: ['mediaId'], keep };
}
