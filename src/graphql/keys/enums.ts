import type {
  KeyEventKind as CoreEventKind,
  KeyEventSeverity as CoreSeverity,
} from '../../core/notary/keys/key-changes.js';
import type { FailureCause as CoreCause } from '../../core/operators/keys/failure-cause.js';
import { wordsEnum } from '../common/enums.js';

export const KeyState = wordsEnum('KeyState', 'Validity of a key record', {
  fresh: 'Served from the store',
  due: 'Still valid, past half of its lifetime: the next query fetches it again',
  expired: 'Past valid_until_ts',
});

export const KeyKind = wordsEnum('KeyKind', 'Where a record lists a key', {
  verify: 'verify_keys: in use',
  old: 'old_verify_keys: no longer in use',
});

export const KeyEventSeverity = wordsEnum<CoreSeverity>('KeyEventSeverity', 'Importance of a key event', {
  info: 'Routine',
  warning: 'Unusual',
  alert: 'Needs an operator',
});

export const KeyEventKind = wordsEnum<CoreEventKind>('KeyEventKind', 'Kinds of key events', {
  server_first_seen: 'First record of a server stored',
  key_added: 'New key',
  key_removed: 'Key no longer listed',
  key_retired: 'Key moved to old_verify_keys',
  key_reinstated: 'Retired key in use again',
  key_replaced: 'A different key under the same key ID',
  key_unproven: 'Key listed without a signature by it',
  validity_went_backwards: 'New record expires earlier than the previous one',
  record_refused: 'Record refused',
  weak_key_refused: 'Record refused because of a weak key',
  banned_key_refused: 'Record refused because the private key is public knowledge',
  record_deleted: 'Record deleted by an operator',
});

export const FailureCause = wordsEnum<CoreCause>('FailureCause', 'Why a key fetch failed', {
  certificate_expired: 'Certificate expired',
  certificate_wrong_name: 'Certificate issued for another name',
  certificate_untrusted: 'Certificate not trusted, or not valid yet',
  no_tls: 'TLS handshake failed',
  no_address: 'The name has no address',
  dns_error: 'The DNS servers of the domain returned an error',
  no_dns_answer: 'Our DNS resolver did not answer',
  connection_refused: 'Connection refused',
  connection_lost: 'Connection closed early',
  unreachable: 'No connection in time, or no route',
  too_slow: 'No complete response in time',
  address_blocked: 'The address is in a blocked range',
  error_status: 'Error status or redirect',
  no_keys_there: 'The response is not a key record',
  bad_record: 'The record is invalid',
  bad_signature: 'A signature is missing or invalid',
  unfit_key: 'A key must not be used',
  other: 'Any other cause, such as a limit of this server',
});

export const FetchOutcome = wordsEnum('FetchOutcome', 'Result of a key fetch', {
  ok: 'The record was accepted',
  failed: 'No acceptable record',
});

export const ServerSortField = wordsEnum('ServerSortField', 'What servers can be sorted by', {
  serverName: ['NAME', 'Server name'],
  validUntilTs: ['VALID_UNTIL', 'Expiry of the newest record'],
  addedTs: ['ADDED_AT', 'When the newest record was fetched'],
  lastFetchTs: ['LAST_FETCH', 'When keys were last fetched'],
});
