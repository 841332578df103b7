import { homeserverUrlOf } from '../config/homeserver-url.js';
import type { RunningSettings } from '../config/running-settings.js';
import type { JobServices } from '../core/job-runner/job-registry.js';
import { findHealth } from '../core/notary/keys/fetch-store.js';
import { SigningKeyStore } from '../core/notary/own-keys/signing-key-store.js';
import { BlockHits } from '../core/operators/blocking/block-hits.js';
import type { StoredServer } from '../core/operators/diagnosis/diagnose-server.js';
import { deleteKeyRecords } from '../core/operators/keys/key-records.js';
import { createEventFeed } from '../core/operators/keys/key-events.js';
import { createFetchList } from '../core/operators/keys/fetch-history.js';
import { createBandList } from '../core/operators/keys/key-history.js';
import { refreshForOperator } from '../core/operators/keys/operator-refresh.js';
import { KeyRotation } from '../core/operators/own-keys/key-rotation.js';
import { listOwnSigningKeys } from '../core/operators/own-keys/own-signing-keys.js';
import { createServerList } from '../core/operators/keys/servers.js';
import { createMediaList, MediaRecords } from '../core/operators/media/media.js';
import type {
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
  PreviewRemoval,
} from '../core/operators/previews/deletions.js';
import { createPreviewList, PreviewRecords } from '../core/operators/previews/previews.js';
import { PreviewReplacement, REFRESH_PREVIEWS } from '../core/operators/previews/preview-replacement.js';
import { PreviewTrial } from '../core/operators/previews/preview-trial.js';
import { contentUri } from '../core/preview/media/media-paths.js';
import type { Previewer } from '../core/preview/pipeline/previewer.js';
import type { Access } from './access.js';
import type { Instances } from './instances.js';
import { diagnoseAfresh } from './key-fetch.js';
import type { Log } from './log/log.js';
import type { KeyServices } from './notary.js';
import type { AlarmServices } from './alarms.js';
import { feature } from './features.js';
import type { ContextParts } from './parts.js';
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
export function createOperators(parts: ContextParts, made: OperatorNeighbours) {
  const { clock, database } = parts;
  const { access, settings, rules, self } = made;
  const services: OperatorServices = {
    ...made,
    program: parts.program,
    clock,
    database,
    auditLog: access.auditLog,
    privacy: access.privacy,
    blocking: { ...rules, hits: new BlockHits(database) },
    log: made.log.status,
    testWebhook: made.alarms.testWebhook,
    keys: createKeyAdmin(parts, made.keys),
    previews: createPreviewAdmin(parts, made),
    refusals: access.refused,
  };
  const { known } = made.instances;
  const others = async () =>
    database.isShared ? (await known.list()).filter((info) => isAlive(info, clock.now())) : [];
  const selections = [DELETE_PREVIEWS, DELETE_MEDIA, REFRESH_PREVIEWS];
  return feature(
    { services },
    {
      jobs: selections.map((definition) => ({ definition, job: null })),
      healthChecks: [configurationCheck({ settings, self, others })],
    },
  );
}

/** Builds what operators see and do about keys. */
function createKeyAdmin(parts: ContextParts, keys: KeyServices): KeyAdminServices {
  const { config, database, clock, signingKeys } = parts;
  const { whitelist, forgetRecords: forget, listener } = keys;
  const { server_name: serverName, signing_key_path: path } = config;
  const ownName = path === null ? null : serverName;
  const store = new SigningKeyStore(database);
  const startedTs = clock.now();
  const stored: StoredServer = {
    findHealth: async (name) => (await findHealth(database, [name])).get(name) ?? null,
    findKeys: (name) => database.client.verifyKey.findMany({ where: { serverName: name } }),
  };
  return {
    servers: createServerList(database),
    fetches: createFetchList(database),
    bands: createBandList(database),
    eventFeed: createEventFeed(database),
    whitelist,
    ownName: serverName,
    signingKeys: () => listOwnSigningKeys({ store, notaryKeys: signingKeys.notary, startedTs }),
    rotation: new KeyRotation({
      serverName,
      path,
      notaryPath: config.key_server_signing_keys_path,
      homeserverUrl: homeserverUrlOf(config),
      validityMs: config.key_refresh_interval,
      store,
      clock,
    }),
    diagnose: (question) => diagnoseAfresh({ ...parts, whitelist, stored }, question),
    refresh: (name) => refreshForOperator({ ...keys, ownName }, name),
    deleteRecords: (names, deletion) => deleteKeyRecords({ database, listener, forget }, names, deletion),
  };
}

/** Builds what operators see and do about previews and media. */
function createPreviewAdmin(parts: ContextParts, made: OperatorNeighbours): PreviewAdminServices {
  const { config, clock, database, dialect } = parts;
  const { previewer, jobs, instances } = made;
  const { forgetting, media: storedMedia } = made.previews;
  const { runner } = jobs;
  const previewRecords = new PreviewRecords(database);
  const mediaRecords = new MediaRecords(database);
  const mediaRemoval = storedMedia.removal;
  const previewRemoval = new PreviewRemoval({ database, media: mediaRemoval, forgetting });
  const stored = {
    previews: createPreviewList(database, previewRecords, clock),
    previewRecords,
    media: createMediaList(database, mediaRecords),
    mediaRecords,
    mediaRemoval,
    previewRemoval,
  };
  const removal = { records: previewRecords, removal: previewRemoval };
  const replacement = new PreviewReplacement({ ...parts, ...removal, previewer, runner });
  const scheme = config.media_scheme ?? dialect.mediaScheme;
  return {
    ...stored,
    deletePreviews: (options) => previewDeletion({ ...stored, runner }, options),
    deleteMedia: mediaDeletion({ ...stored, runner }),
    deletesTs: (createdTs) => createdTs + config.previews.media_retention,
    viewPath: (mediaId) => `${config.admin.base_path}/api/media/${mediaId}`,
    contentUri: (mediaId) => contentUri(scheme, config.server_name, mediaId),
    forgetting,
    replacement,
    trial: new PreviewTrial({ previewer, replacement, clock }),
    instance: instances.instance,
  };
}
