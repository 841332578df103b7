import { ApiError } from '../base/errors/api-error.js';
import { isStoreDamaged, isStoreFull, isStoreUnavailable } from '../store/store-errors.js';

const UNKNOWN = 'It ended with an error; the log has it.';

/**
 * Why work failed, as everybody who is signed in may read it: neither paths of this machine nor the database client's
 * account of our own code. The log has the whole error.
 */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (isStoreFull(error)) return 'The disk of the database is full.';
  if (isStoreDamaged(error)) return 'The database file is damaged.';
  if (isStoreUnavailable(error)) return 'The database could not be reached.';
  if (!(error instanceof Error)) return UNKNOWN;
  // "EACCES: permission denied, scandir '/srv/media'": the path stands last.
  if ('syscall' in error && 'path' in error) return error.message.split(" '", 1)[0] ?? UNKNOWN;
  return error.name.startsWith('PrismaClient') || error.message.includes('\n') ? UNKNOWN : error.message;
}
