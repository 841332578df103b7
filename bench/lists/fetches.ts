import { systemClock } from '../../src/core/base/clock.js';
import { findFailureGroups } from '../../src/core/operators/keys/failures/failure-groups.js';
import {
  createFetchList,
  findLatestFetches,
  type FetchFilter,
} from '../../src/core/operators/keys/fetch-history.js';
import type { Database } from '../../src/core/store/db.js';
import type { ReportLine } from '../support/report.js';
import { benchList } from './list-bench.js';

const ROWS = 1_000_000;
/** Half of all attempts are at the first server, the others at these. */
const SERVERS = 100_000;
const PIECE = 50_000;
const STEP_MS = 100;
const NOW_TS = systemClock.now();

/** Attempts at one server of a million in all, nine of ten failed, and failing servers by cause. */
export function benchFetches(folder: string): Promise<ReportLine[]> {
  return benchList(folder, { name: 'fetches', fill, pages });
}

function numbersFrom(from: number): string {
  return `WITH RECURSIVE n(i) AS (SELECT CAST(${from + 1} AS BIGINT) UNION ALL
    SELECT i + 1 FROM n WHERE i < ${from + PIECE})`;
}

async function fill({ client, engine }: Database): Promise<void> {
  const reason = `CASE i % 3 WHEN 0 THEN 'tls_expired' WHEN 1 THEN 'dns_no_address' ELSE 'timeout_connect' END`;
  for (let from = 0; from < SERVERS; from += PIECE)
    await client.$executeRawUnsafe(
      `INSERT INTO remote_server (server_name, first_asked_ts, fail_count, next_try_ts, throttle_tokens,
        throttle_tokens_ts, key_count, last_error_reason)
      ${numbersFrom(from)} SELECT 'server-' || i || '.example', ${NOW_TS}, 1, 0, 10, 0, 1, ${reason} FROM n`,
    );
  const steps = engine === 'sqlite' ? `'[]'` : `'[]'::jsonb`;
  for (let from = 0; from < ROWS; from += PIECE)
    await client.$executeRawUnsafe(
      `INSERT INTO key_fetch (server_name, started_ts, duration_ms, outcome, reason, message, cause, steps)
      ${numbersFrom(from)} SELECT 'server-' || CASE WHEN i % 2 = 0 THEN 1 ELSE 1 + i % ${SERVERS} END || '.example',
        ${NOW_TS} - (${ROWS} - i) * ${STEP_MS}, 100, CASE WHEN i % 10 = 0 THEN 'ok' ELSE 'failed' END,
        CASE WHEN i % 10 = 0 THEN NULL ELSE ${reason} END, NULL, 'query', ${steps} FROM n`,
    );
  await client.$executeRawUnsafe('ANALYZE');
}

function pages(database: Database): ReadonlyMap<string, () => Promise<unknown>> {
  const list = createFetchList(database);
  const page =
    (outcome: FetchFilter['outcome'], serverName = 'server-1.example') =>
    async () => {
      await list.page({ serverName, outcome }, { direction: 'forward', size: 25, cursor: null });
      await list.count({ serverName, outcome });
    };
  const names = Array.from({ length: 50 }, (_, at) => `server-${at + 1}.example`);
  return new Map<string, () => Promise<unknown>>([
    ['of one server, newest first', page(null)],
    ['failed ones of one server', page('failed')],
    ['of a server that was never asked', page(null, 'nobody.example')],
    ['the latest of each of fifty servers', () => findLatestFetches(database, names)],
    ['failing servers by cause, with their trend', () => findFailureGroups(database, NOW_TS)],
  ]);
}
