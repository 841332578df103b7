import { systemClock } from '../../src/core/base/clock.js';
import type { Database } from '../../src/core/store/db.js';
import { findLatestFetches } from '../../src/core/operators/keys/fetch-history.js';
import {
  ALL_SERVERS,
  createServerList,
  type ServerFilter,
  type ServerListing,
} from '../../src/core/operators/keys/server-list.js';
import type { ReportLine } from '../support/report.js';
import { benchList } from './list-bench.js';

/** First pages of a million servers whose keys are stored. */
export function benchServerList(folder: string): Promise<ReportLine[]> {
  return benchList(folder, { name: 'servers', fill, pages: serverPages });
}

const ROWS = 1_000_000;
const PIECE = 50_000;
const BY_NAME: ServerListing['sort'] = { field: 'name', direction: 'asc' };

/** In pieces: one statement for all would take longer than any statement may. */
async function fill(database: Database): Promise<void> {
  for (let from = 0; from < ROWS; from += PIECE) await fillPiece(database, from);
  await database.client.$executeRawUnsafe('ANALYZE');
}

/** Validity from a day ago to nine days ahead; one server of 25 is failing, one of 100 never had a record. */
async function fillPiece({ client }: Database, from: number): Promise<void> {
  const now = systemClock.now();
  const numbers = `WITH RECURSIVE n(i) AS (SELECT CAST(${from + 1} AS BIGINT) UNION ALL
    SELECT i + 1 FROM n WHERE i < ${from + PIECE})`;
  const name = `'matrix-' || ((i * 7919) % 1000003) || '.example.org'`;
  const added = `CASE WHEN i % 100 = 0 THEN NULL ELSE ${now} - i * 86 END`;
  const valid = `CASE WHEN i % 100 = 0 THEN NULL ELSE ${now} - 86400000 + i * 864 END`;
  await client.$executeRawUnsafe(
    `INSERT INTO remote_server (server_name, first_asked_ts, last_fetch_ts, last_ok_ts, fail_count, next_try_ts,
      throttle_tokens, throttle_tokens_ts, added_ts, valid_until_ts, due_ts, key_count)
    ${numbers} SELECT ${name}, ${now}, ${now} - i * 10, ${now}, CASE WHEN i % 25 = 0 THEN 4 ELSE 0 END, 0,
      10, 0, ${added}, ${valid}, (${added}) / 2 + (${valid}) / 2, 1
    FROM n`,
  );
  await client.$executeRawUnsafe(
    `INSERT INTO key_fetch (server_name, started_ts, duration_ms, outcome, cause, steps)
    ${numbers} SELECT ${name}, ${now} - i * 10, 120, 'ok', 'query', '[]' FROM n`,
  );
}

/** What operators ask of it first: pages by name. */
export function serverPages(database: Database): ReadonlyMap<string, () => Promise<unknown>> {
  const list = createServerList(database);
  const page =
    (filter: Partial<ServerFilter>, sort = BY_NAME, whitelist: ReadonlySet<string> | null = null) =>
    async () => {
      const wanted = { filter: { ...ALL_SERVERS, ...filter }, sort, whitelist, nowTs: systemClock.now() };
      const { rows } = await list.page(wanted, { direction: 'forward', size: 25, cursor: null });
      await findLatestFetches(
        database,
        rows.map(({ row }) => row.serverName),
      );
      await list.count(wanted);
    };
  const whitelist = new Set(Array.from({ length: 100 }, (_, index) => `matrix-${index}.example.org`));
  return new Map([
    ['by name', page({})],
    ['by expiry', page({}, { field: 'valid_until', direction: 'asc' })],
    ['latest first', page({}, { field: 'added_at', direction: 'desc' })],
    ['by last fetch', page({}, { field: 'last_fetch', direction: 'desc' })],
    ['failing', page({ isFailing: true })],
    ['expired', page({ state: 'expired' })],
    ['expired, by expiry', page({ state: 'expired' }, { field: 'valid_until', direction: 'asc' })],
    ['due', page({ state: 'due' })],
    ['on a whitelist of 100', page({ isAllowed: true }, BY_NAME, whitelist)],
    ['not on a whitelist of 100', page({ isAllowed: false }, BY_NAME, whitelist)],
    ['a search that finds all', page({ search: 'Matrix-' })],
    ['a search that finds one', page({ search: 'matrix-500001.example' })],
  ]);
}
