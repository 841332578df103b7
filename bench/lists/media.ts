import { systemClock } from '../../src/core/base/clock.js';
import type { Database } from '../../src/core/store/db.js';
import type { MediaFilter, MediaSort } from '../../src/core/operators/media/media-filter.js';
import { DEFAULT_MEDIA_SORT, createMediaList } from '../../src/core/operators/media/media-list.js';
import { measureHost } from '../../src/core/operators/media/host-space.js';
import { MediaRecords } from '../../src/core/operators/media/media-records.js';
import type { ReportLine } from '../support/report.js';
import { benchList } from './list-bench.js';

/** First pages of a million stored media, each with its preview. */
export function benchMediaList(folder: string): Promise<ReportLine[]> {
  return benchList(folder, { name: 'media', fill, pages: mediaPages });
}

const ROWS = 1_000_000;
const PIECE = 50_000;

/** In pieces: one statement for all would take longer than any statement may. */
async function fill(database: Database): Promise<void> {
  for (let from = 0; from < ROWS; from += PIECE) await fillPiece(database, from);
  await database.client.$executeRawUnsafe('ANALYZE');
}

async function fillPiece({ client }: Database, from: number): Promise<void> {
  const mediaId = `'2026-11-20_' || SUBSTR('abcdefghijklmnop', 1, 9) || SUBSTR(CAST(10000000 + i AS TEXT), 2, 7)`;
  const numbers = `WITH RECURSIVE n(i) AS (SELECT ${from + 1} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + PIECE})`;
  const address = `'https://site-' || (i % 997) || '.test/articles/' || i || '?from=list'`;
  const nowTs = systemClock.now();
  await client.$executeRawUnsafe(
    `INSERT INTO media (media_id, user_id, created_ts, content_type, sniffed_type, size_bytes, sha256,
      upload_name, url_cache, host, host_end)
    ${numbers}
    SELECT ${mediaId}, '@user-' || (i % 5000) || ':example.org', ${nowTs} - ${ROWS} + i,
      CASE WHEN i % 3 = 0 THEN 'image/jpeg' ELSE 'text/html; charset=utf-8' END,
      CASE WHEN i % 3 = 0 THEN 'image/jpeg' ELSE NULL END, 1000 + (i % 90001) * 10, 'sha-' || i,
      NULL, ${address}, 'site-' || (i % 997) || '.test', 'site-' || (i % 997) || '.test'
    FROM n`,
  );
  // Every tenth has no preview: an orphan.
  await client.$executeRawUnsafe(
    `INSERT INTO preview_cache (url, url_sha256, response_code, expires_ts, open_graph, media_id, created_ts,
      download_ts, url_key, host)
    ${numbers}
    SELECT ${address}, 'sha-' || i, 200, ${nowTs} + i, '{"og:title":"T"}', ${mediaId}, ${nowTs}, ${nowTs},
      ${address}, 'site-' || (i % 997) || '.test'
    FROM n WHERE i % 10 > 0`,
  );
}

/** What operators ask of it first: pages by name. */
export function mediaPages(database: Database): ReadonlyMap<string, () => Promise<unknown>> {
  const list = createMediaList(database, new MediaRecords(database));
  const page =
    (filter: MediaFilter, sort: MediaSort = DEFAULT_MEDIA_SORT) =>
    async () => {
      const wanted = { filter, sort };
      await list.page(wanted, { direction: 'forward', size: 25, cursor: null });
      await list.count(wanted);
    };
  return new Map<string, () => Promise<unknown>>([
    ['newest first', page({})],
    ['largest first', page({}, { field: 'bytes', direction: 'desc' })],
    ['next to be deleted', page({}, { field: 'deletes', direction: 'asc' })],
    ['of one host', page({ host: 'site-500.test' })],
    ['of one host and those below', page({ host: '.site-500.test' })],
    ['of one owner', page({ owner: '@user-77:example.org' })],
    ['large ones, largest first', page({ minBytes: 900_000 }, { field: 'bytes', direction: 'desc' })],
    ['pictures', page({ contentType: 'image/' })],
    ['orphans', page({ isOrphan: true })],
    ['missing files', page({ fileState: 'missing' })],
    ['a search that finds nothing', page({ search: 'nowhere-to-be-found' })],
    ['space of one host', () => measureHost(database, 'site-500.test')],
    ['space of all hosts below a domain', () => measureHost(database, '.test')],
  ]);
}
