import type { Database } from './db.js';
import { createOnce } from './store-errors.js';

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
  if ((await findServerName({ client })) !== null) return;
  await createOnce(() => client.stateValue.create({ data: { name: NAME, value: serverName } }));
}
