import { NO_ORIGINS, type OriginOf as SettingOrigin } from '../../config/load-config.js';
import type { SourcedConfig } from '../../config/setting-view.js';
import { MINUTE_MS } from '../../core/base/clock.js';
import { isFault } from '../../core/base/errors/outbound-error.js';
import { AddedRules, tryPattern } from '../../core/operators/blocking/added-rules.js';
import { RuleRegistry, type RuleList } from '../../core/operators/blocking/rule-registry.js';
import { UrlCheck } from '../../core/operators/blocking/url-check.js';
import type { InstanceMessages } from '../../core/store/instances/instance-messages.js';
import type { OriginOf } from '../../core/notary/federation/server-name.js';
import { PeriodicJob } from '../../jobs/periodic-job.js';
import { feature } from '../features.js';
import { rangesOf, type ContextParts } from '../parts.js';
import type { PreviewServices } from '../preview.js';

/** What refuses something: the lists of the configuration, and what operators add to them. */
export type RuleServices = Awaited<ReturnType<typeof createRules>>;

const ADDED_RULES = 'added_rules';

/** Builds them over an open and migrated store, and hands them to whatever judges by them. */
export async function createRules(parts: ContextParts, made: PreviewServices, messages: InstanceMessages) {
  const { config, database, clock, logger } = parts;
  let settings: SourcedConfig = { config, originOf: NO_ORIGINS };
  const added = new AddedRules({ database, clock, onChanged: () => messages.send(ADDED_RULES) });
  const registry = new RuleRegistry(ruleLists(settings), []);
  const { rules, policy, resolver } = made.requestPolicies;
  const usesProxy = config.previews.proxy_url !== null;
  policy.sourceOf = (judgement) => registry.addressSource(judgement, 'previews');
  parts.policy.sourceOf = (judgement) => registry.addressSource(judgement, 'keys');
  const apply = (taken: SourcedConfig): void => {
    settings = taken;
    registry.replace(ruleLists(settings), added.list());
    const { url_preview_url_blacklist: denied, url_preview_url_whitelist: allowed } = settings.config;
    rules.replace([...denied, ...added.entries()], allowed);
    policy.replace(rangesOf(settings.config, 'url_preview_ip_range'));
    parts.policy.replace(rangesOf(settings.config, 'ip_range'));
    // A repeated request must not get what an older rule made of it.
    const { cache } = made;
    for (const { url, outcome } of cache.failures()) if (isFault(outcome.error, 'rules')) cache.forget(url);
  };
  added.onChange = () => apply(settings);
  const run = () => added.refresh();
  messages.on(ADDED_RULES, run);
  await run();
  // A message may have been heard while the store was away.
  const job = new PeriodicJob({ name: 'refresh_added_rules', intervalMs: MINUTE_MS, logger, run });
  const check = new UrlCheck({ rules, policy, resolver, registry, usesProxy });
  const tried = (pattern: string, signal?: AbortSignal) => tryPattern(pattern, { database, rules }, signal);
  return feature(
    { registry, added, check, tryPattern: tried },
    { apply, start: () => (database.isShared ? job.start() : undefined), close: () => job.stop() },
  );
}

/** Where federation_domain_whitelist and its entries stand. */
export function whitelistOrigins(originOf: SettingOrigin): OriginOf {
  return (position) => originOf(['federation_domain_whitelist', ...(position === null ? [] : [position])]);
}

/** The lists of a configuration with the places of their entries, in the order they are shown. */
function ruleLists({ config, originOf }: SourcedConfig): RuleList[] {
  const kinds = [
    ['url_preview_url_blacklist', 'url_pattern'],
    ['url_preview_url_whitelist', 'url_allow'],
    ['url_preview_ip_range_blacklist', 'ip_deny'],
    ['url_preview_ip_range_whitelist', 'ip_allow'],
    ['ip_range_blacklist', 'ip_deny'],
    ['ip_range_whitelist', 'ip_allow'],
    ['federation_domain_whitelist', 'federation_allow'],
  ] as const;
  return kinds.map(([setting, kind]) => ({
    setting,
    kind,
    entries: config[setting] ?? [],
    originOf: (position) => originOf([setting, position]),
  }));
}
