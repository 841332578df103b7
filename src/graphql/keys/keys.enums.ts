import { registerEnumType } from 'type-graphql';

import type { EventRow } from '../../core/operators/keys/event-history.js';
import type { FetchRow } from '../../core/operators/keys/fetch-history.js';
import type { ServerSortField as CoreSortField } from '../../core/operators/keys/server-list.js';
import type { KeyState as CoreKeyState } from '../../core/operators/keys/server-row.js';

/** Names on the wire → values inside. */
export const KeyState = { FRESH: 'fresh', DUE: 'due', EXPIRED: 'expired' } as const satisfies Record<
  string,
  CoreKeyState
>;
export type KeyState = CoreKeyState;
registerEnumType(KeyState, {
  name: 'KeyState',
  description:
    'FRESH: before the half-way point. DUE: past it, next query refetches. EXPIRED: past valid_until_ts',
});

export const KeyKind = { VERIFY: 'verify', OLD: 'old' } as const;
export type KeyKind = (typeof KeyKind)[keyof typeof KeyKind];
registerEnumType(KeyKind, { name: 'KeyKind' });

export const KeyEventSeverity = {
  INFO: 'info',
  WARNING: 'warning',
  ALERT: 'alert',
} as const satisfies Record<string, EventRow['severity']>;
export type KeyEventSeverity = EventRow['severity'];
registerEnumType(KeyEventSeverity, { name: 'KeyEventSeverity' });

/** `NOT_ALLOWED` is what a refresh by hand answers; fetches that are not allowed leave no row, and a list has none. */
export const FetchOutcome = { OK: 'ok', FAILED: 'failed', NOT_ALLOWED: 'not_allowed' } as const;
export type FetchOutcome = FetchRow['outcome'] | 'not_allowed';
registerEnumType(FetchOutcome, {
  name: 'FetchOutcome',
  description:
    'NOT_ALLOWED: what a refresh by hand answers when the whitelist forbids it; no list holds such fetches',
});

export const ServerSortField = {
  NAME: 'name',
  VALID_UNTIL: 'valid_until',
  ADDED_AT: 'added_at',
  LAST_FETCH: 'last_fetch',
} as const satisfies Record<string, CoreSortField>;
export type ServerSortField = CoreSortField;
registerEnumType(ServerSortField, { name: 'ServerSortField' });
