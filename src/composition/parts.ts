import type { ReferencedFiles } from '../config/input/referenced-files.js';
import type { LoadedConfig, OriginOf } from '../config/load-config.js';
import type { Config } from '../config/schema.js';
import { VERSION } from '../config/version.js';
import { systemClock, type Clock } from '../core/base/clock.js';
import { dialectOf, type Dialect } from '../core/base/dialect.js';
import { createLogger, type Logger } from '../core/base/logger.js';
import { createMetrics } from '../core/base/metrics.js';
import {
  ReachedBounds,
  type ReachedClientBounds,
  type ReachedHandshakes,
} from '../core/base/limits/reached-bounds.js';
import {
  AddressPolicy,
  compileAddressRanges,
  type AddressPolicyOptions,
} from '../core/net/address/address-policy.js';
import { DnsResolver, LOOKUP_TIMEOUT_MS } from '../core/net/dns/dns-resolver.js';
import { SYSTEM_FILES, watchSystemFiles } from '../core/net/dns/system-files.js';
import type { LogQueue } from '../core/notary/log/log-store.js';
import type { Database, DatabaseOptions } from '../core/store/db.js';
import type { ServerLock } from '../core/store/sqlite/server-lock.js';
import type { OwnSigningKeys } from './start/start-checks.js';
import { withinOpenFiles } from './start/open-files.js';

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
  uiFolder?: string;
  oembedRegistryFile?: string;
  /** Files in which the system says how names are resolved. */
  dnsFiles?: typeof SYSTEM_FILES;
  /** How commands for this server are typed in any folder of its machine; `vidimus` when not given. */
  program?: string;
}

/** For commands, whose output is not a log. */
export const SILENT: ContextOverrides = { logger: createLogger({ level: 'silent' }) };

export type BaseParts = ReturnType<typeof createBase>;

/** What asking origins needs: neither store nor signing keys. */
export interface FetchParts extends BaseParts {
  dialect: Dialect;
  /** All look-ups of the process, bounded together. */
  resolver: DnsResolver;
  policy: AddressPolicy;
  /** Trusted authorities for key fetches; `null`: the well-known ones. */
  ca: readonly string[] | null;
  handshakes: ReachedHandshakes;
}

/** What every wing is built from: all there is before the store is opened. */
export interface ContextParts extends FetchParts {
  program: string;
  database: Database;
  signingKeys: OwnSigningKeys;
  /** `null`: that of the package `oembed-providers`. */
  oembedRegistryFile: string | null;
  logQueue: LogQueue | null;
}

export interface ServerParts extends Omit<ContextParts, 'signingKeys'> {
  /** `null`: the file is made once the store is open and knows no key of ours. */
  signingKeys: OwnSigningKeys | null;
  place: ServerLock;
  databaseOptions: DatabaseOptions;
  /** Folder of the built operators' pages; need not be there. */
  uiFolder: string;
}

/** The User-Agent of key fetches and alarms. */
export const USER_AGENT_NAME = 'Vidimus';
/** Each has one socket; as many more may wait. */
export const MAX_LOOKUPS = 4096;

export function createBase(config: Config, overrides: ContextOverrides) {
  const { clock = systemClock, logger = createLogger({ level: config.log.level }) } = overrides;
  const metrics = createMetrics(VERSION);
  // What of the listeners clients have used up.
  const clientBounds: ReachedClientBounds = new ReachedBounds({
    clock,
    log: (line) => logger.warn(line, 'clients are throttled: a limit is reached'),
    count: (bound) => metrics.clientBounds.inc({ bound }),
  });
  return { config, clock, logger, metrics, clientBounds };
}

export function createFetchParts({ config, files }: LoadedSettings, overrides: ContextOverrides): FetchParts {
  const base = createBase(config, overrides);
  const { clock, logger, metrics } = base;
  const resolver = new DnsResolver({
    clock,
    logger,
    servers: config.dns.servers,
    hosts: config.dns.hosts,
    files: watchSystemFiles(overrides.dnsFiles ?? SYSTEM_FILES, clock, logger),
    limitMs: Math.max(LOOKUP_TIMEOUT_MS, config.previews.dns_timeout),
    maxLookups: withinOpenFiles('lookups', MAX_LOOKUPS),
    outcomes: metrics.dnsLookups,
    onBound: (bound) => metrics.dnsBounds.inc({ bound }),
  });
  metrics.observeDnsLookups(() => resolver.load);
  return {
    ...base,
    dialect: dialectOf(config.dialect),
    resolver,
    policy: new AddressPolicy(rangesOf(config, 'ip_range')),
    ca: files.federationCaPems.length === 0 ? null : files.federationCaPems,
    handshakes: new ReachedBounds({
      clock,
      log: (line) => logger.warn(line, 'a server sends too much for a TLS handshake'),
      count: () => metrics.largeHandshakes.inc(),
    }),
  };
}

export function rangesOf(config: Config, of: 'ip_range' | 'url_preview_ip_range'): AddressPolicyOptions {
  return {
    blacklist: compileAddressRanges(config[`${of}_blacklist`]),
    whitelist: compileAddressRanges(config[`${of}_whitelist`]),
  };
}
