import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

import type {
  ConnectionInfo,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';

import { SqliteConnection } from './connection.js';
import { prepareSqliteFile } from './driver.js';
import { isBusy, isReadOnly, toAdapterError } from './sqlite-errors.js';

/** Prisma cuts larger statements into several. */
const MAX_BIND_VALUES = 999;
/** Pauses are of random length, so that two writers do not meet each time. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 8;
/** Statements run synchronously: a long transaction leaves the event loop free in between. */
const LONGEST_HOLD_MS = 5;
/** Of pages, KiB, at most: a writer changes all indexes of a row, a reader mostly walks one. */
const CACHE_KIB = { writer: 32_000, reader: 8000 };
const INFO = { provider: 'sqlite', adapterName: 'vidimus-sqlite' } as const;

/** Where the database is, how safely it writes, how long a statement waits for other processes. */
export interface SqliteAdapterOptions {
  path: string;
  synchronous: 'normal' | 'full';
  busyTimeoutMs: number;
}

/** Statements that surely write, or set the writer up; the reader refuses others that write. */
const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|PRAGMA)\b/i;

/**
 * Prisma driver adapter over one SQLite file with two connections. Statements that only read and belong to no
 * transaction read a committed snapshot and never wait for a writer. Everything else queues for the writer
 * connection, which an open transaction keeps for itself. Opened at first use, and again when that failed.
 */
class SqliteAdapter implements SqlDriverAdapter {
  readonly provider = INFO.provider;
  readonly adapterName = INFO.adapterName;
  #connections: Record<keyof typeof CACHE_KIB, SqliteConnection> | null = null;
  #queue: Promise<void> = Promise.resolve();

  constructor(readonly options: SqliteAdapterOptions) {}

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    if (!WRITES.test(query.sql)) {
      const result = await this.#patiently(this.#deadlineMs(), () => this.#read(query));
      if (result !== null) return result;
    }
    return this.#alone(() => this.#open().writer.query(query));
  }

  executeRaw(query: SqlQuery): Promise<number> {
    return this.#alone(() => this.#open().writer.execute(query));
  }

  executeScript(script: string): Promise<void> {
    return this.#alone(() => this.#open().writer.database.exec(script));
  }

  async startTransaction(): Promise<Transaction> {
    const deadlineMs = this.#deadlineMs();
    const release = await this.#acquire();
    try {
      return await this.#patiently(deadlineMs, () => {
        const { writer } = this.#open();
        writer.database.exec('BEGIN IMMEDIATE');
        return new SqliteTransaction(writer, release);
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  getConnectionInfo(): ConnectionInfo {
    return { maxBindValues: MAX_BIND_VALUES, supportsRelationJoins: false };
  }

  async dispose(): Promise<void> {
    await this.#alone(() => {
      const connections = this.#connections;
      this.#connections = null;
      connections?.reader.close();
      connections?.writer.close();
    });
  }

  /** `null`: the statement writes; the read-only connection refused it before it did anything. */
  #read(query: SqlQuery): SqlResultSet | null {
    try {
      return this.#open().reader.query(query);
    } catch (error) {
      if (isReadOnly(error)) return null;
      throw error;
    }
  }

  /** Resolves to the function that gives the writer to the next one, in the order of arrival. */
  #acquire(): Promise<() => void> {
    const before = this.#queue;
    return new Promise((acquired) => {
      this.#queue = new Promise((release) => void before.then(() => acquired(release)));
    });
  }

  async #alone<T>(work: () => T): Promise<T> {
    const deadlineMs = this.#deadlineMs();
    const release = await this.#acquire();
    try {
      return await this.#patiently(deadlineMs, work);
    } finally {
      release();
    }
  }

  /** Counted from arrival: a statement behind a blocked one does not add its own wait to the others'. */
  #deadlineMs(): number {
    return performance.now() + this.options.busyTimeoutMs;
  }

  /** Repeats while another process holds the lock. Without a transaction a busy statement had no effect. */
  async #patiently<T>(deadlineMs: number, work: () => T): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs)) {
      try {
        return work();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadlineMs) throw toAdapterError(error);
      }
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  #open(): Record<keyof typeof CACHE_KIB, SqliteConnection> {
    if (this.#connections !== null) return this.#connections;
    const { path, synchronous } = this.options;
    prepareSqliteFile(path);
    const open = (use: keyof typeof CACHE_KIB, own: string): SqliteConnection => {
      const common = ['foreign_keys = ON', `synchronous = ${synchronous.toUpperCase()}`];
      const pragmas = [own, ...common, `cache_size = -${CACHE_KIB[use]}`];
      return new SqliteConnection(path, pragmas);
    };
    // Deleted URLs and user IDs are overwritten with zeros: they must not stay readable in the file.
    const writer = open('writer', 'journal_mode = WAL; PRAGMA secure_delete = ON');
    try {
      this.#connections = { writer, reader: open('reader', 'query_only = ON') };
      return this.#connections;
    } catch (error) {
      writer.close();
      throw error;
    }
  }
}

class SqliteTransaction implements Transaction {
  readonly provider = INFO.provider;
  readonly adapterName = INFO.adapterName;
  /** Prisma calls `commit` and `rollback`, and sends no statements for them. */
  readonly options = { usePhantomQuery: true };
  #heldSinceMs = performance.now();
  #isOver = false;

  constructor(
    private readonly writer: SqliteConnection,
    private readonly release: () => void,
  ) {}

  queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.#attempt(() => this.writer.query(query));
  }

  executeRaw(query: SqlQuery): Promise<number> {
    return this.#attempt(() => this.writer.execute(query));
  }

  async commit(): Promise<void> {
    try {
      await this.#attempt(() => this.writer.database.exec('COMMIT'));
    } finally {
      await this.rollback();
    }
  }

  /** After a full disk SQLite has already rolled back by itself. */
  async rollback(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      if (this.writer.database.isTransaction) this.writer.database.exec('ROLLBACK');
    } finally {
      this.release();
    }
  }

  async #attempt<T>(work: () => T): Promise<T> {
    if (performance.now() - this.#heldSinceMs > LONGEST_HOLD_MS) {
      await setImmediate();
      this.#heldSinceMs = performance.now();
    }
    // Otherwise what follows a rollback by SQLite itself would be committed piece by piece.
    if (this.#isOver || !this.writer.database.isTransaction)
      throw new Error('SQLite has already rolled this transaction back');
    try {
      return work();
    } catch (error) {
      throw toAdapterError(error);
    }
  }
}

/** Factory that Prisma's client takes as `adapter`. Nothing is opened before the first query. */
export function sqliteAdapterFactory(options: SqliteAdapterOptions): SqlDriverAdapterFactory {
  return { ...INFO, connect: async () => new SqliteAdapter(options) };
}
