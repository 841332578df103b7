import { homeserverUrlOf } from '../config/homeserver-url.js';
import type { Config } from '../config/schema.js';
import type { RunningSettings } from '../config/running-settings.js';
import type { JobServices } from '../core/job-runner/job-registry.js';
import { FetchStore } from '../core/notary/keys/fetch-store.js';
import { SigningKeyStore } from '../core/notary/own-keys/signing-key-store.js';
import { BlockHits } from '../core/operators/blocking/block-hits.js';
import type { StoredServer } from '../core/operators/diagnosis/diagnose-server.js';
import { deleteKeyRecords } from '../core/operators/keys/delete-records.js';
import { createEventFeed } from '../core/operators/keys/event-feed.js';
import { createEventList } from '../core/operators/keys/event-history.js';
import { createFetchList } from '../core/operators/keys/fetch-history.js';
import { createBandList } from '../core/operators/keys/history/record-bands.js';
import { refreshForOperator } from '../core/operators/keys/operator-refresh.js';
import { KeyRotation } from '../core/operators/own-keys/key-rotation.js';
import { listOwnSigningKeys } from '../core/operators/own-keys/own-signing-keys.js';
import { createServerList } from '../core/operators/keys/server-list.js';
import { createMediaList } from '../core/operators/media/media-list.js';
import { MediaRecords } from '../core/operators/media/media-records.js';
import type {
  CacheAdmin,
  KeyAdminServices,
  OperatorServices,
  PreviewAdminServices,
} from '../core/operators/operator-services.js';
import { configurationCheck } from '../core/operators/health/checks/configuration.js';
import type { Health } from '../core/operators/health/health.js';
import { isAlive, type InstanceInfo } from '../core/operators/overview/instance-store.js';
import type { Overview } from '../core/operators/overview/overview.js';
import {
  DELETE_MEDIA,
  DELETE_PREVIEWS,
  mediaDeletion,
  previewDeletion,
} from '../core/operators/previews/deletions.js';
import { createPreviewList } from '../core/operators/previews/preview-list.js';
import { PreviewRecords } from '../core/operators/previews/preview-records.js';
import { PreviewRemoval } from '../core/operators/previews/preview-removal.js';
import { PreviewReplacement, REFRESH_PREVIEWS } from '../core/operators/previews/preview-replacement.js';
import { PreviewTrial } from '../core/operators/previews/trial/preview-trial.js';
import { TrialMedia } from '../core/operators/previews/trial/trial-media.js';
import { contentUri } from '../core/preview/media/media-paths.js';
import type { Previewer } from '../core/preview/pipeline/previewer.js';
import type { Database } from '../core/store/db.js';
import type { Access } from './access.js';
import type { Instances } from './instances/instances.js';
import { diagnoseAfresh } from './key-fetch.js';
import type { Log } from './log/log.js';
import type { KeyServices } from './notary.js';
import type { AlarmServices } from './alarms.js';
import { feature, type ContextParts, type Feature } from './parts.js';
import type { PreviewServices } from './preview.js';
import type { RuleServices } from './blocking/rules.js';

export interface OperatorNeighbours {
  access: Access;
  instances: Instances;
  settings: RunningSettings;
  jobs: JobServices;
  keys: KeyServices;
  alarms: AlarmServices;
  previews: PreviewServices;
  rules: RuleServices;
  previewer: Previewer;
  overview: Overview;
  self: () => InstanceInfo;
  health: Health;
  log: Log;
}

/** Builds the operators' side over an open and migrated store. */
export function createOperators(
  config: Config,
  parts: ContextParts,
  made: OperatorNeighbours,
): Feature & { services: OperatorServices } {
  const { clock, database } = parts;
  const { access, settings, jobs, overview } = made;
  const previews = createPreviewAdmin(config, parts, made);
  const { registry, added, check, tryPattern } = made.rules;
  const services: OperatorServices = {
    clock,
    database,
    access,
    auditLog: access.auditLog,
    privacy: access.privacy,
    overview,
    health: made.health,
    jobs,
    blocking: { registry, added, check, tryPattern, hits: new BlockHits(database) },
    settings,
    log: made.log.status,
    testWebhook: made.alarms.testWebhook,
    keys: createKeyAdmin(config, parts, made),
    previews,
    refusals: access.refused,
  };
  const { known } = made.instances;
  const others = async () =>
    database.isShared ? (await known.list()).filter((info) => isAlive(info, clock.now())) : [];
  const healthChecks = [configurationCheck({ settings, self: made.self, others })];
  return feature({ services }, { healthChecks, close: () => previews.close() });
}

/** Builds what operators see and do about keys. */
export function createKeyAdmin(
  config: Config,
  parts: ContextParts,
  { keys }: Pick<OperatorNeighbours, 'keys'>,
): KeyAdminServices {
  const { database, clock, signingKeys } = parts;
  const { whitelist, refresher, forgetRecords, forgetDiscovery, listener } = keys;
  const own = { serverName: config.server_name, keys: signingKeys.notary };
  const ownName = config.signing_key_path === null ? null : config.server_name;
  const store = new SigningKeyStore(database);
  const startedTs = clock.now();
  const stored = storedServer(database);
  return {
    servers: createServerList(database),
    fetches: createFetchList(database),
    events: createEventList(database),
    bands: createBandList(database),
    eventFeed: createEventFeed(database),
    whitelist,
    own,
    signingKeys: () =>
      listOwnSigningKeys({ serverName: own.serverName, store, notaryKeys: own.keys, startedTs }),
    rotation: createRotation(config, parts, store),
    diagnose: (question) => diagnoseAfresh(config, { ...parts, whitelist, stored }, question),
    refresh: (serverName) =>
      refreshForOperator({ refresher, whitelist, ownName, forgetDiscovery }, serverName),
    deleteRecords: (recordIds, deletion) =>
      deleteKeyRecords({ database, listener, forget: forgetRecords }, recordIds, deletion),
  };
}

function createRotation(config: Config, { clock }: ContextParts, store: SigningKeyStore): KeyRotation {
  return new KeyRotation({
    serverName: config.server_name,
    path: config.signing_key_path,
    notaryPath: config.key_server_signing_keys_path,
    homeserverUrl: homeserverUrlOf(config),
    validityMs: config.key_refresh_interval,
    store,
    clock,
  });
}

function storedServer(database: Database): StoredServer {
  const fetchStore = new FetchStore(database);
  return {
    findHealth: async (serverName) => (await fetchStore.findHealth([serverName])).get(serverName) ?? null,
    findKeys: (serverName) => database.client.verifyKey.findMany({ where: { serverName } }),
  };
}

/** Work on what operators select, which commands do, too. */
export function createSelectionJobs(): Feature {
  const definitions = [DELETE_PREVIEWS, DELETE_MEDIA, REFRESH_PREVIEWS];
  return feature({}, { jobs: definitions.map((definition) => ({ definition, job: null })) });
}

/** What stored previews and media are reached with. */
type CacheNeighbours = Pick<OperatorNeighbours, 'previews' | 'jobs'>;

/** Builds what needs neither clients nor sites. */
function createCacheAdmin(
  config: Config,
  { clock, database, dialect }: ContextParts,
  {
    previews: {
      media: { removal: mediaRemoval },
      forgetting,
    },
    jobs: { runner },
  }: CacheNeighbours,
): CacheAdmin {
  const previewRecords = new PreviewRecords(database);
  const previews = createPreviewList(database, previewRecords, clock);
  const mediaRecords = new MediaRecords(database);
  const media = createMediaList(database, mediaRecords);
  const previewRemoval = new PreviewRemoval({ database, media: mediaRemoval, forgetting });
  const deletable = { previews, previewRecords, previewRemoval, media, mediaRecords, mediaRemoval, runner };
  const scheme = config.media_scheme ?? dialect.mediaScheme;
  return {
    previews,
    previewRecords,
    media,
    mediaRecords,
    mediaRemoval,
    previewRemoval,
    deletePreviews: (options) => previewDeletion(deletable, options),
    deleteMedia: mediaDeletion(deletable),
    deletesTs: (createdTs) => createdTs + config.previews.media_retention,
    viewPath: (mediaId) => `${config.admin.base_path}/api/media/${mediaId}`,
    contentUri: (mediaId) => contentUri(scheme, config.server_name, mediaId),
  };
}

/** Builds the same of a process that makes previews, with its memory. */
export function createPreviewAdmin(
  config: Config,
  parts: ContextParts,
  made: CacheNeighbours & Pick<OperatorNeighbours, 'previewer'>,
): PreviewAdminServices {
  const { clock, logger } = parts;
  const { previewer, previews, jobs } = made;
  const admin = createCacheAdmin(config, parts, made);
  const { previewRecords: records, previewRemoval: removal } = admin;
  const { runner, instance } = jobs;
  const replacement = new PreviewReplacement({ previewer, records, removal, runner, clock, logger });
  const media = new TrialMedia(admin.mediaRemoval, logger);
  const monotonicNowMs = () => performance.now();
  return {
    ...admin,
    forgetting: previews.forgetting,
    replacement,
    trial: new PreviewTrial({ previewer, replacement, media, clock, monotonicNowMs }),
    instance,
    close: () => media.close(),
  };
}
