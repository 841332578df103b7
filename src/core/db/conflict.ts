/** Prisma: unique constraint failed; transaction failed because of a write conflict or deadlock. */
const CONFLICT_CODES = new Set(['P2002', 'P2034']);

/** True when a transaction lost against another writer and may simply be tried again. */
export function isConflict(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    CONFLICT_CODES.has(error.code)
  );
}
