import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolClient } from 'pg';
import type { Logger } from '../base/logger.js';
import { connectionSettings } from '../base/connection-settings.js';

const IDLE_TIMEOUT_MS = 30_000;
/** Above this the server gives a statement up. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** Above this we give up an answer, with its connection; from when it was asked for, behind others of its transaction. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5000;
/** Transaction status of the protocol ("Message Formats", ReadyForQuery): in no transaction. */
const IDLE = 'I';
/** The server keeps every named statement of a connection in memory. */
const MAX_STATEMENT_NAMES = 256;

const LIMITED = /\bLIMIT \$\d/;
const ORDERED = /\bORDER BY\b/;
/** How Prisma looks one row up by what is unique. */
const UNIQUE = /\b1=1\)+ LIMIT /;

/** Where the server is and how many connections may be open at once. */
export interface PostgresqlAdapterOptions {
  url: string;
  maxConnections: number;
}

/**
 * Prisma driver adapter over a pool of `pg`. Nothing is connected before the first query; a connection
 * that dies is logged and replaced at the next query.
 */
export function postgresqlAdapterFactory(options: PostgresqlAdapterOptions, logger: Logger): PrismaPg {
  const onError = (error: Error): void => {
    logger.warn({ reason: 'store_connection_lost', err: error.message }, 'database connection lost');
  };
  const pool = new Pool({
    ...connectionSettings(options.url),
    max: options.maxConnections,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
    // What is asked on one connection is sent without waiting for the answer before.
    pipeline: true,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  pool.on('release', dropUnfinished);
  return new PrismaPg(pool, {
    disposeExternalPool: true,
    onPoolError: onError,
    onConnectionError: onError,
    statementNameGenerator: statementNames(),
  });
}

/**
 * Ends a connection that comes back to the pool inside a transaction, because neither COMMIT nor ROLLBACK was answered
 * in time: what the next one writes on it would never be committed.
 */
function dropUnfinished(error: Error | undefined, client: PoolClient): void {
  if (error === undefined && client.getTransactionStatus() !== IDLE) void client.end();
}

/**
 * A stable short name per SQL text, so that the server parses it once per connection. Without one (empty) are those
 * beyond 256 texts, and those with a limit that neither order nor ask for one row: for
 * what has a name the server may keep a plan that does not know the limit, and takes a tenth of all rows for it.
 */
function statementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    if (LIMITED.test(sql) && !ORDERED.test(sql) && !UNIQUE.test(sql)) return '';
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= MAX_STATEMENT_NAMES) return '';
    const name = `v${names.size}`;
    names.set(sql, name);
    return name;
  };
}
