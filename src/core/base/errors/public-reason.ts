import type { ApiError } from './api-error.js';

/** Of errors that are told apart by their status alone. */
const BY_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'bad_http'],
  [412, 'precondition_failed'],
  [415, 'compressed_body'],
  [416, 'range_not_satisfiable'],
  [417, 'expectation_failed'],
]);

/**
 * What the header `Error-Reason` says (SPEC §2.6): lower-case letters, digits and underscores. That a name leads to a
 * refused address looks as if it had none, as in the message: else names inside a network could be found out.
 */
export function publicReason({ reason, errcode, status }: ApiError): string {
  if (reason === 'address_blocked' && status !== 403) return 'dns_no_address';
  if (reason !== null) return reason;
  return errcode === 'M_UNKNOWN'
    ? (BY_STATUS.get(status) ?? 'internal')
    : errcode.slice('M_'.length).toLowerCase();
}
