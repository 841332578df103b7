import { isDriverAdapterError, type DriverAdapterError } from '@prisma/driver-adapter-utils';
import { errorCode } from '../base/errors/error-code.js';
import { ApiError } from '../base/errors/api-error.js';

/**
 * Prisma: log-in refused, not reachable, no such database, timed out, connection closed, no free connection,
 * too many connections.
 */
const PRISMA_CODES = new Set([
  'P1000',
  'P1001',
  'P1002',
  'P1003',
  'P1008',
  'P1010',
  'P1011',
  'P1017',
  'P2024',
  'P2037',
]);

const ADAPTER_KINDS = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
  'AuthenticationFailed',
  'DatabaseAccessDenied',
  'DatabaseDoesNotExist',
]);

/** Sockets and, for SQLite, the file system. */
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Node: the certificate of the database does not pass the check that `sslmode` asks for. */
const CERTIFICATE_CODES = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * SQLSTATE: connection exceptions (class 08), log-in refused (28), no such database, insufficient resources (53)
 * other than room on disk, lock not available, statement cancelled by its time limit, shutdown, crash, starting up.
 */
const SQLSTATE = /^(?:08...|28...|3D000|53(?!100)...|55P03|57014|57P0[1-5])$/;

/** SQLite: the file is damaged, or none of its. */
const SQLITE_DAMAGED_CODES = new Set([11, 26]);
/** SQLite: busy, locked, read-only, I/O error, damaged, cannot open, lock protocol, no database. */
const SQLITE_PRIMARY_CODES = new Set([5, 6, 8, 10, 14, 15, ...SQLITE_DAMAGED_CODES]);

/** The disk is full, as SQLSTATE and as primary code of SQLite. */
const SQLSTATE_FULL = '53100';
const SQLITE_FULL = 13;

/** Messages of `pg` and `pg-pool` that come without a code. */
const DRIVER_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'The server does not support SSL connections',
];

/** Prisma's transaction errors that mean that the store was too slow, not that the program was wrong. */
const TRANSACTION_MESSAGES = ['Unable to start a transaction in the given time', 'expired transaction'];

/**
 * True for every error that means "the store cannot be reached, went away or was locked for too long":
 * the request may be repeated later. The answer to the client is then 503 (`storeUnavailable`).
 */
export function isStoreUnavailable(error: unknown): boolean {
  if (isStoreFull(error)) return false;
  if (error instanceof ApiError) return error.reason === 'store_unavailable';
  if (!(error instanceof Error)) return false;
  if (isDriverAdapterError(error)) return isAdapterUnavailable(error);
  const adapterError = adapterErrorIn(error);
  if (adapterError !== null && isAdapterUnavailable(adapterError)) return true;
  const code = errorCode(error);
  if (code === 'P2028') return TRANSACTION_MESSAGES.some((text) => error.message.includes(text));
  if (PRISMA_CODES.has(code) || SYSTEM_CODES.has(code) || CERTIFICATE_CODES.has(code)) return true;
  if (SQLSTATE.test(code)) return true;
  if (error instanceof AggregateError && error.errors.some(isStoreUnavailable)) return true;
  return DRIVER_MESSAGES.some((text) => error.message.startsWith(text)) || isStoreUnavailable(error.cause);
}

function isAdapterUnavailable({ cause }: DriverAdapterError): boolean {
  if (cause.kind === 'postgres') return SQLSTATE.test(cause.code);
  if (cause.kind === 'sqlite') return SQLITE_PRIMARY_CODES.has(cause.extendedCode & 0xff);
  return ADAPTER_KINDS.has(cause.kind);
}

/**
 * True for every error that means "the disk of the database is full". What was to be written is not: both engines
 * have taken it back. The answer to the client is then 500 (`storeFull`). Not for errors that are public already.
 */
export function isStoreFull(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof ApiError) return false;
  const cause = (isDriverAdapterError(error) ? error : adapterErrorIn(error))?.cause;
  if (cause?.kind === 'postgres') return cause.code === SQLSTATE_FULL;
  if (cause?.kind === 'sqlite') return (cause.extendedCode & 0xff) === SQLITE_FULL;
  return errorCode(error) === SQLSTATE_FULL || isStoreFull(error.cause);
}

/** True for every error that means "the file is no SQLite database, or a damaged one": waiting does not mend it. */
export function isStoreDamaged(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const cause = (isDriverAdapterError(error) ? error : adapterErrorIn(error))?.cause;
  if (cause?.kind === 'sqlite') return SQLITE_DAMAGED_CODES.has(cause.extendedCode & 0xff);
  return isStoreDamaged(error.cause);
}

/** Either of both: the store cannot do its work now, and nothing is wrong with what it was asked. */
export function isStoreError(error: unknown): boolean {
  return isStoreFull(error) || isStoreUnavailable(error);
}

/** The driver's error that an error of Prisma carries under `meta.driverAdapterError`; `null` without one. */
export function adapterErrorIn(error: Error): DriverAdapterError | null {
  if (!('meta' in error) || typeof error.meta !== 'object' || error.meta === null) return null;
  if (!('driverAdapterError' in error.meta)) return null;
  const inner = error.meta.driverAdapterError;
  return inner instanceof Error && isDriverAdapterError(inner) ? inner : null;
}
