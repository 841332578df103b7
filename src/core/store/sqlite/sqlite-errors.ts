import { DriverAdapterError, type MappedError } from '@prisma/driver-adapter-utils';

/** Result codes, sqlite.org/rescode.html; of the first eight bits the primary one. */
const [BUSY, LOCKED, READONLY, CANTOPEN] = [5, 6, 8, 14];
const [CONSTRAINT, PRIMARY_KEY, UNIQUE] = [19, 1555, 2067];

/** The package gives errors no code that are raised while a statement returns rows: sqlite.org/c3ref/errcode.html. */
const CODES_OF_TEXTS: readonly (readonly [string, number])[] = [
  ['UNIQUE constraint failed', UNIQUE],
  ['NOT NULL constraint failed', CONSTRAINT],
  ['FOREIGN KEY constraint failed', CONSTRAINT],
  ['database is locked', BUSY],
  ['database table is locked', LOCKED],
  ['attempt to write a readonly database', READONLY],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
  ['unable to open database file', CANTOPEN],
  ['locking protocol', 15],
  ['file is not a database', 26],
];

/** Extended result code of an error of the driver, null when it is no error of SQLite. */
function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  // Of errors of the system the package gives the primary code alone as `errcode`.
  const code: unknown = Reflect.get(error, 'sqliteExtendedCode') ?? Reflect.get(error, 'errcode');
  if (typeof code === 'number') return code;
  return CODES_OF_TEXTS.find(([text]) => error.message.startsWith(text))?.[1] ?? null;
}

const primaryCode = (error: unknown): number => (sqliteCode(error) ?? 0) & 0xff;

/** True when another connection holds the lock that was needed; the statement had no effect. */
export const isBusy = (error: unknown): boolean => [BUSY, LOCKED].includes(primaryCode(error));

/** True when the connection or the file may not be written to; the statement had no effect. */
export const isReadOnly = (error: unknown): boolean => primaryCode(error) === READONLY;

/**
 * The error in the form Prisma understands; anything that comes neither from SQLite nor from the
 * file system is rethrown.
 */
export function toAdapterError(error: unknown): DriverAdapterError {
  if (error instanceof DriverAdapterError) return error;
  if (!(error instanceof Error)) throw error;
  const { message: originalMessage } = error;
  if ('syscall' in error && 'code' in error) {
    const original = { originalCode: String(error.code), originalMessage };
    return new DriverAdapterError({ kind: 'DatabaseNotReachable', ...original });
  }
  const extendedCode = sqliteCode(error);
  if (extendedCode === null) throw error;
  const originalCode = extendedCode === SHM_SIZE ? String(SHM_SIZE) : `sqlite:${extendedCode & 0xff}`;
  return new DriverAdapterError({ ...mapped(extendedCode, originalMessage), originalCode, originalMessage });
}

/** No room for the index of the log. */
const SHM_SIZE = 4874;

function mapped(extendedCode: number, message: string): MappedError {
  if (extendedCode === UNIQUE || extendedCode === PRIMARY_KEY)
    return { kind: 'UniqueConstraintViolation', constraint: { fields: [] } };
  const primary = extendedCode & 0xff;
  if (primary === BUSY || primary === LOCKED) return { kind: 'SocketTimeout' };
  if (primary === CANTOPEN) return { kind: 'DatabaseNotReachable' };
  if (message.startsWith(NO_TABLE))
    return { kind: 'TableDoesNotExist', table: message.slice(NO_TABLE.length) };
  return { kind: 'sqlite', extendedCode, message };
}

const NO_TABLE = 'no such table: ';
