import { DriverAdapterError, type MappedError } from '@prisma/driver-adapter-utils';

/** Primary result codes, sqlite.org/rescode.html. */
export const SQLITE_BUSY = 5;
export const SQLITE_LOCKED = 6;
const SQLITE_ERROR = 1;
const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;

const SQLITE_CONSTRAINT_FOREIGNKEY = 787;
const SQLITE_CONSTRAINT_NOTNULL = 1299;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** Texts of errors that say that the store, and not the statement, causes them: sqlite.org/c3ref/errcode.html. */
const STORE_ERRORS: ReadonlyMap<string, number> = new Map([
  ['attempt to write a readonly database', SQLITE_READONLY],
  ['disk I/O error', 10],
  ['database disk image is malformed', 11],
  ['database or disk is full', 13],
  ['unable to open database file', SQLITE_CANTOPEN],
  ['locking protocol', 15],
  ['file is not a database', 26],
]);

/** Extended result code of an error of the driver, null when it is no error of SQLite. */
function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  // Of errors of the system the package tells the primary code alone as `errcode`.
  const code: unknown = Reflect.get(error, 'sqliteExtendedCode') ?? Reflect.get(error, 'errcode');
  if (typeof code === 'number') return code;
  // Some errors raised while a statement steps carry no number.
  if (error.message.startsWith('UNIQUE constraint failed')) return SQLITE_CONSTRAINT_UNIQUE;
  if (error.message.startsWith('NOT NULL constraint failed')) return SQLITE_CONSTRAINT_NOTNULL;
  if (error.message.startsWith('FOREIGN KEY constraint failed')) return SQLITE_CONSTRAINT_FOREIGNKEY;
  if (error.message.endsWith(' is locked')) return SQLITE_BUSY;
  return STORE_ERRORS.get(error.message) ?? null;
}

/** True when another connection holds the lock that was needed; the statement had no effect. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && ((code & 0xff) === SQLITE_BUSY || (code & 0xff) === SQLITE_LOCKED);
}

/** True when the connection or the file may not be written to; the statement had no effect. */
export function isReadOnly(error: unknown): boolean {
  return ((sqliteCode(error) ?? 0) & 0xff) === SQLITE_READONLY;
}

/**
 * The error in the form Prisma understands; anything that comes neither from SQLite nor from the
 * file system is rethrown.
 */
export function toAdapterError(error: unknown): DriverAdapterError {
  if (error instanceof DriverAdapterError) return error;
  if (!(error instanceof Error)) throw error;
  if ('syscall' in error && 'code' in error) {
    const original = { originalCode: String(error.code), originalMessage: error.message };
    return new DriverAdapterError({ kind: 'DatabaseNotReachable', ...original });
  }
  const extendedCode = sqliteCode(error);
  if (extendedCode === null) throw error;
  const mapped = mapCode(extendedCode, error.message);
  return new DriverAdapterError({
    ...mapped,
    originalCode: String(extendedCode),
    originalMessage: error.message,
  });
}

function mapCode(extendedCode: number, message: string): MappedError {
  switch (extendedCode) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
      return { kind: 'UniqueConstraintViolation', constraint: { fields: constraintFields(message) } };
    case SQLITE_CONSTRAINT_NOTNULL:
      return { kind: 'NullConstraintViolation', constraint: { fields: constraintFields(message) } };
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return { kind: 'ForeignKeyConstraintViolation', constraint: { foreignKey: {} } };
    default:
      return mapPrimaryCode(extendedCode, message);
  }
}

function mapPrimaryCode(extendedCode: number, message: string): MappedError {
  const primaryCode = extendedCode & 0xff;
  if (primaryCode === SQLITE_BUSY || primaryCode === SQLITE_LOCKED) return { kind: 'SocketTimeout' };
  if (primaryCode === SQLITE_CANTOPEN) return { kind: 'DatabaseNotReachable' };
  if (primaryCode === SQLITE_ERROR && message.startsWith('no such table: ')) {
    return { kind: 'TableDoesNotExist', table: message.slice('no such table: '.length) };
  }
  return { kind: 'sqlite', extendedCode, message };
}

/** `UNIQUE constraint failed: t.a, t.b` to `['a', 'b']`. */
function constraintFields(message: string): string[] {
  const list = message.slice(message.indexOf(': ') + 2);
  return list.split(', ').map((column) => column.slice(column.indexOf('.') + 1));
}
