import { systemClock } from '../../src/core/base/clock.js';
import type { Database } from '../../src/core/store/db.js';
import type { PreviewFilter, PreviewSort } from '../../src/core/operators/previews/preview-filter.js';
import { createPreviewList } from '../../src/core/operators/previews/preview-list.js';
import { PreviewRecords } from '../../src/core/operators/previews/preview-records.js';
import type { ReportLine } from '../support/report.js';
import { benchList } from './list-bench.js';

/** First pages of a million stored previews. */
export function benchPreviewList(folder: string): Promise<ReportLine[]> {
  return benchList(folder, { name: 'previews', fill, pages: previewPages });
}

const ROWS = 1_000_000;
const PIECE = 50_000;
const NEWEST_FIRST: PreviewSort = { field: 'created', direction: 'desc' };

/** In pieces: one statement for all would take longer than any statement may. */
async function fill(database: Database): Promise<void> {
  for (let from = 0; from < ROWS; from += PIECE) await fillPiece(database, from);
  await database.client.$executeRawUnsafe('ANALYZE');
}

async function fillPiece({ client }: Database, from: number): Promise<void> {
  const title = `'Page number ' || i || ' of a site with titles of usual length'`;
  const media = `'2026-11-20_' || SUBSTR('abcdefghijklmnop' || i, 1, 16)`;
  await client.$executeRawUnsafe(
    `INSERT INTO preview_cache (url, url_sha256, response_code, etag, expires_ts, open_graph, media_id,
      created_ts, download_ts, url_key, host, host_end, title, image_media_id, is_empty)
    WITH RECURSIVE n(i) AS (SELECT ${from + 1} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + PIECE})
    SELECT 'https://site-' || (i % 997) || '.test/articles/' || i || '?from=list', 'sha-' || i,
      CASE WHEN i % 50 = 0 THEN 203 ELSE 200 END, NULL, ${systemClock.now()} + i,
      '{"og:title":"' || ${title} || '","og:description":"' ||
        '${'A description of some length. '.repeat(10)}' || '"}',
      ${media}, ${systemClock.now()} - 5000000 + i, ${systemClock.now()} - 5000000 + i,
      'https://site-' || (i % 997) || '.test/articles/' || i || '?from=list',
      'site-' || (i % 997) || '.test', 'site-' || (i % 997) || '.test', ${title},
      CASE WHEN i % 3 = 0 THEN NULL ELSE ${media} END, i % 20 = 0
    FROM n`,
  );
}

/** What operators ask of it first: pages by name. */
export function previewPages(database: Database): ReadonlyMap<string, () => Promise<unknown>> {
  const list = createPreviewList(database, new PreviewRecords(database), systemClock);
  const page =
    (filter: PreviewFilter, sort = NEWEST_FIRST) =>
    async () => {
      const wanted = { filter, sort };
      await list.page(wanted, { direction: 'forward', size: 25, cursor: null });
      await list.count(wanted);
    };
  return new Map([
    ['newest first', page({})],
    ['by expiry', page({}, { field: 'expires', direction: 'asc' })],
    ['by address', page({}, { field: 'url', direction: 'asc' })],
    ['by status', page({}, { field: 'responseCode', direction: 'desc' })],
    ['of one host', page({ host: 'site-500.test' })],
    ['of one host, by expiry', page({ host: 'site-500.test' }, { field: 'expires', direction: 'asc' })],
    ['of one host and those below', page({ host: '.site-500.test' })],
    ['below a host that has none', page({ host: '*.site-500.test' })],
    ['below a name of one label', page({ host: '.nowhere' })],
    ['without image', page({ hasImage: false })],
    ['a search that finds all', page({ search: 'Articles' })],
    ['a search that finds nothing', page({ search: 'nowhere-to-be-found' })],
  ]);
}
