import type { Config } from '../config/schema.js';
import { AddressPolicy } from '../core/net/address/address-policy.js';
import { compileAddressRanges } from '../core/net/address/address-ranges.js';
import type { Clock } from '../core/base/clock.js';
import type { DnsResolver } from '../core/net/dns/dns-resolver.js';
import type { NameLookups } from '../core/net/dns/name-lookups.js';
import { UserRateLimit } from '../core/preview/pipeline/user-rate-limit.js';
import { UrlRules } from '../core/preview/rules/url-rules.js';
import { createResolver } from './name-services.js';

/** What refuses addresses and users; it takes new settings while the service runs. */
export interface Gatekeepers {
  rules: UrlRules;
  policy: AddressPolicy;
  /** Resolves the names that previews connect to. */
  resolver: DnsResolver;
  rateLimit: UserRateLimit;
}

/** Builds them as the configuration says. */
export function createGatekeepers(
  config: Config,
  parts: { clock: Clock; lookups: NameLookups },
): Gatekeepers {
  const { burst, interval } = config.previews.rate_limit;
  return {
    rules: new UrlRules(config.url_preview_url_blacklist),
    policy: new AddressPolicy({
      blacklist: compileAddressRanges(config.url_preview_ip_range_blacklist),
      whitelist: compileAddressRanges(config.url_preview_ip_range_whitelist),
    }),
    resolver: createResolver(config, parts, config.previews.dns_timeout),
    rateLimit: new UserRateLimit({ burst, intervalMs: interval }, parts.clock),
  };
}
