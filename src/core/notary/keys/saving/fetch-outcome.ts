import type { KeyEventDraft } from '../key-changes.js';
import type { FetchLogEntry } from '../fetch-store.js';
import type { ServerHealth } from '../fetch-throttle.js';
import type { FetchedRecord } from './record-rows.js';

/** All that one fetch leaves behind in the store. */
export interface FetchOutcome {
  /** The attempt; its record's row id is found out when it is stored. */
  entry: Omit<FetchLogEntry, 'recordId'>;
  health: ServerHealth;
  /** `null` when the fetch failed. */
  fetched: FetchedRecord | null;
  /** Events that no stored record causes, such as a refusal. */
  events: readonly KeyEventDraft[];
  /** Whether the record is the first of its server; absent: it is not. */
  isFirst?: boolean;
  /** Servers whose rows go, because this one takes their place. */
  evicted?: readonly string[];
  /** Whether only the latest attempts are kept. */
  isTrimmed?: boolean;
  /** Whether nothing was fetched: another notary had the record. Such an outcome is no attempt. */
  isImported?: boolean;
}
