import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { errorCode } from '../../base/errors/error-code.js';
import type { DriverConstructor, DriverDatabase } from '../../store/sqlite/driver.js';

const LOCK = /^[0-9a-f]{24}\.lock$/;
const JOIN_TRIES = 10;

/**
 * The processes of one machine that write below a media store. Each holds an exclusive lock on a file of its own,
 * which the system lifts when the process ends in whatever way: SQLite is the portable way to such a lock.
 */
export class MediaWriters {
  private constructor(
    private readonly folder: string,
    private readonly driver: DriverConstructor,
    private readonly own: { name: string; lock: DriverDatabase },
  ) {}

  /**
   * Makes this process known in a folder that all of them name; to be awaited before it writes. Rejects with the
   * file system's error.
   */
  static async join(folder: string, driver: DriverConstructor): Promise<MediaWriters> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let tried = 1; ; tried += 1) {
      const name = `${randomBytes(12).toString('hex')}.lock`;
      const lock = tryLock(driver, join(folder, name));
      // Before it was locked, another process may have taken the new file for one of a dead process.
      if (lock !== null && existsSync(join(folder, name)))
        return new MediaWriters(folder, driver, { name, lock });
      lock?.close();
      if (tried === JOIN_TRIES) throw new Error(`${folder} cannot be locked`);
    }
  }

  /**
   * Whether no other process has joined and still lives. A file that was seen before the question, and is not
   * written by this process, then has no writer. Removes the files of dead processes.
   */
  async isAlone(): Promise<boolean> {
    for (const name of await namesIn(this.folder)) {
      if (name === this.own.name || !LOCK.test(name)) continue;
      const lock = tryLock(this.driver, join(this.folder, name));
      if (lock === null) return false;
      try {
        await rm(join(this.folder, name), { force: true });
      } finally {
        lock.close();
      }
    }
    return true;
  }

  /** Ends the membership. */
  async leave(): Promise<void> {
    await rm(join(this.folder, this.own.name), { force: true });
    this.own.lock.close();
  }
}

/** None when there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Holds the lock until it is closed; `null` when another process does. */
function tryLock(driver: DriverConstructor, path: string): DriverDatabase | null {
  const database = new driver(path, { timeout: 0 });
  try {
    // In memory, else a killed process leaves a journal beside its lock.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch {
    database.close();
    return null;
  }
}
