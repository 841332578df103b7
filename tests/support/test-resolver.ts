import type { Clock } from '../../src/core/base/clock.js';
import { DnsResolver } from '../../src/core/net/dns/dns-resolver.js';
import { SYSTEM_FILES, watchSystemFiles } from '../../src/core/net/dns/system-files.js';
import { ManualClock } from './manual-clock.js';

/** What a resolver asks, and what it knows by itself. */
export interface TestResolverOptions {
  clock?: Clock;
  /** `address:port`; those of the system when empty. */
  servers?: readonly string[];
  hosts?: ReadonlyMap<string, readonly string[]>;
  lookupTimeoutMs?: number | undefined;
}

/** A resolver, which `close` ends. */
export function testResolver(options: TestResolverOptions = {}): DnsResolver {
  const { clock = new ManualClock(), servers = [], hosts = new Map(), lookupTimeoutMs = 5000 } = options;
  return new DnsResolver({
    clock,
    servers,
    hosts,
    files: watchSystemFiles(SYSTEM_FILES, clock, null),
    logger: null,
    limitMs: lookupTimeoutMs,
    maxLookups: 4096,
  });
}
