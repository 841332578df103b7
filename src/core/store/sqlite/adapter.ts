import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ConnectionInfo,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { FifoLock } from './fifo-lock.js';
import { SqliteConnection } from './connection.js';
import type { DriverConstructor } from './driver.js';
import { isBusy, isReadOnly, toAdapterError } from './sqlite-errors.js';
import { prepareSqliteFile } from './file.js';
import { execute, query } from './query.js';
import { SQLITE_ADAPTER_NAME, SqliteTransaction } from './transaction.js';

const MAX_BIND_VALUES = 999;
/** SQLite would wait inside the call and block the process: all waiting is done between calls. */
const BLOCKING_WAIT_MS = 0;
/** Pauses are of random length, so that nobody meets the same other writer each time. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 8;
/** Of pages, KiB, at most: a writer changes all indexes of a row, a reader mostly walks one. */
const CACHE_KIB = { writer: 32_000, reader: 8000 };

/** Where the database is, how safely it writes, how long a statement waits for other processes. */
export interface SqliteAdapterOptions {
  path: string;
  synchronous: 'normal' | 'full';
  busyTimeoutMs: number;
}

/** Statements that surely write, or set the writer up; the reader refuses others that write. */
const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|REPLACE|PRAGMA)\b/i;

/** A writer and a reader on the same file, see `SqliteAdapter`. */
interface Connections {
  writer: SqliteConnection;
  reader: SqliteConnection;
}

/**
 * Prisma driver adapter over one SQLite file with two connections. Statements that only read and belong to no
 * transaction read a committed snapshot and never wait for a writer. Everything else queues for the writer
 * connection, which an open transaction keeps for itself. Opened at first use, and again when that failed.
 */
class SqliteAdapter implements SqlDriverAdapter {
  readonly provider = 'sqlite';
  readonly adapterName = SQLITE_ADAPTER_NAME;
  readonly #lock = new FifoLock();
  #connections: Connections | null = null;

  constructor(
    readonly driver: DriverConstructor,
    readonly options: SqliteAdapterOptions,
  ) {}

  async queryRaw(sqlQuery: SqlQuery): Promise<SqlResultSet> {
    const deadlineMs = this.#deadlineMs();
    if (!WRITES.test(sqlQuery.sql)) {
      const result = await this.#patiently(deadlineMs, () => this.#read(sqlQuery));
      if (result !== null) return result;
    }
    return this.#lock.run(() => this.#patiently(deadlineMs, () => query(this.#open().writer, sqlQuery)));
  }

  async executeRaw(sqlQuery: SqlQuery): Promise<number> {
    const deadlineMs = this.#deadlineMs();
    return this.#lock.run(() => this.#patiently(deadlineMs, () => execute(this.#open().writer, sqlQuery)));
  }

  async executeScript(script: string): Promise<void> {
    const deadlineMs = this.#deadlineMs();
    await this.#lock.run(() => this.#patiently(deadlineMs, () => this.#open().writer.exec(script)));
  }

  async startTransaction(): Promise<Transaction> {
    const deadlineMs = this.#deadlineMs();
    const release = await this.#lock.acquire();
    try {
      const writer = await this.#patiently(deadlineMs, () => {
        const connection = this.#open().writer;
        connection.exec('BEGIN IMMEDIATE');
        return connection;
      });
      return new SqliteTransaction(writer, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  getConnectionInfo(): ConnectionInfo {
    return { maxBindValues: MAX_BIND_VALUES, supportsRelationJoins: false };
  }

  async dispose(): Promise<void> {
    await this.#lock.run(async () => {
      const connections = this.#connections;
      this.#connections = null;
      if (connections === null) return;
      connections.reader.close();
      connections.writer.close();
    });
  }

  /** `null`: the statement writes; the read-only connection refused it before it did anything. */
  #read(sqlQuery: SqlQuery): SqlResultSet | null {
    try {
      return query(this.#open().reader, sqlQuery);
    } catch (error) {
      if (isReadOnly(error)) return null;
      throw error;
    }
  }

  /** Counted from arrival: whoever queues behind a blocked statement does not add its own wait to the others'. */
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

  #open(): Connections {
    if (this.#connections !== null) return this.#connections;
    const { path, synchronous } = this.options;
    prepareSqliteFile(path);
    const common = ['foreign_keys = ON', `synchronous = ${synchronous.toUpperCase()}`];
    const open = (use: keyof typeof CACHE_KIB, own: string): SqliteConnection => {
      const pragmas = [own, ...common, `cache_size = -${CACHE_KIB[use]}`];
      return new SqliteConnection(this.driver, { path, timeoutMs: BLOCKING_WAIT_MS, pragmas });
    };
    const writer = open('writer', 'journal_mode = WAL');
    try {
      this.#connections = { writer, reader: open('reader', 'query_only = ON') };
      return this.#connections;
    } catch (error) {
      writer.close();
      throw error;
    }
  }
}

/** Factory that Prisma's client takes as `adapter`. Nothing is opened before the first query. */
export function sqliteAdapterFactory(
  driver: DriverConstructor,
  options: SqliteAdapterOptions,
): SqlDriverAdapterFactory {
  return {
    provider: 'sqlite',
    adapterName: SQLITE_ADAPTER_NAME,
    connect: async () => new SqliteAdapter(driver, options),
  };
}
