import type { SourcedConfig } from '../config/setting-view.js';
import { BlockHits } from '../core/operators/blocking/block-hits.js';
import type { RuleSources, ListedSetting } from '../core/operators/blocking/rule-book.js';
import { RuleBook } from '../core/operators/blocking/rule-book.js';
import { UrlCheck } from '../core/operators/blocking/url-check.js';
import type { Database } from '../core/store/db.js';
import type { Gatekeepers } from './gatekeepers.js';

/** What operators see of everything that refuses something. */
export interface BlockingServices {
  book: RuleBook;
  hits: BlockHits;
  check: UrlCheck;
}

/** Builds it around the matchers that previews use. */
export function createBlockingServices(
  settings: SourcedConfig,
  gatekeepers: Gatekeepers,
  database: Database,
): BlockingServices {
  const book = new RuleBook(ruleSources(settings));
  return { book, hits: new BlockHits(database), check: createUrlCheck(settings, gatekeepers, book) };
}

/** The dry check of URLs alone: it needs no store. */
export function createUrlCheck(
  settings: SourcedConfig,
  { rules, policy, resolver }: Gatekeepers,
  book: RuleBook,
): UrlCheck {
  const usesProxy = settings.config.previews.proxy_url !== null;
  return new UrlCheck({ rules, policy, resolver, book, usesProxy });
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
