import { dirname } from 'node:path';

import type { Config } from '../config/schema.js';
import type { ContextParts } from './context.js';
import { ApiError } from '../core/base/errors/errors.js';
import { AnswerMemo } from '../core/notary/keys/answer-memo.js';
import { FederationWhitelist } from '../core/notary/federation/federation-whitelist.js';
import { FetchStore } from '../core/notary/keys/fetch-store.js';
import type { KeyRefresher } from '../core/notary/keys/key-refresher.js';
import { KeyStore } from '../core/notary/keys/key-store.js';
import { Notary } from '../core/notary/keys/notary.js';
import type { NotaryOptions } from '../core/notary/keys/notary.js';
import { OwnKeys } from '../core/notary/keys/own-keys.js';
import { RecordCache } from '../core/notary/keys/record-cache.js';
import { makeFolders } from '../core/base/make-folders.js';
import { signRecord } from '../core/notary/key-record/record-signing.js';
import { SigningKeyStore } from '../core/notary/keys/signing-key-store.js';
import { selfTestSigningKeys } from '../core/notary/signing/signer.js';
import type { SigningKey } from '../core/notary/signing/signer.js';
import { createSigningKeyFile, loadSigningKeys } from '../core/notary/signing/signing-key-file.js';
import type { Logger } from '../core/base/logger.js';
import type { JobServices } from './job-services.js';
import { createFederationClient, createRefresher } from './key-fetch-services.js';
import type { ScheduledJob } from '../jobs/media-job.js';
import { pruneFetchHistoryJob } from '../jobs/prune-fetch-history.js';

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
  const { clock, logger, metrics, database } = parts;
  const ownKeys = await openOwnKeys(config, parts);
  const fetchStore = new FetchStore(database);
  const cache = createRecordCache(config, parts);
  const client = createFederationClient(config, parts);
  const refresher = createRefresher(config, {
    client,
    parts,
    onStored: (serverName) => cache.invalidate(serverName),
    onOutcome: (outcome, reason) => metrics.keyFetches.inc({ outcome, reason: reason ?? 'none' }),
  });
  const whitelist = new FederationWhitelist(config.federation_domain_whitelist);
  const notary = createNotary(config, parts, { ownKeys, cache, refresher, federationWhitelist: whitelist });
  const retentionMs = config.federation.fetch_history_retention;
  const pruning = pruneFetchHistoryJob({ fetchStore, runner, pauses, clock, logger, retentionMs });
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

function createNotary(
  config: Config,
  { clock, metrics }: ContextParts,
  made: Pick<NotaryOptions, 'ownKeys' | 'cache' | 'refresher' | 'federationWhitelist'>,
): Notary {
  return new Notary({
    ...made,
    serverName: config.server_name,
    memo: new AnswerMemo({ clock, maxBytes: KEPT_ANSWERS_BYTES }),
    clock,
    queryTimeoutMs: config.federation.key_query_timeout,
    fetchWhenUnknown: config.federation.fetch_when_unknown,
    maxAnswerBytes: config.keys.max_answer_size,
    onLookup: (result, count) => metrics.keyLookups.inc({ result }, count),
  });
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
  { clock, metrics, database, signingKeys }: ContextParts,
): RecordCache {
  const keyStore = new KeyStore(database);
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
