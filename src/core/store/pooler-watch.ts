import type { ClientBase } from 'pg';

import type { Logger } from '../base/logger.js';

/**
 * Whether a pooler stands between us and the server. It may lend each transaction another connection, so that nothing
 * which belongs to a connection lasts: prepared statements, LISTEN, settings.
 */
export class PoolerWatch {
  #isPooled: boolean | null = null;

  constructor(private readonly logger: Logger) {}

  /** As the last connection found it; `null` before the first. */
  get isPooled(): boolean | null {
    return this.#isPooled;
  }

  /**
   * To be awaited for each new connection before it is used. A server tells each connection its process; a pooler
   * tells another number (PostgreSQL, "BackendKeyData"). Without a pooler statements end after `statementTimeoutMs`;
   * as a parameter of the connection PgBouncer would refuse that.
   */
  async look(client: ClientBase, statementTimeoutMs: number): Promise<void> {
    const told = 'processID' in client ? Number(client.processID) : 0;
    const { rows } = await client.query<{ isPooled: boolean }>(`
      SELECT pg_backend_pid() <> ${told} AS "isPooled",
        CASE WHEN pg_backend_pid() = ${told} THEN set_config('statement_timeout', '${statementTimeoutMs}', false) END`);
    const isPooled = rows[0]?.isPooled === true;
    if (isPooled && this.#isPooled !== true) {
      this.logger.warn(
        { reason: 'store_pooled' },
        'a pooler lends out connections to the database: what other instances change is looked for, statements are not prepared, and their time limit is that of the role or the pooler',
      );
    }
    this.#isPooled = isPooled;
  }
}
