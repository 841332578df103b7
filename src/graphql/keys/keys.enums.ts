import { wordsEnum } from '../common/enums.js';
import type { ServerSortField as CoreSortField } from '../../core/operators/keys/server-list.js';
import type { KeyState as CoreKeyState } from '../../core/operators/keys/server-row.js';

/** Names on the wire → values inside. */
export const KeyState = wordsEnum(
  'KeyState',
  ['fresh', 'due', 'expired'],
  'FRESH: before the half-way point. DUE: past it, next query refetches. EXPIRED: past valid_until_ts',
);
export type KeyState = CoreKeyState;

export const KeyKind = wordsEnum('KeyKind', ['verify', 'old']);
export type KeyKind = (typeof KeyKind)[keyof typeof KeyKind];

export const KeyEventSeverity = wordsEnum('KeyEventSeverity', ['info', 'warning', 'alert']);
export type KeyEventSeverity = (typeof KeyEventSeverity)[keyof typeof KeyEventSeverity];

/** `NOT_ALLOWED` is what a refresh by hand answers; fetches that are not allowed leave no row, and a list has none. */
export const FetchOutcome = wordsEnum(
  'FetchOutcome',
  ['ok', 'failed', 'not_allowed'],
  'NOT_ALLOWED: what a refresh by hand answers when the whitelist forbids it; no list holds such fetches',
);
export type FetchOutcome = (typeof FetchOutcome)[keyof typeof FetchOutcome];

export const ServerSortField = wordsEnum('ServerSortField', [
  'name',
  'valid_until',
  'added_at',
  'last_fetch',
]);
export type ServerSortField = CoreSortField;
