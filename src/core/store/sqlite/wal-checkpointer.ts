import { SqliteConnection } from './connection.js';
import { loadSqliteDriver, type DriverConstructor } from './driver.js';
import { fileIdOf } from './file.js';

/** The database file whose log is checkpointed, and which file that is: another one may have been put in its place. */
export interface CheckpointedFile {
  path: string;
  /** As `fileIdOf` gave it when the writer opened the file. */
  fileId: string;
}

/** How long what was written stays in the log alone. */
const INTERVAL_MS = 500;

/**
 * Checkpoints SQLite's write-ahead log into the database file, on a connection of its own. It never waits for readers
 * or writers (sqlite.org/wal.html, "passive"), so one of them must begin the log anew now and then.
 */
export class WalCheckpointer {
  #connection: SqliteConnection | null = null;
  #lastReason = '';

  /** `onError` is told why it cannot be, once as long as that is the same. */
  constructor(
    private readonly driver: DriverConstructor,
    private readonly file: CheckpointedFile,
    private readonly onError: (reason: string) => void,
  ) {}

  /**
   * Checkpoints what can be now. False when it cannot be: the file is busy, its disk is full, or it is no longer the
   * file that is written to. Then the log stays as it is, and whoever writes checkpoints it once it is too long.
   */
  checkpoint(): boolean {
    try {
      this.#connection ??= this.#open();
      this.#connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== this.#lastReason) this.onError(reason);
      this.#lastReason = reason;
      return false;
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  #open(): SqliteConnection {
    const { path, fileId } = this.file;
    // The log of one file must never be written into another.
    if (fileIdOf(path) !== fileId) throw new Error(`${path} is another file than before`);
    return new SqliteConnection(this.driver, { path, timeoutMs: 0, pragmas: ['synchronous = NORMAL'] });
  }
}

/**
 * Checkpoints as long as the thread lives, which nobody waits for: a checkpoint flushes both files, and on the
 * connection that writes it would hold up the event loop until the disk is done. `onError` as of `WalCheckpointer`.
 */
export async function runWalCheckpointer(
  file: CheckpointedFile,
  onError: (reason: string) => void,
): Promise<void> {
  try {
    const checkpointer = new WalCheckpointer(loadSqliteDriver(), file, onError);
    setInterval(() => checkpointer.checkpoint(), INTERVAL_MS).unref();
  } catch (error) {
    onError(error instanceof Error ? error.message : String(error));
  }
}
