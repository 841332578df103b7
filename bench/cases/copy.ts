import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLogger } from '../../src/core/base/logger.js';
import { openDatabase, type DatabaseOptions } from '../../src/core/store/db.js';
import { migrate, migrationStatus } from '../../src/core/store/migrate.js';
import { newFillState } from '../../src/core/store/transfer/fill.js';
import { fillDatabase } from '../../src/core/store/transfer/fill-database.js';
import { openRows } from '../../src/core/store/transfer/open-rows.js';
import { sourceOf } from '../../src/core/store/transfer/stored-source.js';
import { createEmptyDatabase, startTestPostgres } from '../../tests/support/store/databases.js';
import { formatNumber, type ReportLine } from '../support/report.js';

const SIZES = [10_000, 100_000];
const PIECE = 10_000;
/** Of a record with one key. */
const RECORD_BYTES = 500;
const MOST = 2;

const logger = createLogger({ level: 'silent' });

/** `db copy` of so many servers with a record each, from SQLite to PostgreSQL and back: processor time and time. */
export async function benchCopy(folder: string): Promise<ReportLine[]> {
  const postgres = await startTestPostgres(tmpdir());
  if (postgres === null) return [];
  process.env['VIDIMUS_TEST_POSTGRES_URL'] = postgres.url;
  try {
    const lines: ReportLine[] = [];
    for (const servers of SIZES) {
      const path = (name: string) => join(folder, `${name}-${servers}.db`);
      const source: DatabaseOptions = { engine: 'sqlite', path: path('source'), synchronous: 'normal' };
      const back: DatabaseOptions = { engine: 'sqlite', path: path('back'), synchronous: 'normal' };
      await fill(source, servers);
      const target = await createEmptyDatabase('postgresql');
      lines.push(await measure(servers, [source, target.options], lines[0]));
      rmSync(source.path);
      lines.push(await measure(servers, [target.options, back], lines[1]));
      rmSync(back.path);
      await target.cleanup();
    }
    return lines;
  } finally {
    await postgres.stop();
  }
}

/** Three rows a server: what is known of it, its record, its key. */
async function fill(options: DatabaseOptions, servers: number): Promise<void> {
  await migrate(options, logger);
  const database = await openDatabase(options, logger);
  const { client } = database;
  for (let from = 0; from < servers; from += PIECE) {
    const numbers = `WITH RECURSIVE n(i) AS (SELECT ${from + 1} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + PIECE})`;
    const name = `'matrix-' || ((i * 7919) % 1000003) || '.example.org'`;
    await client.$executeRawUnsafe(`INSERT INTO remote_server (server_name, first_asked_ts, throttle_tokens, throttle_tokens_ts)
      ${numbers} SELECT ${name}, 1700000000000 + i, 10, 0 FROM n`);
    await client.$executeRawUnsafe(`INSERT INTO key_record (id, server_name, sha256, published, valid_until_ts, first_seen_ts, last_seen_ts)
      ${numbers} SELECT i, ${name}, lower(hex(randomblob(32))), randomblob(${RECORD_BYTES}), 1800000000000, 1700000000000 + i, 1700000000000 + i FROM n`);
    await client.$executeRawUnsafe(`INSERT INTO verify_key (server_name, key_id, record_id, public_key, first_seen_ts, last_seen_ts)
      ${numbers} SELECT ${name}, 'ed25519:a_1', i, lower(hex(randomblob(22))), 1700000000000 + i, 1700000000000 + i FROM n`);
  }
  await database.close();
}

async function measure(
  servers: number,
  [source, target]: [DatabaseOptions, DatabaseOptions],
  first: ReportLine | undefined,
): Promise<ReportLine> {
  const { applied } = await migrationStatus(source);
  const rows = await openRows(source, 'snapshot');
  const state = newFillState();
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  await fillDatabase({ target, source: await sourceOf(rows, applied), logger }, state);
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  await rows.close();
  const cpuMicros = (user + system) / state.rows;
  const before = first?.figures['cpuMicros'] ?? null;
  return {
    case: `${source.engine} to ${target.engine}, ${servers.toLocaleString('en-US')} servers`,
    figures: { rows: state.rows, seconds, cpuMicros },
    text: `${state.rows.toLocaleString('en-US')} rows in ${formatNumber(seconds)} s, ${formatNumber(cpuMicros)} µs CPU a row`,
    mark: before === null ? null : `at most ${MOST} times the first`,
    reached: before === null ? null : cpuMicros <= MOST * before,
  };
}
