import type { KnownKey } from '../../../notary/keys/key-changes.js';
import type { Database } from '../../../store/db.js';
import type { SqlRunner } from '../../../store/sql/plain-sql.js';
import { listOf, sql } from '../../../store/sql/sql.js';
import { keyStateOf, type KeyState } from '../server-row.js';
import { clampedTs, findSeenRecords, type SeenRecord } from './seen-record.js';

/** A record that would have been answered. Times are POSIX ms. */
export interface AnsweredRecord {
  record: SeenRecord;
  isNewest: boolean;
  /** Time added as it was then (SPEC §4.4.4). */
  addedTs: number;
  /** Whether that is known for sure: the record may have been fetched again in between, which is no longer known. */
  isAddedExact: boolean;
  /** Half-way point, of that time. */
  dueTs: number;
  state: KeyState;
  /** The keys it would have been answered for. */
  keys: readonly AnsweredKey[];
}

export interface AnsweredKey extends KnownKey {
  /** Whether it proved what was signed at that instant: in use, by a record that was valid. */
  isValid: boolean;
}

/** What peers would have got at an instant. */
export interface PastAnswer {
  ts: number;
  /** Newest first. */
  records: readonly AnsweredRecord[];
  /** Whether nothing is missing: neither deleted records nor ones too far back. */
  isComplete: boolean;
}

/** Bands that are looked back through for keys that the newest record did not list any more. */
const MAX_BANDS = 200;
/** Most records of an answer, as of today's (`vanished-keys.ts`). */
const MAX_RECORDS = 64;
/** Records that are read at once. */
const RECORDS_AT_ONCE = 16;
/** Fetches that are looked back through for when a record was last fetched. */
const MAX_FETCHES = 2000;

/** A record that may have been part of the answer. */
interface Candidate {
  recordId: number;
  /** When it last became the newest; 0: too far back to tell. */
  fromTs: number;
}

/**
 * What would have been answered to a question for all keys of a server at an instant, as far as it is still known.
 * Pins and settings are not looked at: they may have been others then.
 */
export async function answerAt(database: Database, serverName: string, ts: number): Promise<PastAnswer> {
  const { plain } = database;
  const { candidates, isCut } = await findCandidates(plain, serverName, ts);
  const { chosen, deleted } = await chooseRecords(plain, candidates);
  const fetches = await findFetches(plain, serverName, ts);
  const records = chosen.map(({ record, keys, fromTs }): AnsweredRecord => {
    const added = addedAt(record, { ts, fromTs, fetches });
    const validUntilTs = clampedTs(record.validUntilTs);
    const dueTs = Math.floor((added.addedTs + validUntilTs) / 2);
    const isValid = validUntilTs >= ts;
    return {
      record,
      isNewest: record.recordId === candidates[0]?.recordId,
      ...added,
      dueTs,
      state: keyStateOf({ validUntilTs, dueTs }, ts) ?? 'expired',
      keys: keys.map((key) => ({ ...key, isValid: isValid && key.expiredTs === null })),
    };
  });
  return { ts, records, isComplete: !isCut && deleted === 0 };
}

/**
 * The records that were the newest one after the other, the latest first; then, when those are too many, the ones
 * that keys lead to which have vanished since.
 */
async function findCandidates(
  runner: SqlRunner,
  serverName: string,
  ts: number,
): Promise<{ candidates: Candidate[]; isCut: boolean }> {
  const bands = await runner.query<{ recordId: number | string | null; fromTs: number | string }>(sql`
    SELECT record_id AS "recordId", from_ts AS "fromTs" FROM newest_record
    WHERE server_name = ${serverName} AND from_ts <= ${BigInt(ts)} ORDER BY from_ts DESC, id DESC LIMIT ${MAX_BANDS}`);
  const latest = new Map<number, number>();
  for (const { recordId, fromTs } of bands) {
    // Where nothing was left, nothing older was answered either.
    if (recordId === null) return { candidates: candidatesOf(latest), isCut: false };
    if (!latest.has(Number(recordId))) latest.set(Number(recordId), Number(fromTs));
  }
  if (bands.length < MAX_BANDS) return { candidates: candidatesOf(latest), isCut: false };
  const vanished = await runner.query<{
    recordId: number | string;
  }>(sql`SELECT DISTINCT record_id AS "recordId"
    FROM verify_key WHERE server_name = ${serverName} AND last_seen_ts <= ${BigInt(ts)} ORDER BY record_id DESC`);
  for (const { recordId } of vanished) {
    if (!latest.has(Number(recordId))) latest.set(Number(recordId), 0);
  }
  return { candidates: candidatesOf(latest), isCut: true };
}

function candidatesOf(latest: ReadonlyMap<number, number>): Candidate[] {
  return Array.from(latest, ([recordId, fromTs]) => ({ recordId, fromTs }));
}

interface ChosenRecord extends Candidate {
  record: SeenRecord;
  keys: KnownKey[];
}

/** Those that hold a key which no newer one of them lists, with these keys; few records are in memory at once. */
async function chooseRecords(
  runner: SqlRunner,
  candidates: readonly Candidate[],
): Promise<{ chosen: ChosenRecord[]; deleted: number }> {
  const [seen, chosen] = [new Set<string>(), new Array<ChosenRecord>()];
  let deleted = 0;
  for (let at = 0; at < candidates.length; at += RECORDS_AT_ONCE) {
    const some = candidates.slice(at, at + RECORDS_AT_ONCE);
    const found = await findSeenRecords(
      runner,
      some.map(({ recordId }) => recordId),
    );
    for (const candidate of some) {
      const record = found.get(candidate.recordId);
      if (record === undefined) deleted++;
      const keys = [...(record?.keys.values() ?? [])].filter(({ keyId }) => !seen.has(keyId));
      for (const { keyId } of keys) seen.add(keyId);
      if (record !== undefined && keys.length > 0) chosen.push({ ...candidate, record, keys });
    }
  }
  return { chosen: chosen.slice(0, MAX_RECORDS), deleted };
}

/** The last fetches before an instant that brought records. */
interface PastFetches {
  /** When each record was last brought. */
  lastTs: ReadonlyMap<number, number>;
  /** Since when all fetches are known; Infinity when none is. */
  sinceTs: number;
}

async function findFetches(runner: SqlRunner, serverName: string, ts: number): Promise<PastFetches> {
  const rows = await runner.query<{ recordId: number | string; startedTs: number | string }>(sql`
    SELECT record_id AS "recordId", started_ts AS "startedTs" FROM (
      SELECT record_id, started_ts FROM key_fetch WHERE server_name = ${serverName} ORDER BY id DESC LIMIT ${MAX_FETCHES}
    ) AS f WHERE record_id IS NOT NULL AND started_ts <= ${BigInt(ts)}`);
  const lastTs = new Map<number, number>();
  let sinceTs = Infinity;
  for (const { recordId, startedTs } of rows) {
    const [id, at] = [Number(recordId), Number(startedTs)];
    lastTs.set(id, Math.max(lastTs.get(id) ?? 0, at));
    sinceTs = Math.min(sinceTs, at);
  }
  return { lastTs, sinceTs };
}

/** Time added of a record as it was at an instant. */
function addedAt(
  { recordId, firstSeenTs, lastSeenTs }: SeenRecord,
  { ts, fromTs, fetches: { lastTs, sinceTs } }: { ts: number; fromTs: number; fetches: PastFetches },
): Pick<AnsweredRecord, 'addedTs' | 'isAddedExact'> {
  if (lastSeenTs <= ts) return { addedTs: lastSeenTs, isAddedExact: true };
  const addedTs = Math.max(firstSeenTs, fromTs, lastTs.get(recordId) ?? 0);
  return { addedTs, isAddedExact: sinceTs <= addedTs };
}

/** Two records of a server by row id; `null` when one is not there or not of that server. */
export async function findPair(
  { plain }: Database,
  serverName: string,
  [fromId, toId]: readonly [number, number],
): Promise<[SeenRecord, SeenRecord] | null> {
  const rows = await plain.query<{ id: number | string }>(
    sql`SELECT id FROM key_record WHERE server_name = ${serverName} AND id IN (${listOf([fromId, toId])})`,
  );
  const found = await findSeenRecords(
    plain,
    rows.map(({ id }) => Number(id)),
  );
  const [from, to] = [found.get(fromId), found.get(toId)];
  return from === undefined || to === undefined ? null : [from, to];
}
