import type { DriverConstructor } from './driver.js';
import { SqliteConnection } from './connection.js';
import { loadSqliteDriver } from './driver.js';
import { fileIdOf } from './file.js';

/** The database file whose log is moved, and which file that is: another one may have been put in its place. */
export interface MovedFile {
  path: string;
  /** As `fileIdOf` gave it when the writer opened the file. */
  fileId: string;
}

/** How long what was written stays in the log alone. */
const INTERVAL_MS = 500;

/**
 * Moves SQLite's write-ahead log into the database file, on a connection of its own. It never waits for readers or
 * writers (sqlite.org/wal.html, "passive"), so one of them must begin the log anew now and then.
 */
export class LogMover {
  #connection: SqliteConnection | null = null;
  #lastFault = '';

  /** `onFault` is told why it cannot be, once as long as that is the same. */
  constructor(
    private readonly driver: DriverConstructor,
    private readonly file: MovedFile,
    private readonly onFault: (fault: string) => void,
  ) {}

  /**
   * Moves what can be moved now. False when it cannot be: the file is busy, its disk is full, or it is no longer the
   * file that is written to. Then the log stays as it is, and whoever writes moves it once it is too long.
   */
  move(): boolean {
    try {
      this.#connection ??= this.#open();
      this.#connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
      return true;
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error);
      if (fault !== this.#lastFault) this.onFault(fault);
      this.#lastFault = fault;
      return false;
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  #open(): SqliteConnection {
    const { path, fileId } = this.file;
    // The log of one file must never be moved into another.
    if (fileIdOf(path) !== fileId) throw new Error(`${path} is another file than before`);
    return new SqliteConnection(this.driver, { path, timeoutMs: 0, pragmas: ['synchronous = NORMAL'] });
  }
}

/**
 * Moves the log as long as the thread lives, which nobody waits for: moving flushes both files, and on the connection
 * that writes it would hold up the event loop until the disk is done. `onFault` as of `LogMover`.
 */
export async function keepMovingLog(file: MovedFile, onFault: (fault: string) => void): Promise<void> {
  try {
    const mover = new LogMover(await loadSqliteDriver(), file, onFault);
    setInterval(() => mover.move(), INTERVAL_MS).unref();
  } catch (error) {
    onFault(error instanceof Error ? error.message : String(error));
  }
}
