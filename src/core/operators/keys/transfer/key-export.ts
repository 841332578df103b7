import { createHash } from 'node:crypto';

import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, sql } from '../../../store/sql/sql.js';
import type { OwnSigner } from '../record-view.js';
import { endLineOf, lineOf } from '../signed-export.js';

/** What the first and the last line of an export state. */
export const KEYS_FORMAT = 'vidimus-keys/1';
/** Member of the last line that is signed. */
export const KEYS_END = 'vidimus_keys';

const SERVERS_AT_ONCE = 50;
const RECORDS_AT_ONCE = 16;

/**
 * All key records that are stored as JSON Lines in canonical form: a head, the records of one server after the other,
 * each server's in the order in which they were last seen, and an end that counts them and signs the SHA-256 of all
 * lines before it.
 */
export async function* exportKeys(runner: SqlRunner, own: OwnSigner, nowTs: number): AsyncGenerator<string> {
  const facts = { format: KEYS_FORMAT, notary: own.serverName, exported_ts: nowTs };
  const hash = createHash('sha256');
  let records = 0;
  yield lineOf({ type: 'keys', ...facts }, hash);
  for await (const ids of recordIds(runner)) {
    const rows = await findRows(runner, ids);
    records += rows.length;
    yield rows
      .map((row) =>
        lineOf(
          {
            type: 'record',
            server_name: row.server_name,
            first_seen_ts: Number(row.first_seen_ts),
            last_seen_ts: Number(row.last_seen_ts),
            // As text, since the record has to stay as it was published.
            published: Buffer.from(row.published).toString(),
          },
          hash,
        ),
      )
      .join('');
  }
  yield endLineOf(KEYS_END, { ...facts, records, sha256: hash.digest('hex') }, own);
}

async function* recordIds(runner: SqlRunner): AsyncGenerator<number[]> {
  for (let after = ''; ;) {
    const servers = await runner.query<{ server_name: string }>(
      sql`SELECT DISTINCT server_name FROM key_record WHERE server_name > ${after}
        ORDER BY server_name LIMIT ${SERVERS_AT_ONCE}`,
    );
    const last = servers.at(-1);
    if (last === undefined) return;
    after = last.server_name;
    const rows = await runner.query<{ id: number | string }>(
      sql`SELECT id FROM key_record WHERE server_name IN (${listOf(servers.map((row) => row.server_name))})
        ORDER BY server_name, last_seen_ts, id`,
    );
    const ids = rows.map(({ id }) => Number(id));
    for (let at = 0; at < ids.length; at += RECORDS_AT_ONCE) yield ids.slice(at, at + RECORDS_AT_ONCE);
  }
}

interface Row {
  id: number | string;
  server_name: string;
  published: Uint8Array;
  first_seen_ts: number | string;
  last_seen_ts: number | string;
}

/** In the order of the ids; those that went meanwhile are left out. */
async function findRows(runner: SqlRunner, ids: readonly number[]): Promise<Row[]> {
  const rows = await runner.query<Row>(sql`SELECT id, server_name, published, first_seen_ts, last_seen_ts
    FROM key_record WHERE id IN (${listOf(ids)})`);
  const byId = new Map(rows.map((row) => [Number(row.id), row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
