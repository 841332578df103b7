import { ApiError } from '../../../base/errors/api-error.js';
import type { FetchedRecord } from '../../../notary/keys/saving/record-rows.js';
import type { FetchOutcome } from '../../../notary/keys/saving/fetch-outcome.js';
import { saveOutcomes, type OutcomeStores } from '../../../notary/keys/saving/save-outcomes.js';
import { unknownHealth, type ThrottleSettings } from '../../../notary/keys/fetch-throttle.js';
import { acceptKeyRecord, type KeyRecordPolicy } from '../../../notary/key-record/key-record.js';
import type { Database } from '../../../store/db.js';
import { listOf, sql } from '../../../store/sql/sql.js';
import { parseLine } from './key-export-check.js';

export interface KeyImportOptions extends OutcomeStores {
  database: Database;
  policy: KeyRecordPolicy;
  throttle: ThrottleSettings;
  maxRecordBytes: number;
  /** Records of this name are ours to make; `null`: we publish none. */
  ownName: string | null;
  nowTs: number;
  /** Told the names of servers whose records were stored. */
  onStored: (serverNames: readonly string[]) => Promise<void>;
}

/** How an import goes. */
export interface KeyImportState {
  records: number;
  stored: number;
  /** Nothing newer than what is known of their servers. */
  known: number;
  /** Left out, because the budget of their domain is used up. */
  overBudget: number;
  refused: number;
  /** The first refused ones. */
  errors: { line: number; reason: string }[];
}

export function newImportState(): KeyImportState {
  return { records: 0, stored: 0, known: 0, overBudget: 0, refused: 0, errors: [] };
}

const MAX_ERRORS = 20;
const SERVERS_AT_ONCE = 32;
const RECORDS_AT_ONCE = 200;

/** A record that was accepted, at a time at which it was seen. */
interface Sighting extends FetchedRecord {
  line: number;
}

/**
 * Stores the records of an export as if they had been fetched when the other notary first and last saw them: every
 * signature is checked again. What is not newer than everything known of a server is left out, so that it may be done
 * again. Lines that are no acceptable record are noted and left out.
 */
export async function importKeys(
  lines: AsyncIterable<Uint8Array>,
  options: KeyImportOptions,
  state: KeyImportState,
): Promise<void> {
  let servers = new Map<string, Sighting[]>();
  let [line, waiting] = [0, 0];
  for await (const bytes of lines) {
    line += 1;
    const sightings = readRecord(bytes, line, { options, state });
    if (sightings === null) continue;
    const [{ record }] = sightings;
    const ofServer = servers.get(record.serverName);
    if ((ofServer === undefined && servers.size === SERVERS_AT_ONCE) || waiting >= RECORDS_AT_ONCE) {
      await store(servers, options, state);
      [servers, waiting] = [new Map(), 0];
    }
    servers.set(record.serverName, [...(servers.get(record.serverName) ?? []), ...sightings]);
    waiting += 1;
  }
  await store(servers, options, state);
}

type Sightings = [Sighting, ...Sighting[]];

/** `null` for the head and the end, and for what is refused. */
function readRecord(
  bytes: Uint8Array,
  line: number,
  { options, state }: { options: KeyImportOptions; state: KeyImportState },
): Sightings | null {
  const read = parseLine(bytes);
  if (read !== null && (read['type'] === 'keys' || read['type'] === 'end')) return null;
  state.records += 1;
  const { server_name, published: text, first_seen_ts: firstTs, last_seen_ts: lastTs } = read ?? {};
  const refuse = (reason: string): null => {
    state.refused += 1;
    if (state.errors.length < MAX_ERRORS) state.errors.push({ line, reason });
    return null;
  };
  if (typeof server_name !== 'string' || typeof text !== 'string') return refuse('it is no record');
  if (typeof firstTs !== 'number' || typeof lastTs !== 'number' || firstTs < 0 || firstTs > lastTs)
    return refuse('first_seen_ts and last_seen_ts are no times in order');
  if (lastTs > options.nowTs) return refuse('last_seen_ts lies in the future');
  if (server_name === options.ownName) return refuse('it is about our own name');
  const published = Buffer.from(text);
  if (published.length > options.maxRecordBytes)
    return refuse('the record is longer than federation.max_key_record_size');
  try {
    const record = acceptKeyRecord(published, server_name, options.policy);
    const seen = { record, published, line, isImported: true };
    const sightings: Sightings = [{ ...seen, fetchedTs: firstTs }];
    if (lastTs > firstTs) sightings.push({ ...seen, fetchedTs: lastTs });
    return sightings;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refuse(error.detail ?? error.message);
  }
}

/** All that was seen of some servers, in the order of time: of each server one at a time. */
async function store(
  servers: ReadonlyMap<string, readonly Sighting[]>,
  options: KeyImportOptions,
  state: KeyImportState,
): Promise<void> {
  const known = await findNewest(options.database, [...servers.keys()]);
  const news = [...servers].map(([serverName, sightings]) =>
    sightings
      .filter(({ fetchedTs }) => fetchedTs > (known.get(serverName) ?? -1))
      .toSorted((one, other) => one.fetchedTs - other.fetchedTs),
  );
  const [stored, refused] = [new Set<number>(), new Set<string>()];
  for (let at = 0; news.some(({ length }) => at < length); at += 1) {
    const round = news.flatMap((sightings) => sightings[at] ?? []);
    for (const serverName of await save(round, options)) refused.add(serverName);
    for (const { line, record } of round) if (!refused.has(record.serverName)) stored.add(line);
  }
  for (const sightings of servers.values()) {
    for (const line of new Set(sightings.map((sighting) => sighting.line))) {
      if (stored.has(line)) state.stored += 1;
      else state[isNews(news, line) ? 'overBudget' : 'known'] += 1;
    }
  }
  const names = news.flatMap(([first]) => (first === undefined ? [] : [first.record.serverName]));
  if (names.length > 0) await options.onStored(names);
}

function isNews(news: readonly (readonly Sighting[])[], line: number): boolean {
  return news.some((sightings) => sightings.some((sighting) => sighting.line === line));
}

/** Returns the names of servers whose budget is used up. */
async function save(round: readonly Sighting[], options: KeyImportOptions): Promise<ReadonlySet<string>> {
  const { database, fetchStore, throttle, nowTs } = options;
  const health = await fetchStore.findHealth(round.map(({ record }) => record.serverName));
  const outcomes = round.map((sighting): FetchOutcome => {
    const { record, fetchedTs } = sighting;
    const before = health.get(record.serverName) ?? unknownHealth(nowTs, throttle);
    return {
      entry: {
        serverName: record.serverName,
        startedTs: fetchedTs,
        durationMs: 0,
        outcome: 'ok',
        reason: null,
        message: null,
        cause: 'operator',
        steps: [],
      },
      health: { ...before, lastOkTs: Math.max(before.lastOkTs ?? 0, fetchedTs) },
      fetched: sighting,
      events: [],
      isFirst: before.lastOkTs === null,
      isImported: true,
    };
  });
  return database.plain.transaction((runner) => saveOutcomes(runner, outcomes, options));
}

/** When anything of each server was last seen. */
async function findNewest(database: Database, serverNames: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.plain.query<{ server_name: string; seen_ts: number | string }>(
    sql`SELECT server_name, MAX(last_seen_ts) AS seen_ts FROM key_record
      WHERE server_name IN (${listOf(serverNames)}) GROUP BY server_name`,
  );
  return new Map(rows.map((row) => [row.server_name, Number(row.seen_ts)]));
}
