import type { DatabaseOptions } from '../../core/store/db.js';
import type { LoadedSettings } from '../parts.js';

/** Which database the configuration names, with the password from its file. */
export function databaseOptionsOf({ config, files }: LoadedSettings): DatabaseOptions {
  const { engine, path, synchronous, url: named, max_connections: maxConnections } = config.database;
  if (engine === 'sqlite') return { engine, path, synchronous };
  const url = new URL(named ?? '');
  if (files.databasePassword !== null) url.password = encodeURIComponent(files.databasePassword);
  return { engine, url: url.href, maxConnections };
}
