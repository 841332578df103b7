import { systemClock } from '../../src/core/base/clock.js';
import { ALL_EVENTS, createEventFeed, type EventFilter } from '../../src/core/operators/keys/event-feed.js';
import type { Database } from '../../src/core/store/db.js';
import type { ReportLine } from '../support/report.js';
import { benchList } from './list-bench.js';

/** First pages of a million key events of a hundred thousand servers. */
export function benchEventFeed(folder: string): Promise<ReportLine[]> {
  return benchList(folder, { name: 'events', fill, pages: eventPages });
}

const ROWS = 1_000_000;
const SERVERS = 100_000;
const PIECE = 50_000;
/** Between one event and the next. */
const STEP_MS = 1000;
/** Time of the newest event. */
const NOW_TS = systemClock.now();

/** One event in 20,000 is an alarm, none of them among the newest 100,000; each but the first was acknowledged. */
async function fill(database: Database): Promise<void> {
  for (let from = 0; from < SERVERS; from += PIECE) await fillServers(database, from);
  for (let from = 0; from < ROWS; from += PIECE) await fillEvents(database, from);
  await database.client.$executeRawUnsafe('ANALYZE');
}

const NAME = `'matrix-' || (i % ${SERVERS}) || '.site-' || (i % 997) || '.example.org'`;

function numbersFrom(from: number): string {
  return `WITH RECURSIVE n(i) AS (SELECT CAST(${from + 1} AS BIGINT) UNION ALL
    SELECT i + 1 FROM n WHERE i < ${from + PIECE})`;
}

/** The first of them waits for somebody to look. */
async function fillServers({ client }: Database, from: number): Promise<void> {
  await client.$executeRawUnsafe(
    `INSERT INTO remote_server (server_name, first_asked_ts, fail_count, next_try_ts, throttle_tokens,
      throttle_tokens_ts, key_count, alarm_seq, alarm_count, acknowledged_seq)
    ${numbersFrom(from)} SELECT ${NAME}, ${NOW_TS}, 0, 0, 10, 0, 1, CASE WHEN i = 20000 THEN 20000 ELSE NULL END,
      CASE WHEN i = 20000 THEN 9 ELSE 0 END, CASE WHEN i % 20000 = 0 AND i > 20000 THEN 900000 ELSE NULL END FROM n`,
  );
}

async function fillEvents({ client, engine }: Database, from: number): Promise<void> {
  const detail = engine === 'sqlite' ? `'{}'` : `'{}'::jsonb`;
  const kind = `CASE WHEN i % 20000 = 0 AND i <= 900000 THEN 'key_replaced' WHEN i % 10 = 0 THEN 'record_refused'
    WHEN i % 10 = 1 THEN 'server_first_seen' ELSE 'key_added' END`;
  await client.$executeRawUnsafe(
    `INSERT INTO key_event (seq, ts, server_name, kind, severity, key_id, record_id, detail, alarm)
    ${numbersFrom(from)} SELECT i, ${NOW_TS} - (${ROWS} - i) * ${STEP_MS}, ${NAME}, ${kind}, 'info',
      'ed25519:a_1', NULL, ${detail}, i % 20000 = 0 AND i <= 900000 FROM n`,
  );
}

/** What operators ask of it first: pages by name. */
export function eventPages(database: Database): ReadonlyMap<string, () => Promise<void>> {
  const feed = createEventFeed(database);
  const page = (filter: Partial<EventFilter>) => async () => {
    const wanted = { ...ALL_EVENTS, ...filter };
    await feed.page(wanted, { direction: 'forward', size: 25, cursor: null });
    await feed.count(wanted);
  };
  const aDay = { fromTs: NOW_TS - (ROWS / 2) * STEP_MS, toTs: NOW_TS - (ROWS / 2) * STEP_MS + 86_400_000 };
  return new Map([
    ['latest first', page({})],
    ['of one kind', page({ kinds: ['record_refused'] })],
    ['of one kind on a day', page({ kinds: ['record_refused'], ...aDay })],
    ['of two kinds', page({ kinds: ['record_refused', 'key_added'] })],
    ['of a kind that never came', page({ kinds: ['record_deleted'] })],
    ['of two kinds that never came', page({ kinds: ['record_deleted', 'key_reinstated'] })],
    ['of one server', page({ server: 'matrix-1.site-1.example.org' })],
    ['of a site with subdomains', page({ server: '.site-1.example.org' })],
    ['alarms that wait', page({ isAcknowledged: false })],
    ['alarms that were acknowledged', page({ isAcknowledged: true })],
    ['of one day', page(aDay)],
    ['a search that finds all', page({ search: 'Matrix-' })],
    ['a search that finds nothing', page({ search: 'nobody.example' })],
  ]);
}
