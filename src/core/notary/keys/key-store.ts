import { setImmediate } from 'node:timers/promises';

import type { Database, DbTransaction, OpenTransaction } from '../../store/db.js';
import { currentRecords } from '../../store/hot-sql.js';
import { readStoredRecord, type StoredRecord, toColumnTs } from '../key-record/stored-record.js';
import { diffKeys } from './key-changes.js';
import { appendKeyEvents, type KeyEventBatch, type KeyEventListener } from './key-event-store.js';
import {
  findKeyRows,
  forgetBriefestVanished,
  listedKeys,
  saveKeys,
  type KeySave,
  type VerifyKeyRow,
} from './saving/key-rows.js';
import type { LogDraft, LogQueue } from '../log/log-queue.js';
import {
  appendNewest,
  dateBack,
  saveRecords,
  wasOvertaken,
  type FetchedRecord,
  type NewestRecord,
  type SavedRecord,
} from './saving/record-rows.js';

/** Reading a record back takes microseconds, but a query may be about a thousand servers. */
const ROWS_PER_TURN = 100;
/** The same for long ones, up to 60 ns a byte. */
const BYTES_PER_TURN = 256 * 1024;

/** One server's fetched record beside what is stored of the server. */
interface Arrival {
  fetched: FetchedRecord;
  known: readonly VerifyKeyRow[];
  isOvertaken: boolean;
  /** The record that was the newest so far. */
  previousId: number | null;
}

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
   * One query for all servers; servers without records are absent from the result. `null`, and nothing of them is
   * read, when they are longer than `maxBytes` together.
   */
  async findRecords(
    serverNames: readonly string[],
    maxBytes: number,
  ): Promise<Map<string, StoredRecord[]> | null> {
    const rows = await currentRecords(this.database.client, serverNames, maxBytes);
    const found = new Map<string, StoredRecord[]>();
    let read = 0;
    let bytes = 0;
    for (const { id, server_name: serverName, published, last_seen_ts } of rows) {
      if (published === null) return null;
      if (read === ROWS_PER_TURN || (read > 0 && bytes + published.length > BYTES_PER_TURN)) {
        read = bytes = 0;
        await setImmediate();
      }
      read += 1;
      bytes += published.length;
      const lastSeenTs = Number(last_seen_ts);
      const record = readStoredRecord({ id, serverName, published, lastSeenTs });
      const records = found.get(serverName);
      if (records === undefined) found.set(serverName, [record]);
      else records.push(record);
    }
    return found;
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
    for (const arrival of arrivals) if (!arrival.isOvertaken) await dateBack(tx, arrival);
    const previousValidity = await findValidity(tx, arrivals);
    const saved = await saveRecords(
      tx,
      arrivals.map(({ fetched, isOvertaken }) => ({ ...fetched, isOvertaken })),
    );
    const saves = arrivals.map((arrival) => keySaveOf(arrival, saved));
    await saveKeys(tx, saves);
    await appendNewest(
      tx,
      arrivals.flatMap((arrival, index) => changeOfNewest(arrival, saves[index])),
    );
    const drafts: LogDraft[] = [];
    const batches: KeyEventBatch[] = [];
    for (const [index, arrival] of arrivals.entries()) {
      const save = saves[index];
      if (save === undefined) continue;
      // What the later fetch said stands, and nothing is news.
      const batch = arrival.isOvertaken ? null : eventsOf(arrival, save, previousValidity);
      if (batch !== null) {
        await forgetBriefestVanished(tx, save.serverName, vanishedRows(save));
        batches.push(batch);
      }
      drafts.push({ ...arrival.fetched, isNew: save.isNew, events: batch?.events ?? [] });
    }
    await appendKeyEvents(open, batches, this.listener);
    await this.logQueue?.add(open, drafts);
    return new Map(saves.map(({ serverName, recordId }) => [serverName, recordId]));
  }
}

function arrivalOf(fetched: FetchedRecord, known: readonly VerifyKeyRow[]): Arrival {
  const isOvertaken = wasOvertaken({ fetched, known });
  return { fetched, known, isOvertaken, previousId: isOvertaken ? null : newestRecordId(known) };
}

function newestRecordId(known: readonly VerifyKeyRow[]): number | null {
  let newest: VerifyKeyRow | null = null;
  for (const row of known) {
    if (newest === null || row.lastSeenTs > newest.lastSeenTs) newest = row;
  }
  return newest?.recordId ?? null;
}

/** `valid_until_ts` of the records that were the newest so far, by row id. */
async function findValidity(
  { keyRecord }: DbTransaction,
  arrivals: readonly Arrival[],
): Promise<Map<number, bigint>> {
  const ids = arrivals.flatMap(({ previousId }) => (previousId === null ? [] : [previousId]));
  if (ids.length === 0) return new Map();
  const rows = await keyRecord.findMany({
    where: { id: { in: ids } },
    select: { id: true, validUntilTs: true },
  });
  return new Map(rows.map(({ id, validUntilTs }) => [id, validUntilTs]));
}

/** Of an overtaken record only the key ids are saved that nothing else lists. */
function keySaveOf(
  arrival: Arrival,
  saved: ReadonlyMap<string, SavedRecord>,
): KeySave & Pick<SavedRecord, 'isNew'> {
  const { fetched, known, isOvertaken } = arrival;
  const { serverName } = fetched.record;
  const row = saved.get(serverName);
  if (row === undefined) throw new Error(`the record of ${serverName} got no row`);
  const current = listedKeys(fetched.record);
  if (isOvertaken) for (const { keyId } of known) current.delete(keyId);
  const { id: recordId, isNew } = row;
  return { serverName, recordId, isNew, fetchedTs: fetched.fetchedTs, known, current };
}

/** An overtaken record never becomes the newest; one that was it before, and is once more, may come back. */
function changeOfNewest({ isOvertaken, previousId }: Arrival, save: KeySave | undefined): NewestRecord[] {
  if (save === undefined || isOvertaken || save.recordId === previousId) return [];
  const { serverName, recordId, fetchedTs: fromTs } = save;
  return [{ serverName, recordId, fromTs }];
}

function vanishedRows({ known, current, recordId }: KeySave): VerifyKeyRow[] {
  return known.filter((row) => !current.has(row.keyId) && row.recordId !== recordId);
}

function eventsOf(
  { fetched, previousId }: Arrival,
  { serverName, recordId, fetchedTs, known, current }: KeySave,
  validity: ReadonlyMap<number, bigint>,
): KeyEventBatch {
  const previousRows = known.filter((row) => row.recordId === previousId);
  const events = diffKeys({
    known: new Map(known.map((row) => [row.keyId, row])),
    previousKeyIds: previousId === null ? null : new Set(previousRows.map((row) => row.keyId)),
    previousValidUntilTs: previousId === null ? null : (validity.get(previousId) ?? null),
    current,
    validUntilTs: toColumnTs(fetched.record.validUntilTs),
    unprovenKeyIds: fetched.record.unprovenKeyIds,
  });
  return { serverName, ts: fetchedTs, recordId, events };
}
