import type { Config } from '../config/schema.js';
import type { SourcedConfig } from '../config/setting-view.js';
import {
  AddressPolicy,
  type AddressPolicyOptions,
  compileAddressRanges,
} from '../core/net/address/address-policy.js';
import { RateLimit, type RateLimitSettings } from '../core/base/limits/rate-limit.js';
import { UrlRules } from '../core/preview/rules/url-rules.js';
import { createResolver } from './names.js';
import type { ContextParts, Feature } from './parts.js';

/** What refuses addresses and users; it takes new settings while the service runs. */
export type RequestPolicies = ReturnType<typeof createRequestPolicies>;

/** Builds them as the configuration says; `resolver` finds the names that previews connect to. */
export function createRequestPolicies(config: Config, parts: Pick<ContextParts, 'clock' | 'lookups'>) {
  return {
    rules: new UrlRules(config.url_preview_url_blacklist, config.url_preview_url_whitelist),
    policy: new AddressPolicy(previewAddressRangesOf(config)),
    resolver: createResolver(config, parts, config.previews.dns_timeout),
    rateLimit: new RateLimit(userLimitOf(config), {
      clock: parts.clock,
      refusal: 'Too many previews',
      bound: 'previews',
    }),
  };
}

/** How they take settings while the service runs; rules are handed over by `createRules`. */
export function liveRequestPolicies({ rateLimit }: RequestPolicies): Feature['liveSettings'] {
  const limit = ({ config }: SourcedConfig) => rateLimit.replace(userLimitOf(config));
  return {
    'previews.rate_limit.burst': limit,
    'previews.rate_limit.interval': limit,
  };
}

function previewAddressRangesOf(config: Config): AddressPolicyOptions {
  return {
    blacklist: compileAddressRanges(config.url_preview_ip_range_blacklist),
    whitelist: compileAddressRanges(config.url_preview_ip_range_whitelist),
  };
}

function userLimitOf({ previews }: Config): RateLimitSettings {
  const { burst, interval } = previews.rate_limit;
  return { burst, intervalMs: interval };
}
