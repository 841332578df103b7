import type { ReferencedFiles } from '../config/input/referenced-files.js';
import type { LoadedConfig, OriginOf } from '../config/load-config.js';
import type { Config } from '../config/schema.js';
import type { Clock } from '../core/base/clock.js';
import type { Dialect } from '../core/base/dialect.js';
import type { Logger } from '../core/base/logger.js';
import type { Metrics } from '../core/base/metrics.js';
import {
  ReachedBounds,
  type ClientBound,
  type ReachedClientBounds,
  type ReachedHandshakes,
} from '../core/base/limits/reached-bounds.js';
import type { LogQueue } from '../core/notary/log/log-store.js';
import type { AddressPolicy } from '../core/net/address/address-policy.js';
import type { Database, DatabaseOptions } from '../core/store/db.js';
import type { ServerLock } from '../core/store/sqlite/server-lock.js';
import type { NameParts, SystemFilePaths } from './names.js';
import type { OwnSigningKeys } from './start/key-files.js';

/** A loaded configuration: the settings, and the contents of the files they name. */
export interface LoadedSettings {
  config: Config;
  files: ReferencedFiles;
  /** Where values come from; absent: nothing is known of that. */
  originOf?: OriginOf;
  /** Reads the configuration again, as it was read for this; absent: it stays as it is. */
  read?: () => LoadedConfig;
}

/** What tests replace; everything else is built from the configuration. */
export interface ContextOverrides {
  clock?: Clock;
  logger?: Logger;
  /** Folder of the built operators' pages. */
  uiFolder?: string;
  /** File with the public registry of oEmbed providers. */
  oembedRegistryFile?: string;
  /** Files in which the system says how names are resolved. */
  dnsFiles?: SystemFilePaths;
}

/** What asking origins needs: neither store nor signing keys. */
export interface FetchParts extends NameParts {
  config: Config;
  clock: Clock;
  logger: Logger;
  dialect: Dialect;
  policy: AddressPolicy;
  /** Trusted authorities for key fetches; `null`: the well-known ones. */
  ca: readonly string[] | null;
  handshakes: ReachedHandshakes;
}

/** What every wing is built from: all there is before the store is opened. */
export interface ContextParts extends FetchParts {
  metrics: Metrics;
  /** What of the listeners clients have used up. */
  clientBounds: ReachedClientBounds;
  database: Database;
  signingKeys: OwnSigningKeys;
  /** `null`: that of the package `oembed-providers`. */
  oembedRegistryFile: string | null;
  /** `null`: the log is off. */
  logQueue: LogQueue | null;
}

/** What a server has beside that. */
export interface ServerParts extends Omit<ContextParts, 'signingKeys'> {
  /** `null`: the file is made once the store is open and knows no key of ours. */
  signingKeys: OwnSigningKeys | null;
  place: ServerLock;
  databaseOptions: DatabaseOptions;
  /** Folder of the built operators' pages; need not be there. */
  uiFolder: string;
}

/** What another server may send during a TLS handshake, nearly all of it certificates. */
export const MAX_HANDSHAKE_BYTES = 32 * 1024;
/** The User-Agent of key fetches and alarms. */
export const USER_AGENT_NAME = 'Vidimus';

/** What tells of the bounds that clients reach. */
export function createClientBounds(clock: Clock, logger: Logger, metrics: Metrics): ReachedClientBounds {
  return new ReachedBounds<ClientBound>({
    clock,
    log: (line) => logger.warn(line, 'clients are throttled: a limit is reached'),
    count: (bound) => metrics.clientBounds.inc({ bound }),
  });
}

/** What tells of servers that send too much for a TLS handshake. Commands count nothing. */
export function createHandshakeBounds(clock: Clock, logger: Logger, metrics?: Metrics): ReachedHandshakes {
  return new ReachedBounds({
    clock,
    log: (line) => logger.warn(line, 'a server sends too much for a TLS handshake'),
    count: () => metrics?.largeHandshakes.inc(),
  });
}

/** Which database the configuration names, with the password from its file. */
export function databaseOptionsOf({ config, files }: LoadedSettings): DatabaseOptions {
  const { database } = config;
  if (database.engine === 'sqlite') {
    const { path, synchronous } = database;
    return { engine: 'sqlite', path, synchronous };
  }
  const url = new URL(database.url ?? '');
  if (files.databasePassword !== null) url.password = encodeURIComponent(files.databasePassword);
  return {
    engine: 'postgresql',
    url: url.href,
    maxConnections: database.max_connections,
  };
}
