import type { Clock } from '../../base/clock.js';
import { storableText } from '../../base/text/strings.js';
import { type AddressSearch, searchableText, searchableUrl } from '../../base/text/url.js';
import { urlSha256 } from '../../preview/pipeline/preview-store.js';
import type { Database, PreviewRow } from '../../store/db.js';
import {
  anyContains,
  createdOf,
  textIn,
  timeRange,
  type CreationFilter,
  type ListCondition,
  type ListedRow,
} from '../../store/lists/keyset-filter.js';
import { type Listing, RecordList } from '../../store/lists/record-list.js';
import { type PlainRow, plainRow } from '../../store/plain-row.js';

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

/** What lists leave alone, the answer above all, which may be long. */
const UNLISTED = { urlSha256: true, openGraph: true, downloadTs: true, oembedKeys: true } as const;

/** A stored preview as lists show it. */
export type PreviewRecord = PlainRow<Omit<PreviewRow, keyof typeof UNLISTED>>;

/** Of all media asked for together. */
const MAX_USERS = 2000;

/** Previews by row, in any order. */
export async function findPreviews({ client }: Database, ids: readonly number[]): Promise<PreviewRecord[]> {
  const rows = await client.previewCache.findMany({ where: { id: { in: [...ids] } }, omit: UNLISTED });
  return rows.map(plainRow);
}

/** The newest preview of an address. */
export async function findPreviewOfUrl({ client }: Database, url: string): Promise<PreviewRecord | null> {
  const rows = await client.previewCache.findMany({
    // By the digest alone: not every address is one that a database takes.
    where: { urlSha256: urlSha256(url) },
    orderBy: [{ downloadTs: 'desc' }, { id: 'desc' }],
    omit: UNLISTED,
  });
  const row = rows.find((one) => one.url === url);
  return row === undefined ? null : plainRow(row);
}

/** Ids of all rows of an address but one. */
export async function otherIdsOfUrl({ client }: Database, url: string, id: number): Promise<number[]> {
  const rows = await client.previewCache.findMany({
    where: { urlSha256: urlSha256(url), url, id: { not: id } },
    select: { id: true },
  });
  return rows.map((row) => row.id);
}

/** What previews answer, in any order. */
export async function contentsOfPreviews({ client }: Database, ids: readonly number[]) {
  const rows = await client.previewCache.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, openGraph: true, oembedKeys: true },
  });
  return rows.map(({ oembedKeys, ...row }) => ({ ...row, oembedKeys: new Set(oembedKeys?.split(' ')) }));
}

/** Previews that use media as page or as image, newest first. Stored media serve one preview, seldom two. */
export async function usersOfMedia(
  { client }: Database,
  mediaIds: readonly string[],
): Promise<PreviewRecord[]> {
  const wanted = { in: [...mediaIds] };
  const rows = await client.previewCache.findMany({
    where: { OR: [{ mediaId: wanted }, { imageMediaId: wanted }] },
    orderBy: { id: 'desc' },
    take: MAX_USERS,
    omit: UNLISTED,
  });
  return rows.map(plainRow);
}

/** Which stored previews are wanted; absent members do not matter. */
export interface PreviewFilter extends CreationFilter, AddressSearch {
  ids?: readonly number[] | null;
  /** Part of the address, as it is shown, or the title. */
  search?: string | null;
  state?: 'fresh' | 'expired' | null;
  responseCode?: number | null;
  /** User whose request stored it. */
  owner?: string | null;
  hasImage?: boolean | null;
  /** Whether the answer is `{}`. */
  empty?: boolean | null;
}

/** What stored previews can be sorted by, each with an index. */
const SORTED = ['createdTs', 'expiresTs'] as const;

export interface WantedPreviews {
  filter: PreviewFilter;
  /** Absent: by age. */
  sortBy?: (typeof SORTED)[number] | null;
  /** Absent: newest first. */
  direction?: 'asc' | 'desc' | null;
}

export function previewList(
  database: Database,
  clock: Clock,
): RecordList<WantedPreviews, number, PreviewRecord> {
  return new RecordList(database, {
    listing: (wanted) => previewListing(wanted, database, clock.now()),
    find: (ids) => findPreviews(database, ids),
    keyOf: ({ id }) => id,
  });
}

/** The list of stored previews that a filter lets through; `nowTs` decides what is fresh. */
function previewListing(
  { filter, sortBy, direction }: WantedPreviews,
  database: Database,
  nowTs: number,
): Listing {
  const { ids, search, state, responseCode, owner, hasImage = null, empty: isEmpty = null } = filter;
  const order = {
    model: 'previewCache',
    sort: { name: sortBy ?? 'createdTs', direction: direction ?? 'desc' },
    key: { name: 'id' },
  } as const;
  const found = {
    fields: ['url', 'title', 'host'],
    shown: (row: ListedRow): string[] => [
      searchableUrl(textIn(row, 'url'), textIn(row, 'host'), filter),
      searchableText(textIn(row, 'title'), filter),
    ],
  };
  return {
    ...order,
    conditions: [
      ...createdOf(filter),
      ids && { where: { id: { in: [...ids] } }, servedBy: SORTED },
      state === 'fresh' && timeRange('expiresTs', nowTs + 1, null),
      state === 'expired' && timeRange('expiresTs', null, nowTs + 1),
      typeof responseCode === 'number' && { where: { responseCode } },
      typeof owner === 'string' && ownedBy(database, owner),
      hasImage !== null && { where: { imageMediaId: hasImage ? { not: null } : null } },
      isEmpty !== null && { where: { isEmpty } },
      anyContains(database.engine, found, search),
    ],
  };
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
