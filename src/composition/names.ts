import type { Config } from '../config/schema.js';
import type { Clock } from '../core/base/clock.js';
import { DnsResolver, LOOKUP_TIMEOUT_MS } from '../core/net/dns/dns-resolver.js';
import { NameLookups } from '../core/net/dns/name-lookups.js';
import { SYSTEM_FILES, watchSystemFiles, type SystemFilePaths } from '../core/net/dns/system-files.js';
import type { Logger } from '../core/base/logger.js';
import type { Metrics } from '../core/base/metrics.js';
import { withinOpenFiles } from './start/open-files.js';

export type { SystemFilePaths } from '../core/net/dns/system-files.js';

/** Each has one socket; as many more may wait. */
export const MAX_LOOKUPS = 4096;

/** What resolves names. */
export interface NameParts {
  /** All look-ups of the process, bounded together. */
  lookups: NameLookups;
  /** Remembers what key fetches ask for. */
  resolver: DnsResolver;
}

/** What look-ups are made with; all but the clock may be absent in commands. */
export interface NameSurroundings {
  config: Config;
  clock: Clock;
  logger?: Logger;
  metrics?: Metrics;
  /** Files of the system; those in /etc when absent. */
  files?: SystemFilePaths | undefined;
}

/** Builds both as the configuration says. */
export function createNameParts(surroundings: NameSurroundings): NameParts {
  const { config, clock, logger = null, metrics, files = SYSTEM_FILES } = surroundings;
  const lookups = new NameLookups({
    clock,
    logger,
    servers: config.dns.servers,
    files: watchSystemFiles(files, clock, logger),
    limitMs: Math.max(LOOKUP_TIMEOUT_MS, config.previews.dns_timeout),
    maxLookups: withinOpenFiles('lookups', MAX_LOOKUPS),
    maxLookupsPerDomain: MAX_LOOKUPS / 4,
    outcomes: metrics?.dnsLookups,
    onBound: (bound) => metrics?.dnsBounds.inc({ bound }),
  });
  metrics?.observeDnsLookups(() => lookups.load);
  return { lookups, resolver: createResolver({ config, clock, lookups }) };
}

/** A resolver that remembers for itself, over the look-ups of all. */
export function createResolver(
  { config, clock, lookups }: { config: Config; clock: Clock; lookups: NameLookups },
  lookupTimeoutMs?: number,
): DnsResolver {
  return new DnsResolver({ clock, hosts: config.dns.hosts, lookups, lookupTimeoutMs });
}
