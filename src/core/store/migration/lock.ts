import { setTimeout as sleep } from 'node:timers/promises';

import { ApiError } from '../../base/errors/api-error.js';
import { connectionSettings } from '../connection-settings.js';

/** How long a starter waits for another one's migrations. */
const MAX_WAIT_MS = 120_000;
const PAUSE_MS = 50;
/** An arbitrary number that only we use. */
const ADVISORY_LOCK = "x'766964696d7573'::bigint";

/** Calls `attempt` until it resolves to something. Throws 500 `migration_locked` after two minutes. */
export async function untilTaken<T>(attempt: () => Promise<T | null>): Promise<T> {
  const deadlineMs = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const taken = await attempt();
    if (taken !== null) return taken;
    if (performance.now() > deadlineMs)
      throw new ApiError(500, 'Another process has been migrating this database for two minutes', {
        reason: 'migration_locked',
      });
    await sleep(PAUSE_MS);
  }
}

/**
 * Runs `work` while no other starter works on the same PostgreSQL database. The lock belongs to a transaction, so that
 * it holds behind a pooler and ends with the connection.
 */
export async function withDatabaseLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const { Client } = await import('pg');
  const client = new Client(connectionSettings(url));
  client.on('error', () => undefined);
  await client.connect();
  try {
    await untilTaken(async () => {
      // The role may have a time limit, which would end the lock while another connection migrates.
      await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
      const { rows } = await client.query<{ locked: boolean }>(
        `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS locked`,
      );
      if (rows[0]?.locked === true) return client;
      await client.query('ROLLBACK');
      return null;
    });
    return await work();
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    await client.end().catch(() => undefined);
  }
}
