import type { LoadedSettings } from './context.js';
import type { DatabaseOptions } from '../core/store/db.js';

/** Which database the configuration names, with the password from its file. */
export function databaseOptionsOf({ config, files }: LoadedSettings): DatabaseOptions {
  const { database } = config;
  if (database.engine === 'sqlite') {
    return { engine: 'sqlite', path: database.path, synchronous: database.synchronous };
  }
  const url = new URL(database.url ?? '');
  if (files.databasePassword !== null) url.password = encodeURIComponent(files.databasePassword);
  return { engine: 'postgresql', url: url.href, maxConnections: database.max_connections };
}
