import { homeserverUrlOf, lacksHomeserver } from '../config/homeserver-url.js';
import { TRIAL_SERVER_NAME } from '../config/load-config.js';
import { DAY_MS, SECOND_MS } from '../core/base/clock.js';
import { judgedClock } from '../core/base/judged-clock.js';
import { FederationWhitelist } from '../core/notary/federation/server-name.js';
import { pruneFetches } from '../core/notary/keys/fetch-store.js';
import { recordFinder } from '../core/notary/keys/key-store.js';
import { Notary } from '../core/notary/keys/answer-query.js';
import { OwnKeys, type OwnKeyChange } from '../core/notary/own-keys/own-keys.js';
import {
  checkFoundName,
  checkSharedName,
  NOT_SHARED,
  OwnName,
  type SharedNameAnswer,
} from '../core/notary/own-keys/own-name.js';
import { RecordCache } from '../core/notary/keys/record-cache.js';
import { signRecord } from '../core/notary/key-record/record-signing.js';
import { SigningKeyStore } from '../core/notary/own-keys/signing-key-store.js';
import type { JobServices } from '../core/job-runner/job-registry.js';
import { ownKeyCheck } from '../core/operators/health/checks/state.js';
import { pruningJob } from '../jobs/jobs.js';
import type { Access } from './access.js';
import { whitelistOrigins } from './blocking/rules.js';
import { createFetching, fetchOwnRecord } from './key-fetch.js';
import type { Instances } from './instances.js';
import { feature } from './features.js';
import type { ContextParts, FetchParts, ServerParts } from './parts.js';
import {
  checkStoredIdentity,
  configuredOldKeys,
  makeFirstKey,
  readKeyFiles,
  refuseErrors,
  type OwnSigningKeys,
  type StartProblem,
} from './start/start-checks.js';
import { programTs } from '../core/store/migration-files.js';
import type { AlarmServices } from './alarms.js';
import { newRequestId } from '../core/base/logger.js';
import type { StoredAuditLog } from '../core/access/operators/stored-audit-log.js';

export type KeyServices = ReturnType<typeof createKeys>;

const DELETED_RECORDS = 'deleted_records';
/** A cached record is looked up again then, since other instances write too. */
const CACHE_LIFETIME_MS = 30 * SECOND_MS;
const FETCH_HISTORY_MS = 30 * DAY_MS;

/** The keys we sign with, and what others say of our name. Rejects with the way out before a first key is made. */
export async function settleKeys(parts: ServerParts) {
  const { config, database, clock, logger, signingKeys } = parts;
  // An earlier try may have made the file before the store went away.
  const { keys, problems } =
    signingKeys === null ? await readKeyFiles(config) : { keys: signingKeys, problems: [] };
  const stored = await checkStoredIdentity(config, { database, clock, keys });
  const told = await askWhose(parts, keys);
  refuseErrors([...problems, ...stored, ...nameProblems(told)], logger);
  return { signingKeys: keys ?? (await makeFirstKey(config.signing_key_path ?? '', logger)), told };
}

/**
 * Asks whether another server publishes keys under our name: the homeserver beside us; with `dialect: matrix` and no
 * homeserver the server that the name leads to, until a record of ours was published. Rejects only with errors of the
 * store.
 */
async function askWhose(
  parts: FetchParts & Pick<ContextParts, 'database'>,
  keys: OwnSigningKeys | null,
  signal?: AbortSignal,
): Promise<SharedNameAnswer> {
  const { config, database } = parts;
  const { server_name: serverName } = config;
  const homeserverUrl = homeserverUrlOf(config);
  const activeKeys = keys?.active ?? null;
  if (activeKeys?.length === 0) return NOT_SHARED;
  if (homeserverUrl !== null) return checkSharedName({ homeserverUrl, serverName, activeKeys });
  if (!lacksHomeserver(config) || serverName === TRIAL_SERVER_NAME) return NOT_SHARED;
  if ((await new SigningKeyStore(database).findOwnRecord(serverName)) !== null) return NOT_SHARED;
  return checkFoundName({ serverName, activeKeys }, () => fetchOwnRecord(parts, signal));
}

/** A silent server does not stop the start: our own record is withheld until it has answered. */
function nameProblems({ error, silence, mayTell }: SharedNameAnswer): StartProblem[] {
  if (error !== null) return [{ setting: 'signing_key_path', message: error, isError: true }];
  if (silence === null) return [];
  const message = `${silence}. ${
    mayTell
      ? 'Our own key record is withheld until it does, unless it was published before'
      : 'Make sure that no other server uses our server_name'
  }`;
  return [{ setting: 'auth.homeserver_url', message, isError: false }];
}

export function createKeys(
  parts: ContextParts,
  jobs: JobServices,
  { instances, alarms }: { instances: Instances; alarms: AlarmServices },
) {
  const { config, clock, logger } = parts;
  const { listener } = alarms;
  const cache = createRecordCache(parts);
  const { client, refresher, limits, close } = createFetching(parts, { listener, cache });
  const whitelist = new FederationWhitelist(config.federation_domain_whitelist);
  instances.messages.on(DELETED_RECORDS, (names) =>
    names === null ? cache.clear() : names.forEach((name) => cache.forget(name)),
  );
  const prune = (beforeTs: number, limit: number) => pruneFetches(parts.database, { beforeTs, limit });
  const old = { job: 'prune_fetch_history', retentionMs: FETCH_HISTORY_MS, prune } as const;
  return feature(
    {
      cache,
      refresher,
      listener,
      whitelist,
      /** Forgets what is kept in memory of servers, on all instances. */
      forgetRecords: async (serverNames: readonly string[]) => {
        for (const name of serverNames) cache.forget(name);
        await instances.messages.send(DELETED_RECORDS, serverNames);
      },
      /** Forgets where a server was found, so that the next fetch looks anew. */
      forgetDiscovery: (serverName: string) => client.forget(serverName),
    },
    {
      jobs: [pruningJob(old, { ...jobs, clock, logger })],
      apply: ({ config: { federation_domain_whitelist: names }, originOf }) =>
        whitelist.replace(names, whitelistOrigins(originOf)),
      limits,
      close,
    },
  );
}

/** Builds the notary over the keys of other servers; no `ownKeys` when somebody else publishes our name's record. */
export async function createSigning(
  parts: ContextParts,
  { keys, access, told }: { keys: KeyServices; access: Access; told: SharedNameAnswer },
) {
  const { config, database, signingKeys, clock, metrics } = parts;
  const ask = (signal: AbortSignal) => askWhose(parts, signingKeys, signal);
  const clockError = judgedClock({ ...parts, programTs: programTs(database.engine) });
  const name = new OwnName({ ...parts, told, ask, clockError });
  const store = new SigningKeyStore(database);
  const ownKeys = await OwnKeys.open({
    ...parts,
    serverName: config.server_name,
    name,
    activeKeys: signingKeys.active,
    publishesFormer: homeserverUrlOf(config) === null,
    configuredOld: configuredOldKeys(config),
    validityMs: config.key_refresh_interval,
    store,
    onChanged: auditKeyChanges(access.auditLog),
  });
  const notary = new Notary({
    ...parts,
    ...keys,
    ownKeys,
    federationWhitelist: keys.whitelist,
    serverName: config.server_name,
    queryTimeoutMs: config.federation.key_query_timeout,
    fetchWhenUnknown: config.federation.fetch_when_unknown,
    lookups: metrics.keyLookups,
  });
  const services = { notary, ownKeys, signingKeys };
  const close = async (): Promise<void> => {
    name.close();
    await ownKeys?.settle();
  };
  // Somebody else publishes the record of our name.
  if (ownKeys === null) return feature(services, { close });
  const healthChecks = [ownKeyCheck({ signingKeys: store, clock, name })];
  return feature(services, { healthChecks, start: () => name.start(() => ownKeys.keep()), close });
}

function createRecordCache({
  config,
  clock,
  logger,
  metrics,
  database,
  signingKeys,
}: ContextParts): RecordCache {
  const cache = new RecordCache({
    load: recordFinder(database, logger),
    sign: (published) => {
      metrics.signatures.inc();
      return signRecord(published, config.server_name, signingKeys.notary);
    },
    clock,
    maxBytes: config.keys.cache_size,
    lifetimeMs: CACHE_LIFETIME_MS,
  });
  metrics.observeKeyCache(() => cache.size());
  return cache;
}

function auditKeyChanges(auditLog: StoredAuditLog): (changes: readonly OwnKeyChange[]) => Promise<void> {
  const requestId = newRequestId();
  return async (changes) => {
    for (const { before, after } of changes) {
      const { keyId: targetId, publicKey, state, retiredTs } = after;
      const now = state === 'retired' ? 'retired' : `in use${before === null ? '' : ' again'}`;
      await auditLog.record({
        actor: 'start of the server',
        role: 'admin',
        method: 'command',
        action: 'changeSigningKeys',
        targetType: 'SigningKey',
        targetId,
        summary: `The signing key ${targetId} is ${now}`,
        outcome: 'ok',
        address: null,
        requestId,
        detail: { before: before?.state ?? null, after: state, publicKey, retiredTs },
      });
    }
  };
}
