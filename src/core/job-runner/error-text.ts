import { ApiError } from '../base/errors/api-error.js';
import { explainStoreError } from '../store/store-error-causes.js';
import { isStoreDamaged, isStoreError } from '../store/store-errors.js';

const UNKNOWN = 'It ended with an error; the log has it.';

/**
 * Why work failed, as everybody who is signed in may read it: neither paths of this machine nor the database client's
 * account of our own code. The log has the whole error.
 */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (isStoreError(error) || isStoreDamaged(error)) return explainStoreError(error).error;
  if (!(error instanceof Error)) return UNKNOWN;
  // "EACCES: permission denied, scandir '/srv/media'": the path stands last.
  if ('syscall' in error && 'path' in error) return error.message.split(" '", 1)[0] ?? UNKNOWN;
  return error.name.startsWith('PrismaClient') || error.message.includes('\n') ? UNKNOWN : error.message;
}
