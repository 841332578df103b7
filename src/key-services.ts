import { dirname } from 'node:path';

import type { Config } from './config/schema.js';
import type { ContextParts, LoadedSettings } from './context.js';
import { AddressPolicy } from './core/address/address-policy.js';
import { compileAddressRanges } from './core/address/address-ranges.js';
import { dialectOf } from './core/dialect.js';
import { DnsResolver } from './core/dns/dns-resolver.js';
import { ApiError } from './core/errors.js';
import { FederationClient } from './core/federation/federation-client.js';
import { AnswerMemo } from './core/keys/answer-memo.js';
import { FederationWhitelist } from './core/federation/federation-whitelist.js';
import { FetchStore } from './core/keys/fetch-store.js';
import type { ThrottleSettings } from './core/keys/fetch-throttle.js';
import { KeyFetcher } from './core/keys/key-fetcher.js';
import { KeyRefresher } from './core/keys/key-refresher.js';
import type { KeyRefresherOptions } from './core/keys/key-refresher.js';
import { KeyStore } from './core/keys/key-store.js';
import { Notary } from './core/keys/notary.js';
import { OwnKeys } from './core/keys/own-keys.js';
import { RecordCache } from './core/keys/record-cache.js';
import type { KeyRecordPolicy } from './core/key-record/key-record.js';
import { makeFolders } from './core/make-folders.js';
import { signRecord } from './core/key-record/record-signing.js';
import { SigningKeyStore } from './core/keys/signing-key-store.js';
import { KNOWN_BANNED_PUBLIC_KEYS } from './core/signing/banned-keys.js';
import { selfTestSigningKeys } from './core/signing/signer.js';
import type { SigningKey } from './core/signing/signer.js';
import { createSigningKeyFile, loadSigningKeys } from './core/signing/signing-key-file.js';
import type { Logger } from './core/logger.js';
import type { JobServices } from './job-services.js';
import type { ScheduledJob } from './jobs/media-job.js';
import { pruneFetchHistoryJob } from './jobs/prune-fetch-history.js';

/** The keys we sign with, as read from their files. */
export interface OwnSigningKeys {
  /** Published, and signing unless `notary` differs. */
  active: readonly SigningKey[];
  /** Sign answers about other servers. */
  notary: readonly SigningKey[];
}

/** The notary and its parts, alive while the store is open. */
export interface KeyServices {
  notary: Notary;
  ownKeys: OwnKeys;
  cache: RecordCache;
  refresher: KeyRefresher;
  fetchStore: FetchStore;
  whitelist: FederationWhitelist;
  /** Forgets where a server was found, so that the next fetch looks anew. */
  forgetPlace: (serverName: string) => void;
  jobs: readonly ScheduledJob[];
  start(): void;
  close(): Promise<void>;
}

/** Waiting fetches for each running one; beyond that new ones are given up at once. */
const QUEUED_FETCHES_PER_PLACE = 16;
/** Some hundred answers about a hundred servers each. */
const KEPT_ANSWERS_BYTES = 8 * 1024 * 1024;

/** Reads the key files; makes the first key when there is none yet. Rejects with a sentence for operators. */
export async function loadOwnSigningKeys(config: Config, logger: Logger): Promise<OwnSigningKeys> {
  const active = await loadOrCreate(config.signing_key_path, logger);
  const notaryPath = config.key_server_signing_keys_path;
  const notary = notaryPath === null ? active : await loadSigningKeys(notaryPath);
  selfTestSigningKeys([...new Set([...active, ...notary])]);
  return { active, notary };
}

async function loadOrCreate(path: string, logger: Logger): Promise<SigningKey[]> {
  try {
    return await loadSigningKeys(path);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'signing_key_file_missing') throw error;
  }
  makeFolders(dirname(path), 0o700);
  const key = await createSigningKeyFile(path);
  logger.info({ path, key_id: key.keyId }, 'made a signing key; back it up');
  return [key];
}

/** Builds the notary over an open and migrated store. */
export async function createKeyServices(
  config: Config,
  parts: ContextParts,
  { runner, pauses }: JobServices,
): Promise<KeyServices> {
  const { clock, metrics, database } = parts;
  const ownKeys = await openOwnKeys(config, parts);
  const keyStore = new KeyStore(database);
  const fetchStore = new FetchStore(database);
  const cache = createRecordCache(config, parts, keyStore);
  const client = createFederationClient(config, parts);
  const refresher = createRefresher(config, {
    client,
    parts,
    onStored: (serverName) => cache.invalidate(serverName),
    onOutcome: (outcome, reason) => metrics.keyFetches.inc({ outcome, reason: reason ?? 'none' }),
  });
  const whitelist = new FederationWhitelist(config.federation_domain_whitelist);
  const notary = new Notary({
    serverName: config.server_name,
    ownKeys,
    cache,
    memo: new AnswerMemo({ clock, maxBytes: KEPT_ANSWERS_BYTES }),
    refresher,
    clock,
    federationWhitelist: whitelist,
    queryTimeoutMs: config.federation.key_query_timeout,
    fetchWhenUnknown: config.federation.fetch_when_unknown,
    maxAnswerBytes: config.keys.max_answer_size,
    onLookup: (result, count) => metrics.keyLookups.inc({ result }, count),
  });
  const pruning = pruneFetchHistoryJob({
    fetchStore,
    runner,
    pauses,
    clock,
    logger: parts.logger,
    retentionMs: config.federation.fetch_history_retention,
  });
  return {
    notary,
    ownKeys,
    cache,
    refresher,
    fetchStore,
    whitelist,
    forgetPlace: (serverName) => client.forget(serverName),
    jobs: [pruning],
    start: () => pruning.job?.start(),
    close: async () => {
      await pruning.job?.stop();
      client.close();
      await refresher.settle();
      await ownKeys.settle();
    },
  };
}

function openOwnKeys(
  config: Config,
  { clock, logger, database, signingKeys }: ContextParts,
): Promise<OwnKeys> {
  return OwnKeys.open({
    serverName: config.server_name,
    activeKeys: signingKeys.active,
    notaryKeys: signingKeys.notary,
    configuredOld: [...config.old_signing_keys].map(([keyId, old]) => ({
      keyId,
      publicKey: old.key,
      expiredTs: old.expired_ts,
    })),
    validityMs: config.key_refresh_interval,
    store: new SigningKeyStore(database),
    clock,
    logger,
  });
}

function createRecordCache(
  config: Config,
  { clock, metrics, signingKeys }: ContextParts,
  keyStore: KeyStore,
): RecordCache {
  const cache = new RecordCache({
    load: (serverNames) => keyStore.findRecords(serverNames),
    sign: (published) => {
      metrics.signatures.inc();
      return signRecord(published, config.server_name, signingKeys.notary);
    },
    clock,
    maxBytes: config.keys.cache_size,
    lifetimeMs: config.keys.cache_lifetime,
  });
  metrics.observeKeyCache(() => cache.size());
  return cache;
}

/** What asking origins needs: neither store nor signing keys. */
export type FetchParts = Pick<ContextParts, 'clock' | 'logger' | 'dialect' | 'resolver' | 'policy' | 'ca'>;

/** Builds it as the configuration says. */
export function createFetchParts(
  { config, files }: LoadedSettings,
  { clock, logger }: Pick<ContextParts, 'clock' | 'logger'>,
): FetchParts {
  const { servers, hosts } = config.dns;
  return {
    clock,
    logger,
    dialect: dialectOf(config.dialect),
    resolver: new DnsResolver({ clock, servers, hosts }),
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
