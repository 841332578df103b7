import { setImmediate } from 'node:timers/promises';

import { quoteForDetail } from '../../base/text/quote-for-detail.js';
import { parseStoredRecord } from '../../notary/key-record/record-signing.js';
import { type KnownKey, listedKeys } from '../../notary/keys/key-changes.js';
import type { Database, Db, KeyRecordRow } from '../../store/db.js';
import type { Listing } from '../../store/lists/keyset-walk.js';
import { RecordList } from '../../store/lists/record-list.js';
import type { Acknowledgement } from './key-alarms.js';

/** A stored record as the history shows it. Times are POSIX ms. */
export interface SeenRecord {
  /** SHA-256 (hex) of its canonical form. */
  sha256: string;
  firstSeenTs: number;
  /** Exact. */
  validUntilTs: number | bigint;
  /** Every key it lists. */
  keys: ReadonlyMap<string, KnownKey>;
}

/** Read at once: a record may have 256 KiB. */
const RECORDS_AT_ONCE = 16;

/** Records by row id; deleted ones are left out. */
async function findSeenRecords(
  { keyRecord }: Db,
  recordIds: readonly number[],
): Promise<Map<number, SeenRecord>> {
  const found = new Map<number, SeenRecord>();
  for (let at = 0; at < recordIds.length; at += RECORDS_AT_ONCE) {
    const ids = recordIds.slice(at, at + RECORDS_AT_ONCE);
    for (const row of await keyRecord.findMany({ where: { id: { in: ids } } })) {
      found.set(row.id, seenRecordOf(row));
      await setImmediate();
    }
  }
  return found;
}

function seenRecordOf(row: KeyRecordRow): SeenRecord {
  const { record, validUntilTs } = parseStoredRecord(row.id, row.published);
  return {
    sha256: row.sha256,
    firstSeenTs: Number(row.firstSeenTs),
    validUntilTs,
    keys: listedKeys(record),
  };
}

/** An untrusted time that may lie beyond what numbers tell apart, cut to what they do. */
export function clampedTs(ts: number | bigint): number {
  return Math.min(Number(ts), Number.MAX_SAFE_INTEGER);
}

/** A stretch of time over which one record was the newest of its server. Times are POSIX ms. */
export interface RecordBand {
  id: number;
  serverName: string;
  fromTs: number;
  /** `null`: it still is. */
  untilTs: number | null;
  /** `null`: nothing was known. */
  recordId: number | null;
  /** `null` also when the record has been deleted since. */
  record: SeenRecord | null;
}

/** The bands of a server, newest first. */
export function createBandList(database: Database): RecordList<string, number, RecordBand> {
  return new RecordList(database, {
    listing,
    find: (ids) => findBands(database, ids),
    keyOf: ({ id }) => id,
  });
}

/** The band just before another; `null` for the first one. */
export async function findBandBefore(database: Database, band: RecordBand): Promise<RecordBand | null> {
  const { id, serverName } = band;
  const fromTs = BigInt(band.fromTs);
  const before = await database.client.newestRecord.findFirst({
    where: { serverName, fromTs: { lte: fromTs }, OR: [{ fromTs: { lt: fromTs } }, { id: { lt: id } }] },
    orderBy: [{ fromTs: 'desc' }, { id: 'desc' }],
  });
  return before === null ? null : ((await findBands(database, [before.id]))[0] ?? null);
}

function listing(serverName: string): Listing {
  return {
    model: 'newestRecord',
    sort: { name: 'fromTs', kind: 'integer', nullable: false, direction: 'desc' },
    key: { name: 'id', kind: 'integer' },
    indexed: [{ serverName }],
    residual: [],
    refinements: [],
  };
}

async function findBands({ client }: Database, ids: readonly number[]): Promise<RecordBand[]> {
  const { newestRecord } = client;
  const rows = await newestRecord.findMany({ where: { id: { in: [...ids] } } });
  const recordIds = rows.flatMap(({ recordId }) => (recordId === null ? [] : [recordId]));
  const records = await findSeenRecords(client, [...new Set(recordIds)]);
  const bands: RecordBand[] = [];
  for (const { id, serverName, recordId, fromTs } of rows) {
    const next = await newestRecord.findFirst({
      where: { serverName, fromTs: { gte: fromTs }, OR: [{ fromTs: { gt: fromTs } }, { id: { gt: id } }] },
      orderBy: [{ fromTs: 'asc' }, { id: 'asc' }],
    });
    bands.push({
      id,
      serverName,
      fromTs: Number(fromTs),
      untilTs: next === null ? null : Number(next.fromTs),
      recordId,
      record: recordId === null ? null : (records.get(recordId) ?? null),
    });
  }
  return bands;
}

/** A stretch of time over which a key stood in the newest record in one way. Times are POSIX ms. */
export interface KeyTimelinePiece {
  fromTs: number;
  /** `null`: it still does. */
  untilTs: number | null;
  publicKey: string;
  /** Under `verify_keys` or `old_verify_keys`. */
  kind: 'verify' | 'old';
  /** Until when it proved what was signed: `valid_until_ts` of the last record, or `expired_ts` of an old key. */
  validUntilTs: number;
}

/** What became of one key ID, oldest first. */
export interface KeyTimeline {
  keyId: string;
  pieces: KeyTimelinePiece[];
}

export type MarkKind = 'first' | 'rotation' | 'added' | 'retired' | 'replacement' | 'gap' | 'acknowledged';

export interface TimelineMark {
  kind: MarkKind;
  fromTs: number;
  /** Of gaps; `null` for those that last, and for what happened at an instant. */
  untilTs: number | null;
  keyId: string | null;
  /** One sentence for people. */
  sentence: string;
}

/** Most timelines of a page of bands: a hostile record may list a thousand keys. */
const MAX_TIMELINES = 40;

/** The keys of bands that follow one another, oldest first; `leftOut` counts those beyond the bound. */
export function keyTimelinesOf(bands: readonly RecordBand[]): { timelines: KeyTimeline[]; leftOut: number } {
  const timelines = new Map<string, KeyTimeline>();
  for (const band of bands) {
    for (const key of band.record?.keys.values() ?? []) {
      const timeline = timelines.get(key.keyId) ?? { keyId: key.keyId, pieces: [] };
      timelines.set(key.keyId, timeline);
      addPiece(timeline, pieceOf(key, band));
    }
  }
  // The latest keys are those that matter.
  const latestFirst = [...timelines.values()].toSorted((a, b) => startOf(b) - startOf(a));
  return {
    timelines: latestFirst.slice(0, MAX_TIMELINES),
    leftOut: Math.max(0, latestFirst.length - MAX_TIMELINES),
  };
}

function startOf({ pieces }: KeyTimeline): number {
  return pieces.at(-1)?.fromTs ?? 0;
}

function pieceOf(
  { publicKey, expiredTs }: KnownKey,
  { fromTs, untilTs, record }: RecordBand,
): KeyTimelinePiece {
  const validUntilTs = clampedTs(expiredTs ?? record?.validUntilTs ?? 0);
  return { fromTs, untilTs, publicKey, kind: expiredTs === null ? 'verify' : 'old', validUntilTs };
}

/** A piece that goes on from the one before makes that longer. */
function addPiece({ pieces }: KeyTimeline, piece: KeyTimelinePiece): void {
  const before = pieces.at(-1);
  const goesOn =
    before?.untilTs === piece.fromTs && before.kind === piece.kind && before.publicKey === piece.publicKey;
  if (!goesOn) pieces.push(piece);
  else Object.assign(before, { untilTs: piece.untilTs, validUntilTs: piece.validUntilTs });
}

/**
 * What is worth marking of bands that follow one another, oldest first. `before` is the band ahead of them, which the
 * first is compared with; `null` when the first is the first of all.
 */
export function marksOf(
  bands: readonly RecordBand[],
  {
    before,
    nowTs,
    acknowledgements,
  }: { before: RecordBand | null; nowTs: number; acknowledgements: readonly Acknowledgement[] },
): TimelineMark[] {
  let [previous, known] = [before, before?.record?.keys ?? null];
  const changes = bands.flatMap((band) => {
    const marks = known === null ? firstMark(band, previous) : changeMarks(known, band);
    previous = band;
    // What was deleted or unknown says nothing of keys.
    known = band.record?.keys ?? known;
    return [...marks, ...gapMarks(band, nowTs)];
  });
  const [firstTs, lastTs] = [bands[0]?.fromTs ?? Infinity, bands.at(-1)?.untilTs ?? Infinity];
  const seen = acknowledgements.filter(({ ts }) => ts >= firstTs && ts < lastTs);
  const acknowledged = seen.map(({ ts, actor, reason }) =>
    mark('acknowledged', ts, { sentence: `${actor} acknowledged the alarm: ${reason}` }),
  );
  return [...changes, ...acknowledged].toSorted((one, other) => one.fromTs - other.fromTs);
}

function firstMark(band: RecordBand, previous: RecordBand | null): TimelineMark[] {
  if (previous !== null || band.record === null) return [];
  return [mark('first', band.fromTs, { sentence: 'The first record of the server was stored.' })];
}

type Keys = ReadonlyMap<string, KnownKey>;

function changeMarks(before: Keys, { fromTs, record }: RecordBand): TimelineMark[] {
  if (record === null) return [];
  const after = record.keys;
  const replaced = [...after.values()].filter(({ keyId, publicKey }) => {
    const known = before.get(keyId);
    return known !== undefined && known.publicKey !== publicKey;
  });
  const added = inUse(after).filter((keyId) => !isInUse(before.get(keyId)));
  const gone = inUse(before).filter((keyId) => !isInUse(after.get(keyId)));
  const [from, to] = [names(gone), names(added)];
  const marks = replaced.map(({ keyId }) =>
    mark('replacement', fromTs, {
      keyId,
      sentence: `The key ${quoteForDetail(keyId)} was replaced by another key under the same ID.`,
    }),
  );
  const keyId = added[0] ?? gone[0];
  if (added.length > 0 && gone.length > 0)
    marks.push(mark('rotation', fromTs, { keyId, sentence: `${to} took over from ${from}.` }));
  else if (added.length > 0)
    marks.push(mark('added', fromTs, { keyId, sentence: `${to} came into use beside the existing keys.` }));
  else if (gone.length > 0)
    marks.push(mark('retired', fromTs, { keyId, sentence: `${from} went out of use without a successor.` }));
  return marks;
}

function isInUse(key: KnownKey | undefined): boolean {
  return key !== undefined && key.expiredTs === null;
}

function inUse(keys: Keys): string[] {
  return [...keys.values()].filter(isInUse).map(({ keyId }) => keyId);
}

const MAX_NAMES = 3;

function names(keyIds: readonly string[]): string {
  const shown = keyIds.slice(0, MAX_NAMES).map((keyId) => quoteForDetail(keyId));
  const more = keyIds.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(' and ');
}

/** From when on the newest record was no longer valid, until the next one came. */
function gapMarks({ fromTs, untilTs, recordId, record }: RecordBand, nowTs: number): TimelineMark[] {
  // Of a record that was deleted since nobody knows how long it was valid.
  if (record === null && recordId !== null) return [];
  const endedTs = record === null ? fromTs : Math.max(fromTs, clampedTs(record.validUntilTs));
  if (endedTs >= (untilTs ?? nowTs)) return [];
  const why = record === null ? 'No record was left' : 'The newest record was no longer valid';
  const sentence = `${why}, and no other had been fetched: no valid record was known.`;
  return [{ ...mark('gap', endedTs, { sentence }), untilTs }];
}

function mark(
  kind: TimelineMark['kind'],
  fromTs: number,
  { keyId, sentence }: { keyId?: string | undefined; sentence: string },
): TimelineMark {
  return { kind, fromTs, untilTs: null, keyId: keyId ?? null, sentence };
}
