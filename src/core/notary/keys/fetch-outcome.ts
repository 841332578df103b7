import type { ApiError } from '../../base/errors/api-error.js';
import { isOwnFailure } from '../../base/errors/outbound-error.js';
import type { FetchStep } from '../federation/fetch-trace.js';
import type { FetchLogEntry } from './fetch-store.js';
import {
  afterFailure,
  afterOwnFailure,
  afterSuccess,
  type ServerHealth,
  type ThrottleSettings,
} from './fetch-throttle.js';
import { recordErrorEvent, type KeyEventDraft } from './key-changes.js';
import type { VerifiedFetch } from './key-fetcher.js';
import type { RefreshRequest } from './refresh-request.js';
import type { FetchedRecord } from './saving/record-rows.js';

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
}

/** One fetch under way. Times are POSIX ms. */
export interface Attempt {
  request: RefreshRequest;
  health: ServerHealth;
  startedTs: number;
  steps: FetchStep[];
}

/** What a fetch that brought a record leaves behind. */
export function successOf(attempt: Attempt, fetched: VerifiedFetch, endedTs: number): FetchOutcome {
  const { startedTs } = attempt;
  return {
    entry: entryOf(attempt, endedTs, { outcome: 'ok', reason: null, message: null }),
    health: afterSuccess(attempt.health, startedTs),
    fetched: { ...fetched, fetchedTs: startedTs },
    events: [],
    isFirst: attempt.health.lastOkTs === null,
  };
}

/** What a failed fetch leaves behind. */
export function failureOf(
  attempt: Attempt,
  failure: ApiError,
  { endedTs, settings }: { endedTs: number; settings: ThrottleSettings },
): FetchOutcome {
  const { startedTs } = attempt;
  const reason = failure.reason ?? 'internal';
  const message = failure.detail ?? failure.message;
  const event = recordErrorEvent(reason, message);
  const ended = { startedTs, endedTs, reason, message };
  return {
    entry: entryOf(attempt, endedTs, { outcome: 'failed', reason, message }),
    health: isOwnFailure(reason)
      ? afterOwnFailure(attempt.health, ended)
      : afterFailure(attempt.health, ended, settings),
    fetched: null,
    events: event === null ? [] : [event],
  };
}

function entryOf(
  { request, startedTs, steps }: Attempt,
  endedTs: number,
  result: Pick<FetchLogEntry, 'outcome' | 'reason' | 'message'>,
): FetchOutcome['entry'] {
  const { serverName, cause } = request;
  return { serverName, startedTs, durationMs: Math.max(0, endedTs - startedTs), steps, cause, ...result };
}
