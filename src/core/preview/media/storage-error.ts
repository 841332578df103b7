import { errorCode } from '../../base/errors/error-code.js';
import { isStoreFull } from '../../store/store-errors.js';
import { ApiError, storeFull } from '../../base/errors/api-error.js';

const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * 500 for media that cannot be written. `reason` is `disk_full` or `media_not_written`; the cause keeps the
 * path, which no client sees. Errors that already are ApiErrors stay as they are.
 */
export function storageError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isStoreFull(error)) return storeFull(error);
  const code = errorCode(error);
  return new ApiError(500, 'The media could not be stored', {
    cause: error,
    reason: FULL_CODES.has(code) ? 'disk_full' : 'media_not_written',
    detail: FULL_CODES.has(code)
      ? 'The file system of media_store_path is full'
      : `Writing below media_store_path failed${code === '' ? '' : ` with ${code}`}`,
  });
}
