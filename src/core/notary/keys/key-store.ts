import { setImmediate } from 'node:timers/promises';

import type { Database, DbTransaction, OpenTransaction } from '../../store/db.js';
import { currentRecords, type CurrentRecordRow } from '../../store/hot-sql.js';
import {
  LARGE_ANSWER_BYTES,
  readStoredRecord,
  type StoredRecord,
  toColumnTs,
} from '../key-record/record-signing.js';
import {
  diffKeys,
  listedKeys,
  type KeyEventDraft,
  appendKeyEvents,
  type KeyEventBatch,
  type KeyEventListener,
} from './key-changes.js';
import type { LogDraft, LogQueue } from '../log/log-store.js';
import {
  appendNewest,
  dateBack,
  findKeyRows,
  forgetBriefestVanished,
  saveKeys,
  saveRecords,
  type Arrival,
  type FetchedRecord,
  type VerifyKeyRow,
} from './saving/record-rows.js';

/** Reading a record back takes microseconds, but a query may be about a thousand servers. */
const ROWS_PER_TURN = 100;
/** The same for long ones, up to 60 ns a byte. */
const BYTES_PER_TURN = 256 * 1024;

/** Stored key records: immutable rows, and for every key id ever seen the newest record that lists it. */
export class KeyStore {
  /** `logQueue` is `null` without a log. */
  constructor(
    private readonly database: Database,
    private readonly logQueue: LogQueue | null = null,
    private readonly listener: KeyEventListener | null = null,
  ) {}

  /**
   * The current records of each server, oldest first: those that are the newest for at least one key id.
   * One query for all servers, unless their records are long; servers without records are absent from the result.
   * `null`, and nothing of them is read, when they are longer than `maxBytes` together.
   */
  async findRecords(
    serverNames: readonly string[],
    maxBytes: number,
  ): Promise<Map<string, StoredRecord[]> | null> {
    const atOnce = Math.min(maxBytes, LARGE_ANSWER_BYTES);
    const small = await currentRecords(this.database.client, serverNames, atOnce);
    const isLarge = small.some(({ published }) => published === null);
    if (isLarge && maxBytes <= atOnce) return null;
    const found = new Map<string, StoredRecord[]>();
    if (isLarge) {
      for await (const row of this.#oneByOne(serverNames)) addRow(found, row);
      return found;
    }
    let read = 0;
    let bytes = 0;
    for (const row of small) {
      const rowBytes = row.published?.length ?? 0;
      if (read === ROWS_PER_TURN || (read > 0 && bytes + rowBytes > BYTES_PER_TURN)) {
        read = bytes = 0;
        await setImmediate();
      }
      read += 1;
      bytes += rowBytes;
      addRow(found, row);
    }
    return found;
  }

  /** The same rows for records that are long together: the driver reads a row without leaving the event loop. */
  async *#oneByOne(serverNames: readonly string[]): AsyncGenerator<CurrentRecordRow> {
    const { client } = this.database;
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

  /**
   * Stores fetched records of different servers, the events they cause and what of them the log has to say, inside the
   * caller's transaction. A record seen before only gets its time added renewed. Returns the row ids by server name.
   */
  async saveAll(open: OpenTransaction, batch: readonly FetchedRecord[]): Promise<Map<string, number>> {
    if (batch.length === 0) return new Map();
    const { tx } = open;
    const known = await findKeyRows(
      tx,
      batch.map(({ record }) => record.serverName),
    );
    const arrivals = batch.map((fetched) => arrivalOf(fetched, known.get(fetched.record.serverName) ?? []));
    for (const arrival of arrivals) await dateBack(tx, arrival);
    const validity = await findValidity(tx, arrivals);
    await saveRecords(tx, arrivals);
    await saveKeys(tx, arrivals);
    await appendNewest(tx, arrivals);
    const drafts: LogDraft[] = [];
    const batches: KeyEventBatch[] = [];
    for (const arrival of arrivals) {
      const events = eventsOf(arrival, validity);
      await forgetBriefestVanished(tx, arrival);
      const { serverName, fetchedTs: ts, recordId } = arrival;
      batches.push({ serverName, ts, recordId, events });
      drafts.push({ ...arrival, events });
    }
    await appendKeyEvents(open, batches, this.listener);
    await this.logQueue?.add(open, drafts);
    return new Map(arrivals.map(({ serverName, recordId }) => [serverName, recordId]));
  }
}

function addRow(
  found: Map<string, StoredRecord[]>,
  { id, server_name: serverName, published, last_seen_ts }: CurrentRecordRow,
): void {
  if (published === null) return;
  const record = readStoredRecord({ id, serverName, published, lastSeenTs: Number(last_seen_ts) });
  const records = found.get(serverName);
  if (records === undefined) found.set(serverName, [record]);
  else records.push(record);
}

function arrivalOf(fetched: FetchedRecord, known: readonly VerifyKeyRow[]): Arrival {
  const { record } = fetched;
  const newest = known.reduce<VerifyKeyRow | null>(
    (latest, row) => (latest === null || row.lastSeenTs > latest.lastSeenTs ? row : latest),
    null,
  );
  return {
    ...fetched,
    serverName: record.serverName,
    known,
    current: listedKeys(record.record),
    previousId: newest?.recordId ?? null,
    recordId: NaN,
    isNew: false,
  };
}

/** `valid_until_ts` of the records that were the newest so far, by row id. */
async function findValidity(
  { keyRecord }: DbTransaction,
  arrivals: readonly Arrival[],
): Promise<Map<number | null, bigint>> {
  const ids = arrivals.flatMap(({ previousId }) => previousId ?? []);
  if (ids.length === 0) return new Map();
  const rows = await keyRecord.findMany({
    where: { id: { in: ids } },
    select: { id: true, validUntilTs: true },
  });
  return new Map(rows.map(({ id, validUntilTs }) => [id, validUntilTs]));
}

function eventsOf(
  { record, previousId, known, current }: Arrival,
  validity: ReadonlyMap<number | null, bigint>,
): KeyEventDraft[] {
  const previous = known.filter(({ recordId }) => recordId === previousId).map(({ keyId }) => keyId);
  return diffKeys({
    known: new Map(known.map((row) => [row.keyId, row])),
    previousKeyIds: previousId === null ? null : new Set(previous),
    previousValidUntilTs: validity.get(previousId) ?? null,
    current,
    validUntilTs: toColumnTs(record.validUntilTs),
    unprovenKeyIds: record.unprovenKeyIds,
  });
}
