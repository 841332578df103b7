import type { FailureCause, KeyEventKind } from '../../gql/graphql.js';
import { StateBadge, StateOf, type Tone } from '../../ui/state.js';
import { Note, RelativeTime, UntrustedText } from '../../ui/text/text.js';

/** Why fetches failed, in a few words. */
export const CAUSE_WORDS: Readonly<Record<FailureCause, string>> = {
  CERTIFICATE_EXPIRED: 'certificate expired',
  CERTIFICATE_WRONG_NAME: 'certificate for another name',
  CERTIFICATE_UNTRUSTED: 'certificate not trusted',
  NO_TLS: 'no encrypted connection',
  NO_ADDRESS: 'no address in DNS',
  DNS_ERROR: 'DNS server error',
  NO_DNS_ANSWER: 'our DNS resolver did not answer',
  CONNECTION_REFUSED: 'connection refused',
  CONNECTION_LOST: 'connection closed',
  UNREACHABLE: 'not reachable',
  TOO_SLOW: 'no answer in time',
  ADDRESS_BLOCKED: 'address is blocked',
  ERROR_STATUS: 'answered with an error',
  NO_KEYS_THERE: 'no key endpoint',
  BAD_RECORD: 'invalid record',
  BAD_SIGNATURE: 'signature missing or wrong',
  UNFIT_KEY: 'forbidden key',
  OTHER: 'other reasons',
};

/** What may have happened to a key; the alarm stands first. */
export const EVENT_WORDS: Readonly<Record<KeyEventKind, string>> = {
  KEY_REPLACED: 'key replaced',
  KEY_ADDED: 'key added',
  KEY_REMOVED: 'key no longer listed',
  KEY_RETIRED: 'key retired',
  KEY_REINSTATED: 'key in use again',
  KEY_UNPROVEN: 'key did not sign',
  VALIDITY_WENT_BACKWARDS: 'expires earlier than before',
  RECORD_REFUSED: 'record refused',
  WEAK_KEY_REFUSED: 'weak key refused',
  BANNED_KEY_REFUSED: 'banned key refused',
  SERVER_FIRST_SEEN: 'server first seen',
  RECORD_DELETED: 'record deleted',
};

export const SEVERITY_TONES = { INFO: 'idle', WARNING: 'warn', ALERT: 'bad' } as const;

const STATES: Record<string, readonly [Tone, string]> = {
  FRESH: ['ok', 'fresh'],
  DUE: ['warn', 'due'],
  EXPIRED: ['bad', 'expired'],
  NONE: ['idle', 'no keys'],
};

interface KeyStateBadgeProps {
  /** Fresh, past its half-way point, or past valid_until_ts; null = no record. */
  state: string | null;
  /** An unacknowledged alarm: of this key, of this server, or of another key of the server. Nothing is fresh then. */
  alarm: 'key' | 'server' | 'other' | null;
}

/** The state of a key record. */
export function KeyStateBadge({ state, alarm }: KeyStateBadgeProps) {
  if (alarm === 'key') return <StateBadge tone="bad">key replaced</StateBadge>;
  if (alarm === 'server') return <StateBadge tone="bad">needs attention</StateBadge>;
  if (alarm === 'other' && state === 'FRESH') return <StateBadge tone="idle">not expired</StateBadge>;
  return <StateOf state={state ?? 'NONE'} of={STATES} />;
}

interface AcknowledgedProps {
  by: { at: string; actor: string; reason: string } | null;
}

/** Who acknowledged an alarm, when and why; nothing for other events. */
export function Acknowledged({ by }: AcknowledgedProps) {
  if (by === null) return null;
  return (
    <Note>
      acknowledged by <UntrustedText text={by.actor} max={36} /> <RelativeTime at={by.at} />:{' '}
      <UntrustedText text={by.reason} max={200} />
    </Note>
  );
}
