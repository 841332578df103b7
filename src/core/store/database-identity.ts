import type { Database } from './db.js';

const NAME = 'server_name';

/** Under which server_name its rows were made; `null`: nothing but a trial was. */
export async function findServerName({ client }: Pick<Database, 'client'>): Promise<string | null> {
  const row = await client.stateValue.findFirst({ where: { name: NAME } });
  return typeof row?.value === 'string' ? row.value : null;
}

/** Keeps it for good, where none is kept. */
export async function keepServerName(
  { client }: Pick<Database, 'client'>,
  serverName: string,
): Promise<void> {
  const create = { name: NAME, value: serverName };
  await client.stateValue.upsert({ where: { name: NAME }, create, update: {} });
}
