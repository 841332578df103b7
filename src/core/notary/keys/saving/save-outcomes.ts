import type { OpenTransaction } from '../../../store/db.js';
import { appendKeyEvents, type KeyEventBatch, type KeyEventListener } from '../key-event-store.js';
import type { FetchStore } from '../fetch-store.js';
import type { KeyStore } from '../key-store.js';
import type { DomainBudget } from './domain-budget.js';
import { makeRoom } from './failed-servers.js';
import type { FetchOutcome } from '../fetch-outcome.js';
import { updateSummaries } from './record-rows.js';

/** Where outcomes go. */
export interface OutcomeStores {
  keyStore: KeyStore;
  fetchStore: FetchStore;
  /** Of one server. */
  maxKeptFetches: number;
  /** Absent: everything is stored. */
  budget?: DomainBudget | undefined;
  listener?: KeyEventListener | undefined;
}

/**
 * Stores outcomes of fetches from different servers, inside the caller's transaction. Returns the names of servers of
 * which nothing was stored, because the budget of their domain is used up.
 */
export async function saveOutcomes(
  transaction: OpenTransaction,
  all: readonly FetchOutcome[],
  { keyStore, fetchStore, maxKeptFetches, budget, listener }: OutcomeStores,
): Promise<ReadonlySet<string>> {
  const { tx } = transaction;
  const charge = await budget?.charge(tx, all);
  const refused = charge?.refused ?? new Set<string>();
  const outcomes = all.flatMap((outcome) => withinBudget(outcome, refused));
  await makeRoom(tx, outcomes, charge?.keptFetches ?? (() => maxKeptFetches));
  const records = outcomes.flatMap(({ fetched }) => (fetched === null ? [] : [fetched]));
  const recordIds = await keyStore.saveAll(transaction, records);
  await fetchStore.saveHealth(tx, new Map(outcomes.map(({ entry, health }) => [entry.serverName, health])));
  await updateSummaries(
    tx,
    records.map(({ record }) => record.serverName),
  );
  await fetchStore.saveFetches(
    tx,
    outcomes.map(({ entry }) => ({ ...entry, recordId: recordIds.get(entry.serverName) ?? null })),
  );
  await appendKeyEvents(transaction, outcomes.map(eventsOf), listener ?? null);
  if (charge !== undefined) await budget?.book(tx, charge);
  return refused;
}

function eventsOf({ entry, events }: FetchOutcome): KeyEventBatch {
  const ts = entry.startedTs + entry.durationMs;
  return { serverName: entry.serverName, ts, recordId: null, events };
}

/** Of a domain whose budget is used up a failed fetch is stored without its events, another not at all. */
function withinBudget(outcome: FetchOutcome, refused: ReadonlySet<string>): FetchOutcome[] {
  if (!refused.has(outcome.entry.serverName)) return [outcome];
  return outcome.fetched === null ? [{ ...outcome, events: [] }] : [];
}
