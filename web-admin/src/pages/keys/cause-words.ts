import type { FailureCause } from '../../gql/graphql.js';

/** Why fetches failed, in a few words. */
export const CAUSE_WORDS: Readonly<Record<FailureCause, string>> = {
  CERTIFICATE_EXPIRED: 'certificate expired',
  CERTIFICATE_WRONG_NAME: 'certificate for another name',
  CERTIFICATE_UNTRUSTED: 'certificate not trusted',
  NO_TLS: 'no encrypted connection',
  NO_ADDRESS: 'no address in DNS',
  DNS_ERROR: 'DNS server error',
  NO_DNS_ANSWER: 'our resolver gave no answer',
  CONNECTION_REFUSED: 'connection refused',
  CONNECTION_LOST: 'connection closed',
  UNREACHABLE: 'not reachable',
  TOO_SLOW: 'no answer in time',
  ADDRESS_BLOCKED: 'address is blocked',
  ERROR_STATUS: 'answered with an error',
  NO_KEYS_THERE: 'no key endpoint',
  BAD_RECORD: 'invalid record',
  BAD_SIGNATURE: 'signature missing or wrong',
  UNFIT_KEY: 'key that must not be used',
  OTHER: 'other reasons',
};

/** All of them. */
export const CAUSES: readonly FailureCause[] = [
  'CERTIFICATE_EXPIRED',
  'CERTIFICATE_WRONG_NAME',
  'CERTIFICATE_UNTRUSTED',
  'NO_TLS',
  'NO_ADDRESS',
  'DNS_ERROR',
  'NO_DNS_ANSWER',
  'CONNECTION_REFUSED',
  'CONNECTION_LOST',
  'UNREACHABLE',
  'TOO_SLOW',
  'ADDRESS_BLOCKED',
  'ERROR_STATUS',
  'NO_KEYS_THERE',
  'BAD_RECORD',
  'BAD_SIGNATURE',
  'UNFIT_KEY',
  'OTHER',
];
