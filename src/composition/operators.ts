import { homeserverUrlOf } from '../config/homeserver-url.js';
import type { RunningSettings } from '../config/running-settings.js';
import type { JobServices } from '../core/job-runner/job-registry.js';
import { findHealth } from '../core/notary/keys/fetch-store.js';
import { SigningKeyStore } from '../core/notary/own-keys/signing-key-store.js';
import type { StoredServer } from '../core/operators/diagnosis/diagnose-server.js';
import { deleteKeyRecords } from '../core/operators/keys/key-records.js';
import { refreshForOperator } from '../core/operators/keys/operator-refresh.js';
import { KeyRotation } from '../core/operators/own-keys/key-rotation.js';
import { listOwnSigningKeys } from '../core/operators/own-keys/own-signing-keys.js';
import type {
  KeyAdminServices,
  OperatorServices,
  PreviewAdminServices,
} from '../core/operators/operator-services.js';
import { configurationCheck } from '../core/operators/health/checks/state.js';
import type { Health } from '../core/operators/health/health.js';
import { isAlive, type InstanceInfo } from '../core/operators/overview/instance-store.js';
import type { Overview } from '../core/operators/overview/overview.js';
import {
  DELETE_MEDIA,
  DELETE_PREVIEWS,
  deleteMedia,
  deletePreviews,
  PreviewRemoval,
} from '../core/operators/previews/deletions.js';
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
    privacy: access.privacy,
    blocking: rules,
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
  const { previewer, jobs } = made;
  const { forgetting, media } = made.previews;
  const { runner } = jobs;
  const mediaRemoval = media.removal;
  const previewRemoval = new PreviewRemoval({ database, media: mediaRemoval, forgetting });
  const deleting = { database, clock, mediaRemoval, previewRemoval, runner };
  const replacement = new PreviewReplacement({ ...parts, removal: previewRemoval, previewer, runner });
  const scheme = config.media_scheme ?? dialect.mediaScheme;
  return {
    deletePreviews: (request) => deletePreviews(deleting, request),
    deleteMedia: (request) => deleteMedia(deleting, request),
    deletesTs: (createdTs) => createdTs + config.previews.media_retention,
    viewPath: (mediaId) => `${config.admin.base_path}/api/media/${mediaId}`,
    contentUri: (mediaId) => contentUri(scheme, config.server_name, mediaId),
    forgetting,
    replacement,
    trial: new PreviewTrial({ previewer, replacement, clock }),
  };
}
