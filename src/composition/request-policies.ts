import type { Config } from '../config/schema.js';
import type { SourcedConfig } from '../config/setting-view.js';
import { systemClock, type Clock } from '../core/base/clock.js';
import { AddressPolicy, type AddressPolicyOptions } from '../core/net/address/address-policy.js';
import { compileAddressRanges } from '../core/net/address/address-ranges.js';
import type { NameLookups } from '../core/net/dns/name-lookups.js';
import {
  RuleRegistry,
  type ListedSetting,
  type RuleSources,
} from '../core/operators/blocking/rule-registry.js';
import { UrlCheck } from '../core/operators/blocking/url-check.js';
import { RateLimit, type RateLimitSettings } from '../core/base/places/rate-limit.js';
import { UrlRules } from '../core/preview/rules/url-rules.js';
import { createNameParts, createResolver } from './names.js';
import type { Feature } from './parts.js';

/** What refuses addresses and users; it takes new settings while the service runs. */
export type RequestPolicies = ReturnType<typeof createRequestPolicies>;

/** Builds them as the configuration says; `resolver` finds the names that previews connect to. */
export function createRequestPolicies(config: Config, parts: { clock: Clock; lookups: NameLookups }) {
  const isShared = config.database.engine !== 'sqlite';
  return {
    rules: new UrlRules(config.url_preview_url_blacklist),
    policy: new AddressPolicy(previewAddressRangesOf(config)),
    resolver: createResolver(config, parts, config.previews.dns_timeout),
    rateLimit: new RateLimit(userLimitOf(config), {
      clock: parts.clock,
      refusal: 'Too many previews',
      isShared,
    }),
  };
}

/** How they take settings while the service runs. */
export function liveRequestPolicies({ rules, policy, rateLimit }: RequestPolicies): Feature['liveSettings'] {
  const judge = ({ config }: SourcedConfig) => policy.replace(previewAddressRangesOf(config));
  const limit = ({ config }: SourcedConfig) => rateLimit.replace(userLimitOf(config));
  return {
    url_preview_url_blacklist: ({ config }) => rules.replace(config.url_preview_url_blacklist),
    url_preview_ip_range_blacklist: judge,
    url_preview_ip_range_whitelist: judge,
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

/** The dry check of URLs alone: it needs no store. */
export function createUrlCheck(
  settings: SourcedConfig,
  { rules, policy, resolver }: RequestPolicies,
  registry: RuleRegistry,
): UrlCheck {
  const usesProxy = settings.config.previews.proxy_url !== null;
  return new UrlCheck({ rules, policy, resolver, registry, usesProxy });
}

/** The dry check of a command, which needs neither store nor server. */
export function createCommandUrlCheck(settings: SourcedConfig): UrlCheck {
  const parts = { clock: systemClock };
  const { lookups } = createNameParts(settings.config, parts);
  const requestPolicies = createRequestPolicies(settings.config, { lookups, ...parts });
  return createUrlCheck(settings, requestPolicies, new RuleRegistry(ruleSources(settings)));
}

/** The lists of a configuration with the places of their entries. */
export function ruleSources({ config, origins }: SourcedConfig): RuleSources {
  const listed = <Entry>(setting: string, entries: readonly Entry[]): ListedSetting<Entry> => ({
    setting,
    entries,
    originOf: (position) => origins.originOf([setting, position]),
  });
  return {
    urlRules: listed('url_preview_url_blacklist', config.url_preview_url_blacklist),
    previewDeny: listed('url_preview_ip_range_blacklist', config.url_preview_ip_range_blacklist),
    previewAllow: listed('url_preview_ip_range_whitelist', config.url_preview_ip_range_whitelist),
    keyDeny: listed('ip_range_blacklist', config.ip_range_blacklist),
    keyAllow: listed('ip_range_whitelist', config.ip_range_whitelist),
    federation: listed('federation_domain_whitelist', config.federation_domain_whitelist ?? []),
  };
}
