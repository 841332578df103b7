import {
  DriverAdapterError,
  type ArgType,
  type SqlDriverAdapter,
  type SqlDriverAdapterFactory,
  type SqlQuery,
  type SqlQueryable,
  type Transaction,
} from '@prisma/driver-adapter-utils';

import { Remembered } from '../../base/remembered.js';
import type { Sql } from './sql.js';

/** In ms, here and in Prisma's client, whose defaults of 2 and 5 s are short: on SQLite transactions queue. */
export const TRANSACTION_OPTIONS = { maxWait: 10_000, timeout: 15_000 };

/** Runs statements. Rejects with the driver's errors; `isStoreUnavailable` and `isConflict` know them as Prisma's. */
export interface SqlRunner {
  /**
   * Rows by column name, values as the engine gives them: what is 64 bits wide as number or as decimal text, booleans
   * from SQLite as 0 and 1, bytes as `Uint8Array`.
   */
  query<Row extends object>(statement: Sql): Promise<Row[]>;
  /** Resolves to the number of rows it changed. */
  execute(statement: Sql): Promise<number>;
  /**
   * For what has no result that anybody reads. In a transaction it may resolve before the engine has answered: what
   * follows is sent behind it. When it fails, so does the transaction, with its error, as whatever is called next does.
   */
  write(statement: Sql): Promise<void>;
}

/** The same inside a transaction. */
export interface TransactionRunner extends SqlRunner {
  /** Has `listener` called once the transaction is committed, and not at all when it is taken back. */
  onCommitted(listener: () => void): void;
}

/**
 * The engines without Prisma's client between, over the same connections: for statements that every preview makes.
 * On SQLite the client takes 0.1 ms for a statement that takes the engine a fifth of that.
 */
export class PlainSql implements SqlRunner {
  constructor(private readonly connect: () => Promise<SqlDriverAdapter>) {}

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    return queryOn<Row>(await this.connect(), statement);
  }

  async execute(statement: Sql): Promise<number> {
    const adapter = await this.connect();
    return executeOn(adapter, statement);
  }

  async write(statement: Sql): Promise<void> {
    await this.execute(statement);
  }

  /**
   * Commits what `work` did, or takes it back when that rejects. Inside use only the runner it is given. Waits ten
   * seconds at most for its turn.
   */
  async transaction<T>(work: (runner: TransactionRunner) => Promise<T>): Promise<T> {
    const adapter = await this.connect();
    const transaction = await inTime(adapter.startTransaction());
    const runner = new OpenTransaction(transaction);
    const run = (sql: string): Promise<number> => transaction.executeRaw({ sql, args: [], argTypes: [] });
    let value: T;
    try {
      value = await work(runner);
      await runner.end();
      await run('COMMIT');
      await transaction.commit();
    } catch (error) {
      // Of what fails behind a failed write PostgreSQL only says that the transaction has failed already.
      const cause = await runner.end().then(
        () => error,
        (first: unknown) => first,
      );
      // A connection on which this fails as well is not used again (`dropUnfinished`).
      await run('ROLLBACK').catch(() => undefined);
      await transaction.rollback();
      throw cause;
    }
    for (const listener of runner.listeners) listener();
    return value;
  }
}

/** Writes of a transaction that are sent before the first of them is answered. */
const MAX_UNANSWERED = 16;

/** Statements of one transaction, each sent behind the one before; none behind one that is known to have failed. */
class OpenTransaction implements TransactionRunner {
  readonly #unanswered = new Set<Promise<void>>();
  readonly listeners: (() => void)[] = [];
  #failed: { error: unknown } | null = null;
  #isEnded = false;

  constructor(private readonly transaction: Transaction) {}

  onCommitted(listener: () => void): void {
    this.listeners.push(listener);
  }

  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    this.#expectOpen();
    return queryOn<Row>(this.transaction, statement);
  }

  async execute(statement: Sql): Promise<number> {
    this.#expectOpen();
    return executeOn(this.transaction, statement);
  }

  async write(statement: Sql): Promise<void> {
    this.#expectOpen();
    const answered = executeOn(this.transaction, statement).then(
      () => void this.#unanswered.delete(answered),
      (error: unknown) => {
        this.#unanswered.delete(answered);
        this.#failed ??= { error };
      },
    );
    this.#unanswered.add(answered);
    if (this.#unanswered.size >= MAX_UNANSWERED) await Promise.race(this.#unanswered);
    this.#expectNoFailure();
  }

  /** Takes no more statements. Resolves when all writes are answered, or rejects then with the error of the first that failed. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#unanswered);
    this.#expectNoFailure();
  }

  #expectOpen(): void {
    // On its connection it would run in somebody else's.
    if (this.#isEnded) throw new Error('a statement after the end of its transaction');
    this.#expectNoFailure();
  }

  #expectNoFailure(): void {
    if (this.#failed !== null) throw this.#failed.error;
  }
}

/** The transaction, or an error that says the store is away; one that begins too late is ended. */
async function inTime(starting: Promise<Transaction>): Promise<Transaction> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // Waiting callers get the error below; a connection that cannot even be given back is not used again.
      starting.then((transaction) => transaction.rollback()).catch(() => undefined);
      reject(new DriverAdapterError({ kind: 'SocketTimeout' }));
    }, TRANSACTION_OPTIONS.maxWait);
  });
  try {
    return await Promise.race([starting, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** One adapter for Prisma's client and for `PlainSql`: on SQLite writers take turns within it. */
export class SharedAdapter implements SqlDriverAdapterFactory {
  readonly provider: SqlDriverAdapterFactory['provider'];
  readonly adapterName: string;
  readonly #adapter = new Remembered(() => this.#own());
  #dispose: (() => Promise<void>) | null = null;

  constructor(private readonly factory: SqlDriverAdapterFactory) {
    this.provider = factory.provider;
    this.adapterName = factory.adapterName;
  }

  readonly connect = (): Promise<SqlDriverAdapter> => this.#adapter.get();

  /** Ends all connections. Later queries connect anew. */
  async close(): Promise<void> {
    // Who waits for a connection is told that there is none; nothing is left to be ended then.
    await Promise.allSettled([this.#adapter.current]);
    const dispose = this.#dispose;
    this.#adapter.forget();
    this.#dispose = null;
    await dispose?.();
  }

  /** The client ends its adapter only when it has asked something itself; that is left to `close`. */
  async #own(): Promise<SqlDriverAdapter> {
    const adapter = await this.factory.connect();
    this.#dispose = adapter.dispose.bind(adapter);
    adapter.dispose = () => Promise.resolve();
    return adapter;
  }
}

async function queryOn<Row extends object>(
  queryable: Pick<SqlQueryable, 'queryRaw' | 'provider'>,
  statement: Sql,
): Promise<Row[]> {
  const { columnNames, rows } = await queryable.queryRaw(render(statement, queryable.provider));
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    columnNames.forEach((name, column) => (row[name] = values[column]));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whoever writes a statement states its columns
    return row as Row;
  });
}

function executeOn(
  queryable: Pick<SqlQueryable, 'executeRaw' | 'provider'>,
  statement: Sql,
): Promise<number> {
  return queryable.executeRaw(render(statement, queryable.provider));
}

/** Values go as they are; the adapters convert only what Prisma has turned into text. */
const AS_IT_IS: ArgType = { scalarType: 'unknown', arity: 'scalar' };

function render({ strings, values }: Sql, provider: SqlQueryable['provider']): SqlQuery {
  const isNumbered = provider === 'postgres';
  let text = strings[0] ?? '';
  for (let index = 1; index < strings.length; index += 1) {
    text += `${isNumbered ? `$${index}` : '?'}${strings[index]}`;
  }
  return { sql: text, args: [...values], argTypes: values.map(() => AS_IT_IS) };
}
