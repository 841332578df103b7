import { setImmediate } from 'node:timers/promises';

import type { SqlQuery, SqlResultSet, Transaction } from '@prisma/driver-adapter-utils';
import type { Release } from './fifo-lock.js';
import type { SqliteConnection } from './connection.js';
import { toAdapterError } from './sqlite-errors.js';
import { execute, query } from './query.js';

export const SQLITE_ADAPTER_NAME = 'vidimus-sqlite';
const LONGEST_HOLD_MS = 5;

/**
 * An open transaction. Prisma itself sends COMMIT or ROLLBACK as a statement; `commit` and `rollback` only
 * end the turn on the writer.
 */
export class SqliteTransaction implements Transaction {
  readonly provider = 'sqlite';
  readonly adapterName = SQLITE_ADAPTER_NAME;
  readonly options = { usePhantomQuery: false };

  constructor(
    readonly writer: SqliteConnection,
    readonly release: Release,
  ) {}

  #yieldedMs = performance.now();

  async queryRaw(sqlQuery: SqlQuery): Promise<SqlResultSet> {
    await this.#yield();
    return this.#attempt(() => query(this.writer, sqlQuery));
  }

  async executeRaw(sqlQuery: SqlQuery): Promise<number> {
    // After a full disk SQLite has already rolled back by itself, and Prisma's own ROLLBACK must not fail.
    if (sqlQuery.sql === 'ROLLBACK' && !this.writer.isTransaction) return 0;
    await this.#yield();
    return this.#attempt(() => execute(this.writer, sqlQuery));
  }

  async commit(): Promise<void> {
    this.#end();
  }

  async rollback(): Promise<void> {
    this.#end();
  }

  async createSavepoint(name: string): Promise<void> {
    this.#attempt(() => this.writer.exec(`SAVEPOINT ${name}`));
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    this.#attempt(() => this.writer.exec(`ROLLBACK TO ${name}`));
  }

  async releaseSavepoint(name: string): Promise<void> {
    this.#attempt(() => this.writer.exec(`RELEASE ${name}`));
  }

  /** Statements run synchronously: a long transaction leaves the event loop free in between. */
  async #yield(): Promise<void> {
    if (performance.now() - this.#yieldedMs < LONGEST_HOLD_MS) return;
    await setImmediate();
    this.#yieldedMs = performance.now();
  }

  #attempt<T>(work: () => T): T {
    // Else what follows a rollback by SQLite itself would be committed piece by piece.
    if (!this.writer.isTransaction) throw new Error('SQLite has already rolled this transaction back');
    try {
      return work();
    } catch (error) {
      throw toAdapterError(error);
    }
  }

  #end(): void {
    try {
      if (this.writer.isTransaction) this.writer.exec('ROLLBACK');
    } finally {
      this.release();
    }
  }
}
