import type { DbTransaction } from '../../../store/db.js';
import { appendKeyEvents } from '../key-event-store.js';
import type { FetchStore } from '../fetch-store.js';
import type { KeyStore } from '../key-store.js';
import type { DomainBudget } from './domain-budget.js';
import { makeRoom } from './failed-servers.js';
import type { FetchOutcome } from './fetch-outcome.js';
import { updateSummaries } from './server-summary.js';

/** Where outcomes go. */
export interface OutcomeStores {
  keyStore: KeyStore;
  fetchStore: FetchStore;
  /** Absent: everything is stored. */
  budget?: DomainBudget | undefined;
}

/**
 * Stores outcomes of fetches from different servers, inside the caller's transaction. Returns the names of servers of
 * which nothing was stored, because the budget of their domain is used up.
 */
export async function saveOutcomes(
  tx: DbTransaction,
  all: readonly FetchOutcome[],
  { keyStore, fetchStore, budget }: OutcomeStores,
): Promise<ReadonlySet<string>> {
  const refused = (await budget?.charge(tx, all)) ?? new Set<string>();
  const outcomes = all.filter(({ entry }) => !refused.has(entry.serverName));
  await makeRoom(tx, outcomes);
  const records = outcomes.flatMap(({ fetched }) => (fetched === null ? [] : [fetched]));
  const recordIds = await keyStore.saveAll(tx, records);
  await fetchStore.saveHealth(tx, new Map(outcomes.map(({ entry, health }) => [entry.serverName, health])));
  await updateSummaries(
    tx,
    records.map(({ record }) => record.serverName),
  );
  await fetchStore.saveFetches(
    tx,
    outcomes.map(({ entry }) => ({ ...entry, recordId: recordIds.get(entry.serverName) ?? null })),
  );
  await appendKeyEvents(
    tx,
    outcomes.map(({ entry, events }) => ({
      serverName: entry.serverName,
      ts: entry.startedTs + entry.durationMs,
      recordId: null,
      events,
    })),
  );
  return refused;
}
