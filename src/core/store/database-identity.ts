import type { Database } from './db.js';

/** Under which server_name its rows were made; `null`: nothing but a trial was. */
export async function findServerName({ client }: Pick<Database, 'client'>): Promise<string | null> {
  return (await client.databaseIdentity.findFirst({ where: { id: 1 } }))?.serverName ?? null;
}

/** Keeps it for good, where none is kept. */
export async function keepServerName(
  { client }: Pick<Database, 'client'>,
  serverName: string,
): Promise<void> {
  await client.databaseIdentity.upsert({ where: { id: 1 }, create: { id: 1, serverName }, update: {} });
}
