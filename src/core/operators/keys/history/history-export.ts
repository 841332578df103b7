import { createHash } from 'node:crypto';

import type { JsonObject } from '../../../base/json/json-value.js';
import type { Database } from '../../../store/db.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { sql } from '../../../store/sql/sql.js';
import { findEvents } from '../event-history.js';
import type { OwnSigner } from '../record-view.js';
import { endLineOf, lineOf, objectOf } from '../signed-export.js';
import { findSeenRecords } from './seen-record.js';

/** What the first and the last line of an export state. */
export const HISTORY_FORMAT = 'vidimus-key-history/1';

/** What comes between them, in this order, each by rising `number`. */
export const HISTORY_SECTIONS = ['record', 'newest', 'event'] as const;
export type HistorySection = (typeof HISTORY_SECTIONS)[number];

export interface HistoryExport {
  serverName: string;
  /** Signs the whole; with at least one key. */
  own: OwnSigner;
  nowTs: number;
}

const RECORDS_AT_ONCE = 16;
const ROWS_AT_ONCE = 500;

/**
 * All that is stored of the history of a server's keys as JSON Lines, each line in canonical form: a head, every
 * record, which was the newest since when, every event, and an end that counts them and signs the SHA-256 of all
 * lines before it. What comes in meanwhile is left out.
 */
export async function* exportHistory(
  database: Database,
  { serverName, own, nowTs }: HistoryExport,
): AsyncGenerator<string> {
  const facts = {
    format: HISTORY_FORMAT,
    server_name: serverName,
    notary: own.serverName,
    exported_ts: nowTs,
  };
  const hash = createHash('sha256');
  const counts: Record<HistorySection, number> = { record: 0, newest: 0, event: 0 };
  yield lineOf({ type: 'history', ...facts }, hash);
  const recordIds = await findRecordIds(database.plain, serverName);
  const lastId = recordIds.at(-1) ?? 0;
  const sections: [HistorySection, AsyncGenerator<JsonObject[]>][] = [
    ['record', recordLines(database.plain, recordIds)],
    ['newest', newestLines(database.plain, serverName, lastId)],
    // The last, so that a record which goes meanwhile is told of.
    ['event', eventLines(database, serverName, lastId)],
  ];
  for (const [type, pages] of sections) {
    for await (const page of pages) {
      counts[type] += page.length;
      yield page.map((line) => lineOf({ type, ...line }, hash)).join('');
    }
  }
  yield endLineOf('vidimus_key_history', { ...facts, ...counts, sha256: hash.digest('hex') }, own);
}

async function findRecordIds(runner: SqlRunner, serverName: string): Promise<number[]> {
  const rows = await runner.query<{ id: number | string }>(
    sql`SELECT id FROM key_record WHERE server_name = ${serverName} ORDER BY id`,
  );
  return rows.map(({ id }) => Number(id));
}

async function* recordLines(runner: SqlRunner, ids: readonly number[]): AsyncGenerator<JsonObject[]> {
  for (let at = 0; at < ids.length; at += RECORDS_AT_ONCE) {
    const page = ids.slice(at, at + RECORDS_AT_ONCE);
    const found = await findSeenRecords(runner, page);
    yield page.flatMap((number) => {
      const seen = found.get(number);
      if (seen === undefined) return [];
      const { sha256, firstSeenTs: first_seen_ts, lastSeenTs: last_seen_ts, record } = seen;
      return [objectOf({ number, sha256, first_seen_ts, last_seen_ts, record })];
    });
  }
}

async function* newestLines(
  runner: SqlRunner,
  serverName: string,
  lastId: number,
): AsyncGenerator<JsonObject[]> {
  let [fromTs, id] = [-1n, 0];
  for (;;) {
    const rows = await runner.query<{ id: number; recordId: number | null; fromTs: number | string }>(sql`
      SELECT id, record_id AS "recordId", from_ts AS "fromTs" FROM newest_record
      WHERE server_name = ${serverName} AND (from_ts, id) > (${fromTs}, ${id})
      ORDER BY from_ts, id LIMIT ${ROWS_AT_ONCE}`);
    yield rows
      .filter(({ recordId }) => (recordId ?? 0) <= lastId)
      .map((row) => objectOf({ from_ts: Number(row.fromTs), record: row.recordId }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    [fromTs, id] = [BigInt(last.fromTs), last.id];
  }
}

async function* eventLines(
  database: Database,
  serverName: string,
  lastId: number,
): AsyncGenerator<JsonObject[]> {
  let seq = 0;
  for (;;) {
    const rows = await database.plain.query<{ seq: number }>(sql`SELECT seq FROM key_event
      WHERE server_name = ${serverName} AND seq > ${seq} ORDER BY seq LIMIT ${ROWS_AT_ONCE}`);
    const found = await findEvents(
      database,
      rows.map((row) => row.seq),
    );
    yield found
      .filter(({ recordId }) => (recordId ?? 0) <= lastId)
      .toSorted((a, b) => a.seq - b.seq)
      .map(({ seq: number, ts, kind, severity, keyId, recordId, detail: { actor: _actor, ...detail } }) =>
        objectOf({ number, ts, kind, severity, key_id: keyId, record: recordId, detail: objectOf(detail) }),
      );
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS_AT_ONCE) return;
    seq = last.seq;
  }
}

/** Whether anything of a server could be exported. */
export async function hasHistory({ client }: Database, serverName: string): Promise<boolean> {
  return (await client.keyEvent.findFirst({ where: { serverName }, select: { seq: true } })) !== null;
}
