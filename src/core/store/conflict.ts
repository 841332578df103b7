import { isDriverAdapterError } from '@prisma/driver-adapter-utils';

import { errorCode } from '../base/errors/error-code.js';
import { adapterErrorIn } from './store-errors.js';

/** Prisma: unique constraint failed; transaction failed because of a write conflict or deadlock. */
const CONFLICT_CODES = new Set(['P2002', 'P2034']);

/** The same from plain SQL, where Prisma only passes on what the driver says. */
const CONFLICT_KINDS = new Set(['UniqueConstraintViolation', 'TransactionWriteConflict']);

/** SQLSTATE: serialization failure, deadlock. */
const CONFLICT_STATES = new Set(['40001', '40P01']);

/** True when a transaction lost against another writer and may simply be tried again. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (CONFLICT_CODES.has(errorCode(error))) return true;
  const cause = (isDriverAdapterError(error) ? error : adapterErrorIn(error))?.cause;
  if (cause === undefined) return false;
  return cause.kind === 'postgres' ? CONFLICT_STATES.has(cause.code) : CONFLICT_KINDS.has(cause.kind);
}
