import { loadSqliteDriver } from './driver.js';
import { SqliteConnection } from './connection.js';

/** How long what was written stays in the log alone. */
const INTERVAL_MS = 500;

/**
 * Moves SQLite's write-ahead log into the database file, from a thread that nobody waits for: the moving flushes
 * both files, and on the connection that writes it would hold up the event loop until the disk is done. It never
 * waits for readers or writers (sqlite.org/wal.html, "passive"), so one of them must begin the log anew now and then.
 */
export async function keepMovingLog(path: string): Promise<void> {
  const driver = await loadSqliteDriver();
  let connection: SqliteConnection | null = null;
  setInterval(() => {
    try {
      connection ??= new SqliteConnection(driver, { path, timeoutMs: 0, pragmas: ['synchronous = NORMAL'] });
      connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // Busy or a full disk: the log stays as it is, and whoever writes moves it once it is too long.
    }
  }, INTERVAL_MS).unref();
}
