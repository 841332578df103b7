import { join } from 'node:path';
import { mkdirSync, rmSync } from 'node:fs';

import { Client } from 'pg';

import type { DatabaseOptions } from '../../src/core/store/db.js';

/** Where a filled database of so many key records lies: a file, or a database of the server at `url`, made when missing. */
export async function placeOf(
  { root, records }: { root: string; records: number },
  url: string | null,
): Promise<DatabaseOptions> {
  if (url === null) {
    const folder = join(root, `sqlite-${records}`);
    mkdirSync(folder, { recursive: true });
    return { engine: 'sqlite', path: join(folder, 'scale.db'), synchronous: 'normal' };
  }
  const name = `vidimus_scale_${records}`;
  const found = await ask(url, `SELECT 1 FROM pg_database WHERE datname = '${name}'`);
  if (found === 0) await ask(url, `CREATE DATABASE ${name} TEMPLATE template0`);
  const place = new URL(url);
  place.pathname = `/${name}`;
  return { engine: 'postgresql', url: place.href, maxConnections: 5 };
}

/** Makes room for the next one. */
export async function dropPlace(options: DatabaseOptions, url: string | null): Promise<void> {
  if (options.engine === 'sqlite') rmSync(join(options.path, '..'), { recursive: true, force: true });
  else if (url !== null)
    await ask(url, `DROP DATABASE ${new URL(options.url).pathname.slice(1)} WITH (FORCE)`);
}

async function ask(url: string, statement: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
