import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';

import type { Clock } from '../../base/clock.js';
import { ApiError } from '../../base/errors/api-error.js';
import type { DatabaseOptions } from '../db.js';
import { isStoreDamaged } from '../store-errors.js';
import { openDriver, prepareSqliteFile, type DriverDatabase } from './driver.js';
import { isBusy, toAdapterError } from './sqlite-errors.js';

const MAX_HOLDER_LENGTH = 200;

/** A process that looks has the lock for a moment, too. */
const LOOK_MS = 250;

/**
 * Keeps a second server off a SQLite file: who starts takes leases and runs for its own. An exclusive lock on a side
 * file, which the system lifts when the process ends in whatever way. PostgreSQL has room for many.
 */
export class ServerLock {
  #lock: DriverDatabase | null = null;

  constructor(
    private readonly options: DatabaseOptions,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes it; having it already is fine. Rejects with 500 `store_in_use`, which names who has it, or
   * `server_lock_damaged`, or as a store that is away.
   */
  async take(): Promise<void> {
    if (this.options.engine !== 'sqlite' || this.#lock !== null) return;
    const { path } = this.options;
    const side = sideFile(path);
    prepareSqliteFile(`${side}-lock`);
    this.#lock = tryLock(`${side}-lock`, LOOK_MS);
    if (this.#lock === null) throw inUse(path, holderOf(side));
    const since = new Date(this.clock.now()).toISOString();
    try {
      writeFileSync(side, `process ${process.pid} on ${hostname()} since ${since}\n`, { mode: 0o600 });
    } catch (error) {
      this.release();
      throw toAdapterError(error);
    }
  }

  release(): void {
    this.#lock?.close();
    this.#lock = null;
  }

  /** Rejects when the lock file is damaged; takes nothing. */
  async check(): Promise<void> {
    if (this.options.engine !== 'sqlite') return;
    const lockFile = `${sideFile(this.options.path)}-lock`;
    if (existsSync(lockFile)) tryLock(lockFile, 0)?.close();
  }
}

/** Beside the file itself, whatever link leads to it. */
function sideFile(path: string): string {
  try {
    return `${realpathSync(path)}-server`;
  } catch {
    return `${path}-server`;
  }
}

function holderOf(side: string): string {
  try {
    return readFileSync(side, 'utf8').trim().slice(0, MAX_HOLDER_LENGTH) || 'another process';
  } catch {
    return 'another process';
  }
}

/** Holds the lock until it is closed; `null` when another connection does. */
function tryLock(path: string, timeoutMs: number): DriverDatabase | null {
  const lock = openDriver(path, timeoutMs);
  try {
    // In memory, else a killed process leaves a journal beside its lock.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return null;
    const told = toAdapterError(error);
    throw isStoreDamaged(told) ? lockDamaged(path) : told;
  }
}

/** No error of the store, whose own file is another. */
function lockDamaged(path: string): ApiError {
  const message = `The file ${path} is damaged. It contains no data: stop the server of this database, and delete the file`;
  return new ApiError(500, message, { reason: 'server_lock_damaged' });
}

function inUse(path: string, holder: string): ApiError {
  const message =
    `The database ${path} is in use by ${holder}: two servers cannot share an SQLite file. Stop that ` +
    'one, or set another database.path. Several servers need PostgreSQL';
  return new ApiError(500, message, { reason: 'store_in_use' });
}
