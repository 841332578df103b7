import { randomBytes } from 'node:crypto';

import type { Database } from './db.js';
import { sql } from './sql/sql.js';

const IDENTITY_BYTES = 16;

/** Which database this is, 32 hex digits, the same after it was copied or restored; `null` before its first start. */
export async function findDatabaseIdentity({ client }: Pick<Database, 'client'>): Promise<string | null> {
  return (await client.databaseIdentity.findFirst({ where: { id: 1 } }))?.identity ?? null;
}

/** The same; made where there is none. */
export async function databaseIdentity(database: Pick<Database, 'client' | 'plain'>): Promise<string> {
  const known = await findDatabaseIdentity(database);
  if (known !== null) return known;
  const made = randomBytes(IDENTITY_BYTES).toString('hex');
  await database.plain.execute(
    sql`INSERT INTO database_identity (id, identity) VALUES (1, ${made}) ON CONFLICT (id) DO NOTHING`,
  );
  // Another instance may have been the first.
  return (await findDatabaseIdentity(database)) ?? made;
}

/** Under which server_name its rows were made; `null`: nothing but a trial was, or an earlier version kept none. */
export async function findServerName({ client }: Pick<Database, 'client'>): Promise<string | null> {
  return (await client.databaseIdentity.findFirst({ where: { id: 1 } }))?.serverName ?? null;
}

/** Keeps it for good, where none is kept. */
export async function keepServerName(
  database: Pick<Database, 'client' | 'plain'>,
  serverName: string,
): Promise<void> {
  await databaseIdentity(database);
  await database.client.databaseIdentity.updateMany({
    where: { id: 1, serverName: null },
    data: { serverName },
  });
}
