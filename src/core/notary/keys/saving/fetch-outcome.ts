import type { DbTransaction } from '../../../store/db.js';
import type { KeyEventDraft } from '../key-changes.js';
import { appendKeyEvents } from '../key-event-store.js';
import type { FetchLogEntry, FetchStore } from '../fetch-store.js';
import type { ServerHealth } from '../fetch-throttle.js';
import type { KeyStore } from '../key-store.js';
import type { FetchedRecord } from './record-rows.js';
import { updateSummaries } from './server-summary.js';

/** All that one fetch leaves behind in the store. */
export interface FetchOutcome {
  /** The attempt; its record's row id is found out when it is stored. */
  entry: Omit<FetchLogEntry, 'recordId'>;
  health: ServerHealth;
  /** `null` when the fetch failed. */
  fetched: FetchedRecord | null;
  /** Events that no stored record causes, such as a refusal. */
  events: readonly KeyEventDraft[];
}

/** Where outcomes go. */
export interface OutcomeStores {
  keyStore: KeyStore;
  fetchStore: FetchStore;
}

/** Stores outcomes of fetches from different servers, inside the caller's transaction. */
export async function saveOutcomes(
  tx: DbTransaction,
  outcomes: readonly FetchOutcome[],
  { keyStore, fetchStore }: OutcomeStores,
): Promise<void> {
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
}
