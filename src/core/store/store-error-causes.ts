import { ApiError, storeUnavailable } from '../base/errors/api-error.js';
import type { DatabaseOptions } from './db.js';
import { isStoreDamaged, isStoreError } from './store-errors.js';

/** Why the store cannot be used, for people; holds no passwords. */
export interface StoreErrorCauses {
  /** One sentence. */
  error: string;
  /** The two likeliest causes. */
  causes: readonly [string, string];
}

interface Known extends StoreErrorCauses {
  pattern: RegExp;
}

const DAMAGED = 'database_damaged';
const DISK_FULL = 'The disk of the database is full.';
const LOCKED = 'The database file is locked by another process.';
const SERVER_DOWN = 'The database server is not running, or still starting.';
const WRONG_ADDRESS = 'database.url names another host or port than the server has.';

/** Codes of sockets, of PostgreSQL (SQLSTATE) and SQLite, and of Prisma, as they stand in errors. */
const KNOWN: readonly Known[] = [
  {
    pattern: /SQLITE_BUSY|SQLITE_LOCKED|database is locked|locking protocol/,
    error: LOCKED,
    causes: ['A second instance uses the same file.', 'A backup or a database tool holds it open.'],
  },
  {
    pattern: /file is not a database|SQLITE_NOTADB/,
    error: 'The file is no SQLite database.',
    causes: ['database.path names a file of something else.', 'The file is damaged: put back a backup.'],
  },
  {
    pattern: /disk image is malformed|SQLITE_CORRUPT/,
    error: 'The database file is damaged.',
    causes: [
      'Something else wrote into it, or the disk fails: put back a backup.',
      'It is a copy that was made while a server used it.',
    ],
  },
  {
    pattern: /SQLITE_READONLY|readonly database|EROFS/,
    error: 'The database file is read-only.',
    causes: ['The user of this process may not write there.', 'The disk is mounted read-only.'],
  },
  {
    pattern: /SQLITE_CANTOPEN|unable to open database file|EACCES|EPERM|EISDIR|ENOTDIR|ENOENT/,
    error: 'The database file cannot be opened, or made in its folder.',
    causes: [
      'The folder of database.path is missing, or is none.',
      'The user of this process may not write there, or not to a file beside it.',
    ],
  },
  {
    // 4874: no room for the index of SQLite's log.
    pattern: /SQLITE_FULL|ENOSPC|disk is full|53100|\b4874\b/,
    error: DISK_FULL,
    causes: ['Something else has filled the disk.', 'The database or the media have outgrown it.'],
  },
  {
    pattern: /disk I\/O error/,
    error: 'The disk of the database cannot be read or written.',
    causes: ['The disk is full.', 'The disk fails: look into the log of the system.'],
  },
  {
    pattern: /does not support SSL connections/,
    error: 'The database does not offer TLS.',
    causes: ['TLS is not set up there: use sslmode=disable.', WRONG_ADDRESS],
  },
  {
    pattern:
      /TlsConnectionError|SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|CERT_HAS_EXPIRED|CERT_ALTNAME_INVALID/,
    error: 'The certificate of the database does not pass the check of sslmode.',
    causes: [
      'Its authority is your own: add sslrootcert=FILE to database.url, or use sslmode=require.',
      'It has expired or is for another host name than the one in database.url.',
    ],
  },
  {
    pattern: /ECONNREFUSED/,
    error: 'Nothing listens at the address of the database (connection refused).',
    causes: [SERVER_DOWN, WRONG_ADDRESS],
  },
  {
    pattern: /ENOTFOUND|EAI_AGAIN/,
    error: 'The host name of the database is not known to DNS.',
    causes: ['The name in database.url is misspelled.', 'Name resolution does not work on this machine.'],
  },
  {
    pattern: /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timeout exceeded|SocketTimeout|Query read timeout|57014/,
    error: 'The database did not answer in time.',
    causes: ['A firewall or a network problem lies between.', 'The database server is overloaded.'],
  },
  {
    pattern: /28P01|28000|P1000|P1010|AuthenticationFailed|DatabaseAccessDenied/,
    error: 'The database refused the log-in.',
    causes: [
      'The password in database.password_path is not the one of the user.',
      'The user of database.url does not exist or may not log in from here.',
    ],
  },
  {
    pattern: /3D000|P1003|DatabaseDoesNotExist/,
    error: 'The server knows no database of that name.',
    causes: ['The database has not been created yet.', 'The name in database.url is misspelled.'],
  },
  {
    pattern: /53300|P2037|TooManyConnections/,
    error: 'The database takes no more connections.',
    causes: ['Other programs use all of them.', 'database.max_connections is too high for the server.'],
  },
  {
    pattern: /57P0[123]|ECONNRESET|Connection terminated|ConnectionClosed|P1017/,
    error: 'The database closed the connection.',
    causes: ['The database server is being restarted.', 'A network device between cuts idle connections.'],
  },
  {
    // Prisma's adapter makes one of both.
    pattern: /DatabaseNotReachable|P1001/,
    error: 'Nothing answers at the address of the database.',
    causes: [SERVER_DOWN, 'The host or port in database.url is wrong, or the name is not known to DNS.'],
  },
];

const UNKNOWN: StoreErrorCauses = {
  error: 'The database cannot be reached.',
  causes: [SERVER_DOWN, 'The section "database" of the configuration does not fit.'],
};

/** What an error of the store means. The error's own text, which may quote settings, is not passed on. */
export function explainStoreError(error: unknown): StoreErrorCauses {
  const text = textOf(error, 0);
  const known = KNOWN.find(({ pattern }) => pattern.test(text)) ?? UNKNOWN;
  return { error: known.error, causes: known.causes };
}

/** The same in one line for the log and the terminal, with the file or the address of the database where that is known. */
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

/** The same where it may be another error: then null. */
export function explainIfStoreError(error: unknown, options: DatabaseOptions): string | null {
  return isStoreError(error) || isStoreDamaged(error) ? storeErrorLine(error, options) : null;
}

/** What keeps the store from its work, as the rest of a sentence about it. */
export function storeStateOf(error: unknown): 'has no room on its disk' | 'cannot be reached' {
  return explainStoreError(error).error === DISK_FULL ? 'has no room on its disk' : 'cannot be reached';
}

/** Whether the store comes back by itself as far as anybody knows: of SQLite one that others lock, of a server any. */
export function mayComeBack(error: unknown, { engine }: Pick<DatabaseOptions, 'engine'>): boolean {
  return engine === 'postgresql' || explainStoreError(error).error === LOCKED;
}

/** 503 for a store that is away; the detail says what is wrong with which file or server. */
export function storeAway(error: unknown, options: DatabaseOptions): ApiError {
  return storeUnavailable(error, storeErrorLine(error, options));
}

/** 500 for a store that no waiting mends. */
export function storeDamaged(error: unknown, options: DatabaseOptions): ApiError {
  return new ApiError(500, storeErrorLine(error, options), { reason: DAMAGED, cause: error });
}

/** Runs work on a store; what keeps the store from it is told with cause and place, by `storeAway` or `storeDamaged`. */
export async function tellingStoreErrors<T>(options: DatabaseOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && (error.detail !== null || error.reason === DAMAGED)) throw error;
    if (isStoreDamaged(error)) throw storeDamaged(error, options);
    throw isStoreError(error) ? storeAway(error, options) : error;
  }
}

/** The engine alone: nobody can be told apart while the store is away, so where it is goes into the log only. */
export function nameOfStore({ engine }: Pick<DatabaseOptions, 'engine'>): string {
  return engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
}

const MAX_DEPTH = 8;

/** Codes and messages of an error and of what caused it; errors of Prisma keep the driver's under `meta`. */
function textOf(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return '';
  const members = [
    'code',
    'message',
    'kind',
    'originalCode',
    'originalMessage',
    'reason',
    'cause',
    'meta',
    'errors',
  ];
  const inner = [...members, 'driverAdapterError'].map((name) =>
    name in value ? textOf(Reflect.get(value, name), depth + 1) : '',
  );
  const listed = Array.isArray(value) ? value.slice(0, MAX_DEPTH).map((one) => textOf(one, depth + 1)) : [];
  return [...inner, ...listed].join(' ');
}
