import type { Config } from '../config/schema.js';
import {
  AddressPolicy,
  type AddressPolicyOptions,
  compileAddressRanges,
} from '../core/net/address/address-policy.js';
import { RateLimit, type RateLimitSettings } from '../core/base/limits/rate-limit.js';
import { UrlRules } from '../core/preview/rules/url-rules.js';
import { createResolver } from './names.js';
import type { ContextParts } from './parts.js';

/** What refuses addresses and users; it takes new settings while the service runs. */
export type RequestPolicies = ReturnType<typeof createRequestPolicies>;

/** Builds them as the configuration says; `resolver` finds the names that previews connect to. */
export function createRequestPolicies(parts: Pick<ContextParts, 'config' | 'clock' | 'lookups'>) {
  const { config, clock } = parts;
  return {
    rules: new UrlRules(config.url_preview_url_blacklist, config.url_preview_url_whitelist),
    policy: new AddressPolicy(previewAddressRangesOf(config)),
    resolver: createResolver(parts, config.previews.dns_timeout),
    rateLimit: new RateLimit(userLimitOf(config), {
      clock,
      refusal: 'Too many previews',
      bound: 'previews',
    }),
  };
}

function previewAddressRangesOf(config: Config): AddressPolicyOptions {
  return {
    blacklist: compileAddressRanges(config.url_preview_ip_range_blacklist),
    whitelist: compileAddressRanges(config.url_preview_ip_range_whitelist),
  };
}

/** How many previews a user may ask for. */
export function userLimitOf({ previews }: Config): RateLimitSettings {
  const { burst, interval } = previews.rate_limit;
  return { burst, intervalMs: interval };
}
