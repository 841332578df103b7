import type { Clock } from '../../src/core/base/clock.js';
import { DnsResolver } from '../../src/core/net/dns/dns-resolver.js';
import { NameLookups } from '../../src/core/net/dns/name-lookups.js';
import { SYSTEM_FILES, watchSystemFiles } from '../../src/core/net/dns/system-files.js';
import { ManualClock } from './manual-clock.js';

/** What a resolver asks, and what it knows by itself. */
export interface TestResolverOptions {
  clock?: Clock;
  /** `address:port`; those of the system when empty. */
  servers?: readonly string[];
  hosts?: ReadonlyMap<string, readonly string[]>;
  lookupTimeoutMs?: number | undefined;
  /** Shared with others; its own when absent. */
  lookups?: NameLookups | undefined;
}

/** A resolver with look-ups of its own, which `close` ends. */
export function testResolver(options: TestResolverOptions = {}): DnsResolver & { close(): void } {
  const { clock = new ManualClock(), servers = [], hosts = new Map(), lookupTimeoutMs } = options;
  const lookups =
    options.lookups ??
    new NameLookups({
      clock,
      servers,
      files: watchSystemFiles(SYSTEM_FILES, clock, null),
      logger: null,
      limitMs: lookupTimeoutMs ?? 5000,
      maxLookups: 4096,
      maxLookupsPerDomain: 1024,
    });
  const resolver = new DnsResolver({ clock, hosts, lookups, lookupTimeoutMs });
  return Object.assign(resolver, { close: () => lookups.close() });
}
