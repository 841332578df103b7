import { randomBytes } from 'node:crypto';

import { Client } from 'pg';

import { SECOND_MS } from '../../base/clock.js';
import { errorCode } from '../../base/errors/error-code.js';
import { connectionSettings } from '../connection-settings.js';
import type { MigrationTurn } from './turn.js';

/** Any number that nobody else uses on this server: "vidimus" in ASCII. */
const ADVISORY_LOCK = 0x76_69_64_69_6d_75_73n;
/** By the clock of the database. Renewed every few seconds, so that it runs out only when its holder has died. */
const LEASE_MS = 30 * SECOND_MS;
const RENEWAL_MS = 5 * SECOND_MS;
const NOW_MS = 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)';
/** In a schema of its own: before the first migration the engine wants that of the tables empty. */
const TABLE = 'vidimus_turn.turn';
const MAKE_TABLE = `
  CREATE SCHEMA IF NOT EXISTS vidimus_turn;
  CREATE TABLE IF NOT EXISTS ${TABLE} (id INTEGER PRIMARY KEY, holder TEXT NOT NULL, expires_ts BIGINT NOT NULL);
  INSERT INTO ${TABLE} (id, holder, expires_ts) VALUES (1, '', 0) ON CONFLICT DO NOTHING`;
/** Duplicate key, schema or table: somebody else made it at the same moment, and "IF NOT EXISTS" does not look for that. */
const MADE_MEANWHILE = new Set(['23505', '42P06', '42P07']);

/**
 * An advisory lock of a transaction, which keeps a connection that a pooler has lent; who waits holds none, which the
 * one who works may need.
 */
export async function advisoryTurn(url: string): Promise<MigrationTurn> {
  const { client, end } = await connect(url);
  let isTaken = false;
  const tryToTake = async (): Promise<boolean> => {
    await client.query('BEGIN');
    // A role may have one, and it would give our turn away while another connection migrates.
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCK}) AS locked`,
    );
    isTaken = rows[0]?.locked === true;
    if (!isTaken) await client.query('ROLLBACK');
    return isTaken;
  };
  return {
    tryToTake,
    end: async () => {
      // A pooler ends a connection that was given back within a transaction, and its lock with it, some time later.
      if (isTaken) await client.query('ROLLBACK').catch(() => undefined);
      await end();
    },
  };
}

/** A row that is taken until a time, for engines without advisory locks. */
export async function leasedTurn(url: string): Promise<MigrationTurn> {
  const { client, end } = await connect(url);
  const holder = randomBytes(12).toString('hex');
  let isMade = false;
  let renewal: NodeJS.Timeout | undefined;
  const take = async (): Promise<boolean> => {
    const { rowCount } = await client.query(
      `UPDATE ${TABLE} SET holder = $1, expires_ts = ${NOW_MS} + ${LEASE_MS}
       WHERE id = 1 AND (holder = $1 OR expires_ts < ${NOW_MS})`,
      [holder],
    );
    return rowCount === 1;
  };
  return {
    tryToTake: async () => {
      isMade ||= await hasTable(client);
      if (!isMade || !(await take())) return false;
      // A connection that is lost is told by the work itself; the lease then runs out.
      renewal = setInterval(() => void take().catch(() => undefined), RENEWAL_MS);
      return true;
    },
    end: async () => {
      clearInterval(renewal);
      const release = `UPDATE ${TABLE} SET expires_ts = 0 WHERE holder = $1`;
      if (renewal !== undefined) await client.query(release, [holder]).catch(() => undefined);
      await end();
    },
  };
}

/** Whether it is there. It is made only where it is missing, since that takes a right to make schemas. */
async function hasTable(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ present: boolean }>(
    `SELECT to_regclass('${TABLE}') IS NOT NULL AS present`,
  );
  if (rows[0]?.present === true) return true;
  try {
    await client.query(MAKE_TABLE);
    return true;
  } catch (error) {
    if (MADE_MEANWHILE.has(errorCode(error))) return false;
    throw error;
  }
}

async function connect(url: string): Promise<{ client: Client; end: () => Promise<void> }> {
  const client = new Client(connectionSettings(url));
  let isLost = false;
  client.on('error', () => {
    isLost = true;
  });
  await client.connect();
  const end = async (): Promise<void> => {
    if (!isLost) await client.end();
  };
  return { client, end };
}
