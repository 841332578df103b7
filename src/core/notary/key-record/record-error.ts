import { ApiError } from '../../base/errors/api-error.js';

/** Why a fetched key record is refused; the `reason` of the error. JSON errors keep the parser's own reason. */
export type RecordErrorReason =
  | 'record_not_object'
  | 'record_name_mismatch'
  | 'record_bad_validity'
  | 'record_bad_shape'
  | 'record_bad_key'
  | 'record_bad_key_id'
  | 'record_weak_key'
  | 'record_banned_key'
  | 'record_too_many_keys'
  | 'record_no_signature'
  | 'record_bad_signature'
  | 'record_too_many_signatures'
  | 'record_unproven_key';

/** 502 for a record that is not accepted. `detail` is for operators and may quote the record (cut short). */
export function invalidRecord(reason: RecordErrorReason, detail: string): ApiError {
  return new ApiError(502, 'The key record of the remote server was not accepted', {
    reason,
    detail,
  });
}
