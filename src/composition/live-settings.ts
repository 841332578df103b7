import type { BlockingServices } from './blocking-services.js';
import { ruleSources } from './blocking-services.js';
import { NO_ORIGINS } from '../config/input/setting-origins.js';
import { RunningSettings } from '../config/running-settings.js';
import type { RunningSettingsOptions } from '../config/running-settings.js';
import type { SourcedConfig } from '../config/setting-view.js';
import type { LoadedSettings } from './context.js';
import type { AddressPolicy } from '../core/net/address/address-policy.js';
import { compileAddressRanges } from '../core/net/address/address-ranges.js';
import type { Logger } from '../core/base/logger.js';
import type { KeyServices } from './key-services.js';
import type { PreviewServices } from './preview-services.js';

/** The settings of a service that starts with a loaded configuration. */
export function createRunningSettings(
  { config, files, sources = new Map(), origins = NO_ORIGINS, read }: LoadedSettings,
  effects: Pick<RunningSettingsOptions, 'apply' | 'logger'>,
): RunningSettings {
  const initial = { config, sources, origins };
  const unchanged = { ...initial, files, ok: true, warnings: [] } as const;
  return new RunningSettings({ ...effects, initial, read: () => read?.() ?? unchanged });
}

/** What takes new settings while the service runs; `null` before the store has been opened. */
export interface LiveParts {
  /** `null` when its level is right already. */
  logger: Logger | null;
  /** Judges the addresses of key fetches. */
  policy: AddressPolicy;
  keys: KeyServices | null;
  previews: PreviewServices | null;
  blocking: BlockingServices | null;
}

type Apply = (settings: SourcedConfig, parts: LiveParts) => void;

const judgeKeyFetches: Apply = ({ config }, { policy }) =>
  policy.replace({
    blacklist: compileAddressRanges(config.ip_range_blacklist),
    whitelist: compileAddressRanges(config.ip_range_whitelist),
  });

const judgePreviews: Apply = ({ config }, { previews }) =>
  previews?.gatekeepers.policy.replace({
    blacklist: compileAddressRanges(config.url_preview_ip_range_blacklist),
    whitelist: compileAddressRanges(config.url_preview_ip_range_whitelist),
  });

const limitUsers: Apply = ({ config }, { previews }) => {
  const { burst, interval } = config.previews.rate_limit;
  previews?.gatekeepers.rateLimit.replace({ burst, intervalMs: interval });
};

/** How each setting that is marked as live comes into effect. */
export const LIVE_SETTINGS: Readonly<Record<string, Apply>> = {
  'log.level': ({ config }, { logger }) => {
    if (logger !== null) logger.level = config.log.level;
  },
  ip_range_blacklist: judgeKeyFetches,
  ip_range_whitelist: judgeKeyFetches,
  url_preview_url_blacklist: ({ config }, { previews }) =>
    previews?.gatekeepers.rules.replace(config.url_preview_url_blacklist),
  url_preview_ip_range_blacklist: judgePreviews,
  url_preview_ip_range_whitelist: judgePreviews,
  'previews.rate_limit.burst': limitUsers,
  'previews.rate_limit.interval': limitUsers,
  federation_domain_whitelist: ({ config, origins }, { keys }) =>
    keys?.whitelist.replace(
      config.federation_domain_whitelist,
      origins.originOf(['federation_domain_whitelist']),
    ),
};

/** Brings live settings into effect, and tells the book of rules where everything stands now. */
export function applyLiveSettings(settings: SourcedConfig, parts: LiveParts): void {
  for (const apply of new Set(Object.values(LIVE_SETTINGS))) apply(settings, parts);
  parts.blocking?.book.replace(ruleSources(settings));
}
