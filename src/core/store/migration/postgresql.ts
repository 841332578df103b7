import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlMigrationAwareDriverAdapterFactory, SqlResultSet } from '@prisma/driver-adapter-utils';
import { MARK_APPLIED } from './rows.js';
import { connectionSettings } from '../connection-settings.js';

/** Left out: our own lock is held already, and this one would stay on a connection that a pooler had lent. */
const isEngineLock = (text: string): boolean => text.startsWith('SELECT pg_advisory_lock(');
const NOTHING: SqlResultSet = { columnNames: [], columnTypes: [], rows: [] };

/**
 * Factory for the schema engine on PostgreSQL. A migration file goes to the server with its mark as one request, which
 * PostgreSQL runs in one transaction; the official adapter would cut it at every semicolon, inside function
 * bodies too.
 */
export function migrationPostgresqlFactory(url: string): SqlMigrationAwareDriverAdapterFactory {
  const official = new PrismaPg({ ...connectionSettings(url), max: 1 });
  return {
    provider: official.provider,
    adapterName: official.adapterName,
    connect: async () => {
      const adapter = await official.connect();
      const queryRaw = adapter.queryRaw.bind(adapter);
      const executeRaw = adapter.executeRaw.bind(adapter);
      adapter.queryRaw = async (query) => (isEngineLock(query.sql) ? NOTHING : queryRaw(query));
      adapter.executeRaw = async (query) => (isEngineLock(query.sql) ? 0 : executeRaw(query));
      adapter.executeScript = async (script) => {
        await adapter.executeRaw({ sql: `${script}\n;${MARK_APPLIED}`, args: [], argTypes: [] });
      };
      return adapter;
    },
    // The official one replays every migration on the real database when it is given a URL.
    connectToShadowDb: () => Promise.reject(new Error('No shadow database is ever made')),
  };
}
