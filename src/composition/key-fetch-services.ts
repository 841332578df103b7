import type { Config } from '../config/schema.js';
import type { ContextParts, LoadedSettings } from './context.js';
import { AddressPolicy } from '../core/net/address/address-policy.js';
import { compileAddressRanges } from '../core/net/address/address-ranges.js';
import { dialectOf } from '../core/base/dialect.js';
import { FederationClient } from '../core/notary/federation/federation-client.js';
import type { KeyRecordPolicy } from '../core/notary/key-record/key-record.js';
import { FetchStore } from '../core/notary/keys/fetch-store.js';
import type { ThrottleSettings } from '../core/notary/keys/fetch-throttle.js';
import { KeyFetcher } from '../core/notary/keys/key-fetcher.js';
import { KeyRefresher } from '../core/notary/keys/key-refresher.js';
import type { KeyRefresherOptions } from '../core/notary/keys/key-refresher.js';
import { KeyStore } from '../core/notary/keys/key-store.js';
import { KNOWN_BANNED_PUBLIC_KEYS } from '../core/notary/signing/banned-keys.js';
import { createNameParts } from './name-services.js';
import type { NameParts, NameSurroundings } from './name-services.js';

/** Waiting fetches for each running one; beyond that new ones are given up at once. */
const QUEUED_FETCHES_PER_PLACE = 16;

/** What asking origins needs: neither store nor signing keys. */
export type FetchParts = NameParts & Pick<ContextParts, 'clock' | 'logger' | 'dialect' | 'policy' | 'ca'>;

/** Builds it as the configuration says. */
export function createFetchParts(
  { config, files }: LoadedSettings,
  surroundings: NameSurroundings & Pick<ContextParts, 'logger'>,
): FetchParts {
  const { clock, logger } = surroundings;
  return {
    clock,
    logger,
    dialect: dialectOf(config.dialect),
    ...createNameParts(config, surroundings),
    policy: new AddressPolicy({
      blacklist: compileAddressRanges(config.ip_range_blacklist),
      whitelist: compileAddressRanges(config.ip_range_whitelist),
    }),
    ca: files.federationCaPems.length === 0 ? null : files.federationCaPems,
  };
}

/** The client that asks origins, as the configuration says. */
export function createFederationClient(config: Config, parts: FetchParts): FederationClient {
  const { federation } = config;
  return new FederationClient({
    dialect: parts.dialect,
    resolver: parts.resolver,
    policy: parts.policy,
    clock: parts.clock,
    logger: parts.logger,
    ca: parts.ca,
    minTlsVersion: config.federation_client_minimum_tls_version === '1.3' ? 'TLSv1.3' : 'TLSv1.2',
    defaultPort: federation.default_port,
    wellKnownPort: federation.well_known_port,
    keyFetchTimeoutMs: federation.key_fetch_timeout,
    connectTimeoutMs: federation.connect_timeout,
    maxKeyRecordBytes: federation.max_key_record_size,
    userAgent: federation.user_agent,
  });
}

/** Fetches and checks records as the configuration says; stores nothing. */
export function createKeyFetcher(config: Config, client: FederationClient): KeyFetcher {
  return new KeyFetcher(client, keyRecordPolicyOf(config), () => performance.now());
}

/** Which key records are accepted, as the configuration says. */
export function keyRecordPolicyOf({ federation }: Config): KeyRecordPolicy {
  const banned = federation.banned_keys.map((key) => Buffer.from(key, 'base64').toString('hex'));
  return {
    requireAllKeysSigned: federation.require_all_keys_signed,
    bannedPublicKeys: new Set([...KNOWN_BANNED_PUBLIC_KEYS, ...banned]),
    maxKeys: federation.max_keys_per_record,
  };
}

interface RefresherParts extends Pick<KeyRefresherOptions, 'onStored' | 'onOutcome'> {
  client: FederationClient;
  parts: Pick<ContextParts, 'clock' | 'logger' | 'database'>;
}

/** Fetches and stores keys as the configuration says. */
export function createRefresher(
  config: Config,
  { client, parts: { clock, logger, database }, ...told }: RefresherParts,
): KeyRefresher {
  const { federation } = config;
  return new KeyRefresher({
    ...told,
    clock,
    logger,
    database,
    keyStore: new KeyStore(database),
    fetchStore: new FetchStore(database),
    fetcher: createKeyFetcher(config, client),
    throttle: throttleOf(config),
    maxConcurrentFetches: federation.max_concurrent_fetches,
    maxConcurrentFetchesPerQuery: federation.max_concurrent_fetches_per_query,
    maxQueuedFetches: QUEUED_FETCHES_PER_PLACE * federation.max_concurrent_fetches,
  });
}

function throttleOf(config: Config): ThrottleSettings {
  const { throttle, backoff } = config.federation;
  return {
    burst: throttle.burst,
    intervalMs: throttle.interval,
    backoffAfterFailures: backoff.after_failures,
    backoffInitialMs: backoff.initial,
    backoffMaximumMs: backoff.maximum,
  };
}
