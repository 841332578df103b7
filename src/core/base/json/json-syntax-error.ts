import { ApiError } from '../errors/api-error.js';

/** Why a text is not accepted as JSON; the `reason` of the error. */
export type JsonErrorReason =
  | 'json_not_utf8'
  | 'json_syntax'
  | 'json_depth'
  | 'json_parts'
  | 'json_duplicate_member'
  | 'json_float'
  | 'json_negative_zero'
  | 'json_number_length'
  | 'json_lone_surrogate';

/**
 * 400 `M_NOT_JSON` with a machine-readable reason; the detail names the error and where it is
 * (`at` counts UTF-16 units from the start of the text, from 0).
 */
export function jsonSyntaxError(reason: JsonErrorReason, what: string, at: number): ApiError {
  return new ApiError(400, 'Content not JSON.', {
    errcode: 'M_NOT_JSON',
    ...(reason === 'json_depth' ? { bound: 'json' } : {}),
    reason,
    detail: `${what} at character ${at}`,
  });
}

/** 413 `M_TOO_LARGE` for a text of more values and escapes than `maxParts`. */
export function tooManyJsonParts(maxParts: number): ApiError {
  const reason: JsonErrorReason = 'json_parts';
  return new ApiError(413, `Content has more than ${maxParts} JSON values and escapes`, {
    errcode: 'M_TOO_LARGE',
    bound: 'json',
    reason,
  });
}

/** An untrusted text, quoted and cut to 64 characters, for use in a detail. */
export function quoteForDetail(text: string): string {
  return text.length <= 64 ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, 64))}...`;
}
