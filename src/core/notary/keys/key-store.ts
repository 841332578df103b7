import { setImmediate } from 'node:timers/promises';

import { Batcher } from '../../base/batcher.js';
import type { Logger } from '../../base/logger.js';
import type { Database } from '../../store/db.js';
import { currentRecords, type CurrentRecordRow } from '../../store/hot-sql.js';
import { LARGE_ANSWER_BYTES, readStoredRecord, type StoredRecord } from '../key-record/record-signing.js';

/** Reading a record back takes microseconds, but a query may be about a thousand servers. */
const ROWS_AT_ONCE = 100;
/** The same for long ones, up to 60 ns a byte. */
const BYTES_AT_ONCE = 256 * 1024;
/** Single servers that are looked up by one statement. */
const MAX_SINGLE = 64;

/** `findRecords`, by one statement for single servers at the same time: names that do not exist cost nothing to invent. */
export function recordFinder(
  database: Database,
  logger: Logger,
): (serverNames: readonly string[], maxBytes: number) => Promise<Map<string, StoredRecord[]> | null> {
  const find = (names: readonly string[], maxBytes: number) =>
    findRecords({ database, logger }, names, maxBytes);
  const single = new Batcher({
    maxItems: MAX_SINGLE,
    gatherMs: 0,
    expected: () => 0,
    write: async (names: readonly string[]) => {
      const together = await find([...new Set(names)], LARGE_ANSWER_BYTES);
      if (together !== null || names.length === 1) return names.map(() => together);
      // Each of them may be short.
      const alone = [];
      for (const name of names) alone.push(await find([name], LARGE_ANSWER_BYTES));
      return alone;
    },
  });
  return (names, maxBytes) =>
    names.length === 1 && maxBytes === LARGE_ANSWER_BYTES
      ? single.add(String(names[0]))
      : find(names, maxBytes);
}

/**
 * The current records of each server, oldest first: those that are the newest for at least one key id.
 * One query for all servers, unless their records are long; servers without records are absent from the result.
 * `null`, and nothing of them is read, when they are longer than `maxBytes` together.
 */
async function findRecords(
  { database, logger }: { database: Database; logger: Logger },
  serverNames: readonly string[],
  maxBytes: number,
): Promise<Map<string, StoredRecord[]> | null> {
  const atOnce = Math.min(maxBytes, LARGE_ANSWER_BYTES);
  const small = await currentRecords(database.client, serverNames, atOnce);
  const isLarge = small.some(({ published }) => published === null);
  if (isLarge && maxBytes <= atOnce) return null;
  const found = new Map<string, StoredRecord[]>();
  let [read, bytes] = [0, 0];
  for await (const row of isLarge ? oneByOne(database, serverNames) : small) {
    const { id, server_name: serverName, published, last_seen_ts } = row;
    if (published === null) continue;
    if (read === ROWS_AT_ONCE || (read > 0 && bytes + published.length > BYTES_AT_ONCE)) {
      read = bytes = 0;
      await setImmediate();
    }
    read += 1;
    bytes += published.length;
    try {
      const record = readStoredRecord({ id, published, lastSeenTs: Number(last_seen_ts) });
      found.set(serverName, [...(found.get(serverName) ?? []), record]);
    } catch (error) {
      // Others' records are found all the same.
      const line = { err: error, server_name: serverName };
      logger.error(line, 'a stored key record is damaged and passed over');
    }
  }
  return found;
}

/** The same rows for records that are long together: the driver reads a row without leaving the event loop. */
async function* oneByOne(
  { client }: Database,
  serverNames: readonly string[],
): AsyncGenerator<CurrentRecordRow> {
  const keys = await client.verifyKey.findMany({
    where: { serverName: { in: [...serverNames] } },
    select: { recordId: true },
    distinct: ['recordId'],
  });
  const records = await client.keyRecord.findMany({
    where: { id: { in: keys.map(({ recordId }) => recordId) } },
    select: { id: true, serverName: true, lastSeenTs: true },
    orderBy: [{ lastSeenTs: 'asc' }, { id: 'asc' }],
  });
  for (const { id, serverName, lastSeenTs } of records) {
    const row = await client.keyRecord.findUnique({ where: { id }, select: { published: true } });
    // One that was deleted meanwhile is answered no more.
    if (row !== null)
      yield { id, server_name: serverName, published: row.published, last_seen_ts: lastSeenTs };
  }
}
