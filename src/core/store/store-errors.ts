import { ApiError, storeUnavailable } from '../base/errors/api-error.js';
import type { DatabaseOptions } from './db.js';

/** Why the store cannot be used, for people; holds no passwords. */
export interface StoreErrorCauses {
  /** One sentence. */
  error: string;
  /** The two likeliest causes. */
  causes: readonly [string, string];
}

interface Fault extends StoreErrorCauses {
  /** Absent: `away`. */
  state?: 'full' | 'damaged';
  /** Of Prisma, its adapters, PostgreSQL (SQLSTATE), Node, and SQLite as `sqlite:N`. Any of them means this fault. */
  codes: RegExp;
  /** These explain an error; alone they may come from another file than the store's. */
  details?: RegExp;
}

const LOCKED: Fault = {
  codes: /^sqlite:(?:5|6|15)$/,
  error: 'The database file is locked by another process.',
  causes: ['A second instance uses the same file.', 'A backup or a database tool holds it open.'],
};
const FULL: Fault = {
  state: 'full',
  codes: /^(?:sqlite:13|53100)$/,
  // 4874: no room for the index of SQLite's log.
  details: /^(?:ENOSPC|4874)$/,
  error: 'The disk of the database is full.',
  causes: ['Another program has filled the disk.', 'The database or the media have outgrown it.'],
};

/** The first that fits says what is wrong. */
const FAULTS: readonly Fault[] = [
  LOCKED,
  {
    state: 'damaged',
    codes: /^sqlite:(?:11|26)$/,
    error: 'The file is not an SQLite database, or damaged.',
    causes: [
      'database.path names a file of something else, or a copy that was made while a server used it.',
      'Another program wrote to it, or the disk fails: restore a backup.',
    ],
  },
  FULL,
  {
    codes: /^sqlite:(?:8|10|14)$/,
    details: /^(?:EACCES|EISDIR|ENOENT|ENOTDIR|EPERM|EROFS)$/,
    error: 'The database file cannot be opened, created or written.',
    causes: [
      'The folder of database.path is missing, or the disk fails.',
      'The user of this process may not write there, or not to a file beside it.',
    ],
  },
  {
    codes:
      /^(?:P1011|TlsConnectionError|pg:no-tls|UNABLE_TO_\w+|\w*SELF_SIGNED_CERT\w*|\w*CERT_(?:HAS_EXPIRED|ALTNAME_INVALID))$/,
    error: 'The certificate of the database does not pass the check of sslmode.',
    causes: [
      'Its authority is your own: add sslrootcert=FILE to database.url, or use sslmode=require, or disable without TLS.',
      'It has expired or is for another host name than the one in database.url.',
    ],
  },
  {
    codes:
      /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|SocketTimeout|P1002|P1008|P2024|P2028|57014|55P03|pg:timeout)$/,
    error: 'The database did not answer in time.',
    causes: ['A firewall or a network problem blocks the connection.', 'The database server is overloaded.'],
  },
  {
    codes:
      /^(?:28\w{3}|3D000|P1000|P1003|P1010|AuthenticationFailed|DatabaseAccessDenied|DatabaseDoesNotExist)$/,
    error: 'The database refused the login.',
    causes: [
      'The user of database.url may not log in from here, or database.password_path has another password.',
      'The database of that name has not been created yet, or the name in database.url is misspelled.',
    ],
  },
  {
    codes: /^(?:53(?!100)\w{3}|P2037|TooManyConnections)$/,
    error: 'The database has no free connections.',
    causes: ['Other programs use all of them.', 'database.max_connections is too high for the server.'],
  },
  {
    codes: /^(?:57P0[1-5]|08\w{3}|ECONNRESET|ECONNABORTED|EPIPE|ConnectionClosed|P1017|pg:closed)$/,
    error: 'The database closed the connection.',
    causes: ['The database server is being restarted.', 'A network device closes idle connections.'],
  },
  {
    codes: /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|DatabaseNotReachable|P1001)$/,
    error: 'Nothing answers at the address of the database.',
    causes: [
      'The database server is not running, or still starting.',
      'The host or port in database.url is wrong, or the name is not known to DNS.',
    ],
  },
];

const UNKNOWN: StoreErrorCauses = {
  error: 'The database cannot be reached.',
  causes: ['The database server is not running.', 'The section "database" of the configuration is wrong.'],
};

/** Errors of `pg` and `pg-pool` that come without a code. */
const CODES_OF_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:Connection terminated|Client (?:has encountered|was closed))/, 'pg:closed'],
  [/^(?:timeout exceeded when trying to connect|timeout expired|Query read timeout)/, 'pg:timeout'],
  [/^(?:The server does not support SSL|There was an error establishing an SSL) connection/, 'pg:no-tls'],
];

const CONFLICTS = /^(?:P2002|P2034|UniqueConstraintViolation|TransactionWriteConflict|40001|40P01)$/;

const MAX_DEPTH = 8;

/** Codes of an error and of what caused it; those of Prisma keep the driver's error under `meta`. */
function codesOf(value: unknown, depth = 0): string[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  const of = (name: string): unknown => (name in value ? Reflect.get(value, name) : undefined);
  const codes = [of('code'), of('kind'), of('originalCode')].filter((code) => typeof code === 'string');
  const message = of('message');
  const text = CODES_OF_TEXTS.find(([pattern]) => typeof message === 'string' && pattern.test(message));
  const inner = [of('cause'), of('meta'), of('driverAdapterError'), of('errors')];
  const listed = Array.isArray(value) ? value.slice(0, MAX_DEPTH) : inner;
  return [
    ...codes,
    ...(text === undefined ? [] : [text[1]]),
    ...listed.flatMap((one) => codesOf(one, depth + 1)),
  ];
}

/** The fault that an error means; errors that are public already say themselves what they are. */
function stateOf(error: unknown): 'away' | 'full' | 'damaged' | null {
  if (error instanceof ApiError) return error.reason === 'store_unavailable' ? 'away' : null;
  const fault = error instanceof Error ? faultOf(error) : undefined;
  return fault === undefined ? null : (fault.state ?? 'away');
}

/** `withDetails`: it is surely an error of the store. */
function faultOf(error: unknown, withDetails = false): Fault | undefined {
  const codes = codesOf(error);
  return FAULTS.find(({ codes: known, details }) =>
    codes.some((code) => known.test(code) || (withDetails && details?.test(code) === true)),
  );
}

/** It cannot be reached, went away, was locked for too long or is damaged: 503 (`storeUnavailable`), for later. */
export function isStoreUnavailable(error: unknown): boolean {
  const state = stateOf(error);
  return state === 'away' || state === 'damaged';
}

/** Its disk is full, and both engines have taken back what was to be written: 500 (`storeFull`). */
export const isStoreFull = (error: unknown): boolean => stateOf(error) === 'full';

/** The file is no SQLite database, or a damaged one: waiting does not mend it. */
export const isStoreDamaged = (error: unknown): boolean => stateOf(error) === 'damaged';

/** Any of them: the store cannot do its work now, and nothing is wrong with what it was asked. */
export const isStoreError = (error: unknown): boolean => stateOf(error) !== null;

/** True when a transaction lost against another writer and may simply be tried again. */
export const isConflict = (error: unknown): boolean => codesOf(error).some((code) => CONFLICTS.test(code));

/**
 * Creates a row that another instance may create at the same moment; its row stands then. Outside of transactions.
 * (Prisma looks first when an `upsert` updates nothing, so that two may collide.)
 */
export async function createOnce(create: () => Promise<unknown>): Promise<void> {
  await create().catch((error: unknown) => {
    if (!isConflict(error)) throw error;
  });
}

/** What an error of the store means. The error's own text, which may quote settings, is not passed on. */
export function explainStoreError(error: unknown): StoreErrorCauses {
  const { error: sentence, causes } = faultOf(error, true) ?? UNKNOWN;
  return { error: sentence, causes };
}

/** The same in one line, with the file or the address of the database where that is known. */
export function storeErrorLine(error: unknown, options: DatabaseOptions | null): string {
  const { error: sentence, causes } = explainStoreError(error);
  const where = options === null ? '.' : `: ${locationOf(options)}.`;
  return `${sentence.slice(0, -1)}${where} ${causes.join(' Or: ')}`;
}

/** File or address, without the password. */
export function locationOf(options: DatabaseOptions): string {
  if (options.engine === 'sqlite') return options.path;
  const { host, pathname, username } = new URL(options.url);
  return `${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

/** What keeps the store from its work, as the rest of a sentence about it. */
export function storeStateOf(error: unknown): 'has no room on its disk' | 'cannot be reached' {
  return faultOf(error, true) === FULL ? 'has no room on its disk' : 'cannot be reached';
}

/** Whether the store comes back by itself as far as anybody knows: of SQLite one that others lock, of a server any. */
export function mayComeBack(error: unknown, { engine }: Pick<DatabaseOptions, 'engine'>): boolean {
  return engine === 'postgresql' || faultOf(error, true) === LOCKED;
}

/** An error of the store with cause and place: 503 for one that is away, 500 for one that no waiting mends. */
export function storeAway(error: unknown, options: DatabaseOptions): ApiError {
  const line = storeErrorLine(error, options);
  return isStoreDamaged(error)
    ? new ApiError(500, line, { reason: 'database_damaged', cause: error })
    : storeUnavailable(error, line);
}

/** Runs work on a store; errors of the store are thrown with cause and place. */
export async function tellingStoreErrors<T>(options: DatabaseOptions, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    const isTold = error instanceof ApiError && error.detail !== null;
    throw isStoreError(error) && !isTold ? storeAway(error, options) : error;
  });
}
