import { KEY_EVENT_KINDS, KEY_EVENT_SEVERITIES } from '../../core/notary/keys/key-changes.js';
import { FAILURE_CAUSES } from '../../core/operators/keys/failures/failure-cause.js';
import { wordsEnum } from '../common/enums.js';

export const KeyState = wordsEnum(
  'KeyState',
  ['fresh', 'due', 'expired'],
  'FRESH: before the half-way point. DUE: past it, next query refetches. EXPIRED: past valid_until_ts',
);

export const KeyKind = wordsEnum('KeyKind', ['verify', 'old']);

export const KeyEventSeverity = wordsEnum('KeyEventSeverity', KEY_EVENT_SEVERITIES);

export const KeyEventKind = wordsEnum('KeyEventKind', KEY_EVENT_KINDS);

export const FailureCause = wordsEnum('FailureCause', FAILURE_CAUSES);

/** `NOT_ALLOWED` is what a refresh by hand answers; fetches that are not allowed leave no row, and a list has none. */
export const FetchOutcome = wordsEnum(
  'FetchOutcome',
  ['ok', 'failed', 'not_allowed'],
  'NOT_ALLOWED: what a refresh by hand answers when the whitelist forbids it; no list holds such fetches',
);

export const ServerSortField = wordsEnum('ServerSortField', [
  'name',
  'valid_until',
  'added_at',
  'last_fetch',
]);
