import { loadSqliteDriver } from './driver.js';

/** Some 300 pages; SQLite itself begins at 1000. */
const WORKS_PER_CHECKPOINT = 16;

/**
 * Moves what the write-ahead log has gathered into the database file before SQLite does so at the end of a
 * transaction: that takes ten milliseconds and several syncs of the disk, in the very thread that answers requests.
 */
export class LogKeeper {
  #works = 0;

  constructor(private readonly path: string) {}

  /** Counts a piece of work that rows are written for. Rejects with the driver's errors when the log is due. */
  async worked(): Promise<void> {
    this.#works += 1;
    if (this.#works < WORKS_PER_CHECKPOINT) return;
    this.#works = 0;
    await checkpoint(this.path);
  }
}

/** Waits for nobody and holds up nobody; what is written meanwhile stays for the next time. */
async function checkpoint(path: string): Promise<void> {
  const driver = await loadSqliteDriver();
  const database = new driver(path, { timeout: 0 });
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } finally {
    database.close();
  }
}
