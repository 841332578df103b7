import { z } from 'zod';

import { NO_ORIGINS, type SettingOrigins } from '../../config/input/setting-origins.js';
import type { Config } from '../../config/schema.js';
import type { SourcedConfig } from '../../config/setting-view.js';
import { systemClock } from '../../core/base/clock.js';
import { isRefusal } from '../../core/base/errors/outbound-error.js';
import { RULE_LISTS, type RuleList, type RuleValue } from '../../core/operators/blocking/added-rule.js';
import { AddedRuleStore } from '../../core/operators/blocking/added-rule-store.js';
import { AddedRules, type AddedRulesOptions } from '../../core/operators/blocking/added-rules.js';
import {
  RuleRegistry,
  type ListedSetting,
  type RuleSources,
} from '../../core/operators/blocking/rule-registry.js';
import { RuleTrial, type RuleTrialOptions } from '../../core/operators/blocking/rule-trial.js';
import { rulesYaml } from '../../core/operators/blocking/rule-yaml.js';
import { UrlCheck } from '../../core/operators/blocking/url-check.js';
import type { InstanceMessages } from '../../core/store/instances/instance-messages.js';
import type { AddressPolicy } from '../../core/net/address/address-policy.js';
import { compileAddressRanges, type AddressRanges } from '../../core/net/address/address-ranges.js';
import type { OriginOf } from '../../core/notary/federation/federation-whitelist.js';
import type { Instances } from '../instances/instances.js';
import { createNameParts } from '../names.js';
import { lookingAgain } from '../instances/store-job.js';
import { feature, type ContextParts, type FetchParts } from '../parts.js';
import type { PreviewServices } from '../preview.js';
import { createRequestPolicies, type RequestPolicies } from '../request-policies.js';

/** What refuses something: the lists of the configuration, and what operators add to them. */
export type RuleServices = Awaited<ReturnType<typeof createRules>>;

const ADDED_RULES = 'added_rules';

type RuleNeighbours = Pick<PreviewServices, 'requestPolicies' | 'cache'> & Pick<Instances, 'messages'>;

/** Builds them over an open and migrated store, and hands them to whatever judges by them. */
export async function createRules(
  config: Config,
  parts: ContextParts,
  { requestPolicies, cache, messages }: RuleNeighbours,
) {
  let settings: SourcedConfig = { config, sources: new Map(), origins: NO_ORIGINS };
  const configured = (list: RuleList): readonly RuleValue[] => settings.config[list];
  const added = createAddedRules(parts, messages, configured);
  const inEffect = (list: RuleList): readonly RuleValue[] => [...configured(list), ...added.inEffect(list)];
  const registry = new RuleRegistry(ruleSources(settings));
  nameRules(registry, { previews: requestPolicies.policy, keys: parts.policy });
  const apply = (): void => {
    registry.replace({ ...ruleSources(settings), added: added.list() });
    judgeBy(inEffect, { ...requestPolicies, keyPolicy: parts.policy });
    // Who asks again must not get what an older rule made of it.
    cache.forgetFailures(isRefusal);
  };
  const take = (taken: SourcedConfig): void => {
    settings = taken;
    added.mayOpenInternal = taken.config.admin.internal_ranges;
    apply();
  };
  added.onChange = apply;
  added.mayOpenInternal = config.admin.internal_ranges;
  await added.refresh();
  return feature(
    {
      registry,
      added,
      check: createUrlCheck(settings, requestPolicies, registry),
      trial: createTrial(config, { database: parts.database, inEffect, ...requestPolicies }),
      yaml: () => rulesYaml(added.list(), configured),
    },
    {
      liveSettings: Object.fromEntries(LIVE_SETTINGS.map((name) => [name, take])),
      ...lookingAgain('refresh_added_rules', parts, () => added.refresh()),
    },
  );
}

/** Lets whatever a range refuses say which entry did. */
function nameRules(
  registry: RuleRegistry,
  policies: Partial<Record<'previews' | 'keys', AddressPolicy>>,
): void {
  const { previews, keys } = policies;
  if (previews !== undefined)
    previews.sourceOf = (judgement) => registry.addressSource(judgement, 'previews');
  if (keys !== undefined) keys.sourceOf = (judgement) => registry.addressSource(judgement, 'keys');
}

/** The same for a command that opens no store, by the rules of the configuration. */
export function nameConfiguredRules(settings: SourcedConfig, { policy }: Pick<FetchParts, 'policy'>): void {
  nameRules(new RuleRegistry(ruleSources(settings)), { keys: policy });
}

/** Where federation_domain_whitelist and its entries stand. */
export function whitelistOrigins(origins: SettingOrigins): OriginOf {
  return (position) =>
    origins.originOf(['federation_domain_whitelist', ...(position === null ? [] : [position])]);
}

function createTrial(
  { previews }: Config,
  { database, inEffect, resolver }: Pick<RuleTrialOptions, 'database' | 'inEffect' | 'resolver'>,
): RuleTrial {
  const usesProxy = previews.proxy_url !== null;
  return new RuleTrial({ database, resolver, inEffect, usesProxy, monotonicNowMs: () => performance.now() });
}

/** Those of operators; what one of them changes here, other instances read anew. */
function createAddedRules(
  { database, clock }: ContextParts,
  messages: InstanceMessages,
  configured: AddedRulesOptions['configured'],
): AddedRules {
  const onChanged = (): Promise<void> => messages.send(ADDED_RULES, {});
  const added = new AddedRules({ store: new AddedRuleStore(database), clock, configured, onChanged });
  const refresh = (): Promise<void> => added.refresh();
  messages.on(ADDED_RULES, { schema: z.object({}), receive: refresh, lost: refresh });
  return added;
}

const LIVE_SETTINGS = [...RULE_LISTS, 'federation_domain_whitelist', 'admin.internal_ranges'];

function judgeBy(
  inEffect: (list: RuleList) => readonly RuleValue[],
  {
    rules,
    policy,
    keyPolicy,
  }: Pick<RequestPolicies, 'rules' | 'policy'> & { keyPolicy: ContextParts['policy'] },
): void {
  const urls = (list: RuleList) => inEffect(list).filter((value) => typeof value !== 'string');
  const ranges = (list: RuleList): AddressRanges =>
    compileAddressRanges(inEffect(list).filter((value) => typeof value === 'string'));
  rules.replace(urls('url_preview_url_blacklist'), urls('url_preview_url_whitelist'));
  policy.replace({
    blacklist: ranges('url_preview_ip_range_blacklist'),
    whitelist: ranges('url_preview_ip_range_whitelist'),
  });
  keyPolicy.replace({ blacklist: ranges('ip_range_blacklist'), whitelist: ranges('ip_range_whitelist') });
}

function createUrlCheck(
  settings: SourcedConfig,
  { rules, policy, resolver }: RequestPolicies,
  registry: RuleRegistry,
): UrlCheck {
  const usesProxy = settings.config.previews.proxy_url !== null;
  return new UrlCheck({ rules, policy, resolver, registry, usesProxy });
}

/** The dry check of a command, which needs neither store nor server: it knows the rules of the configuration. */
export function createCommandUrlCheck(settings: SourcedConfig): UrlCheck {
  const parts = { clock: systemClock };
  const { lookups } = createNameParts(settings.config, parts);
  const requestPolicies = createRequestPolicies(settings.config, {
    lookups,
    ...parts,
  });
  return createUrlCheck(settings, requestPolicies, new RuleRegistry(ruleSources(settings)));
}

/** The lists of a configuration with the places of their entries. */
function ruleSources({ config, origins }: SourcedConfig): RuleSources {
  const listed = <Entry>(setting: string, entries: readonly Entry[]): ListedSetting<Entry> => ({
    setting,
    entries,
    originOf: (position) => origins.originOf([setting, position]),
  });
  return {
    urlRules: listed('url_preview_url_blacklist', config.url_preview_url_blacklist),
    urlExceptions: listed('url_preview_url_whitelist', config.url_preview_url_whitelist),
    previewDeny: listed('url_preview_ip_range_blacklist', config.url_preview_ip_range_blacklist),
    previewAllow: listed('url_preview_ip_range_whitelist', config.url_preview_ip_range_whitelist),
    keyDeny: listed('ip_range_blacklist', config.ip_range_blacklist),
    keyAllow: listed('ip_range_whitelist', config.ip_range_whitelist),
    federation: listed('federation_domain_whitelist', config.federation_domain_whitelist ?? []),
    added: [],
  };
}
