import http from 'node:http';

import { Client } from 'pg';
import { afterAll, beforeAll } from 'vitest';

import { startTestService, type TestService, type TestServiceOptions } from '../../support/service.js';

/** A service on PostgreSQL, tables of which somebody else can keep from answering. */
export interface HeldTables {
  readonly service: TestService;
  /** The store answers nothing about the tables until `release`. */
  hold(...tables: string[]): Promise<void>;
  /** Questions to the store that wait for that. */
  countWaiting(): Promise<number>;
  release(): Promise<void>;
  /** Asks from an address of this machine, by a connection of its own; resolves with the status. */
  ask(path: string, localAddress: string, headers?: Record<string, string>): Promise<number>;
}

/** Sets it up for the tests around, with these settings. */
export function setHeldTables(
  settings: Record<string, unknown> = {},
  options: Pick<TestServiceOptions, 'hasAllConnections'> = {},
): HeldTables {
  let service: TestService;
  let other: Client;
  const agent = new http.Agent({ keepAlive: false });

  beforeAll(async () => {
    service = await startTestService({ engine: 'postgresql', settings, ...options });
    const { databaseOptions } = service.context.parts;
    if (databaseOptions.engine !== 'postgresql') throw new Error('this is about PostgreSQL');
    other = new Client({ connectionString: databaseOptions.url });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await service.remove();
  });

  return {
    get service() {
      return service;
    },
    hold: async (...tables) => {
      await other.query('BEGIN');
      await other.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
    },
    countWaiting: async () => {
      const { rows } = await other.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM pg_locks WHERE NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return rows[0]?.count ?? 0;
    },
    release: async () => {
      await other.query('ROLLBACK');
    },
    ask: (path, localAddress, headers = {}) =>
      new Promise((resolve, reject) => {
        http
          .get(`${service.url}${path}`, { localAddress, agent, headers }, (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          })
          .on('error', reject);
      }),
  };
}
