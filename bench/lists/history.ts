import { createBandList } from '../../src/core/operators/keys/history/record-bands.js';
import type { Database } from '../../src/core/store/db.js';
import { makeKeyRecord, makeTestKey } from '../../tests/support/origins/key-record-maker.js';
import type { ReportLine } from '../support/report.js';
import { benchList } from './list-bench.js';

/** The history of one server with a million records. */
export function benchHistory(folder: string): Promise<ReportLine[]> {
  return benchList(folder, { name: 'history', fill, pages });
}

const ROWS = 1_000_000;
const PIECE = 50_000;
const SERVER_NAME = 'matrix.example.org';
const STEP_MS = 1000;

async function fill(database: Database): Promise<void> {
  const validUntilTs = ROWS * STEP_MS;
  const published = makeKeyRecord({ serverName: SERVER_NAME, keys: [makeTestKey('a_1')], validUntilTs });
  for (let from = 0; from < ROWS; from += PIECE) await fillPiece(database, from, published);
  await database.client.$executeRawUnsafe('ANALYZE');
}

async function fillPiece({ client, engine }: Database, from: number, published: Buffer): Promise<void> {
  const hex = published.toString('hex');
  const bytes = engine === 'sqlite' ? `x'${hex}'` : `decode('${hex}', 'hex')`;
  const numbers = `WITH RECURSIVE n(i) AS (SELECT CAST(${from + 1} AS BIGINT) UNION ALL
    SELECT i + 1 FROM n WHERE i < ${from + PIECE})`;
  await client.$executeRawUnsafe(
    `INSERT INTO key_record (id, server_name, sha256, published, valid_until_ts, first_seen_ts, last_seen_ts)
    ${numbers} SELECT i, '${SERVER_NAME}', CAST(i AS TEXT), ${bytes}, ${ROWS * STEP_MS},
      i * ${STEP_MS}, i * ${STEP_MS} FROM n`,
  );
  await client.$executeRawUnsafe(
    `INSERT INTO newest_record (server_name, record_id, from_ts)
    ${numbers} SELECT '${SERVER_NAME}', i, i * ${STEP_MS} FROM n`,
  );
}

function pages(database: Database): ReadonlyMap<string, () => Promise<void>> {
  const list = createBandList(database);
  return new Map([
    [
      '100 bands',
      async () => {
        await list.page(SERVER_NAME, { direction: 'forward', size: 100, cursor: null });
        await list.count(SERVER_NAME);
      },
    ],
  ]);
}
