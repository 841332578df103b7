import type { Config } from '../config/schema.js';
import type { ContextParts } from './context.js';
import type { Database } from '../core/store/db.js';
import type { RecordList } from '../core/store/lists/record-list.js';
import { diagnoseServer } from '../core/operators/diagnosis/diagnose-server.js';
import type {
  DiagnosisQuestion,
  ServerDiagnosis,
  StoredServer,
} from '../core/operators/diagnosis/diagnose-server.js';
import type { FederationWhitelist } from '../core/notary/federation/federation-whitelist.js';
import { deleteKeyRecords } from '../core/operators/keys/delete-records.js';
import type { DeletedRecords, Deletion } from '../core/operators/keys/delete-records.js';
import { createEventList } from '../core/operators/keys/event-history.js';
import type { EventRow } from '../core/operators/keys/event-history.js';
import { createFetchList } from '../core/operators/keys/fetch-history.js';
import type { FetchFilter, FetchRow } from '../core/operators/keys/fetch-history.js';
import { refreshForOperator } from '../core/operators/keys/operator-refresh.js';
import { listOwnSigningKeys } from '../core/operators/keys/own-signing-keys.js';
import type { OwnSigningKey } from '../core/operators/keys/own-signing-keys.js';
import type { OwnSigner } from '../core/operators/keys/record-view.js';
import { createServerList } from '../core/operators/keys/server-list.js';
import type { ServerListing } from '../core/operators/keys/server-list.js';
import type { ServerRow } from '../core/operators/keys/server-row.js';
import { FetchStore } from '../core/notary/keys/fetch-store.js';
import type { RefreshOutcome } from '../core/notary/keys/key-refresher.js';
import { SigningKeyStore } from '../core/notary/keys/signing-key-store.js';
import { createFederationClient, createKeyFetcher } from './key-fetch-services.js';
import type { FetchParts } from './key-fetch-services.js';
import { createResolver } from './name-services.js';
import type { KeyServices } from './key-services.js';

/** What operators see and do about keys, alive while the store is open. */
export interface KeyAdminServices {
  servers: RecordList<ServerListing, string, ServerRow>;
  /** Of one server each, by its name. */
  fetches: RecordList<FetchFilter, number, FetchRow>;
  events: RecordList<string, number, EventRow>;
  whitelist: FederationWhitelist;
  /** Who signs what peers get. */
  own: OwnSigner;
  signingKeys(): Promise<OwnSigningKey[]>;
  diagnose(question: DiagnosisQuestion): Promise<ServerDiagnosis>;
  /** As `refreshForOperator`. */
  refresh(serverName: string): Promise<RefreshOutcome>;
  deleteRecords(recordIds: readonly number[], deletion: Deletion): Promise<DeletedRecords>;
}

/** Builds it over an open and migrated store. */
export function createKeyAdminServices(
  config: Config,
  parts: ContextParts,
  keys: KeyServices,
): KeyAdminServices {
  const { database, clock, signingKeys } = parts;
  const { whitelist, refresher, cache, forgetPlace } = keys;
  const own = { serverName: config.server_name, keys: signingKeys.notary };
  const store = new SigningKeyStore(database);
  const startedTs = clock.now();
  const stored = storedServer(database);
  return {
    servers: createServerList(database),
    fetches: createFetchList(database),
    events: createEventList(database),
    whitelist,
    own,
    signingKeys: () =>
      listOwnSigningKeys({ serverName: own.serverName, store, notaryKeys: own.keys, startedTs }),
    diagnose: (question) => diagnoseAfresh(config, { ...parts, whitelist, stored }, question),
    refresh: (serverName) =>
      refreshForOperator({ refresher, whitelist, ownName: own.serverName, forgetPlace }, serverName),
    deleteRecords: (recordIds, deletion) =>
      deleteKeyRecords(
        { database, invalidate: (serverName) => cache.invalidate(serverName) },
        recordIds,
        deletion,
      ),
  };
}

/** Diagnoses with a client and a resolver of its own, which remember nothing from earlier. */
export async function diagnoseAfresh(
  config: Config,
  parts: FetchParts & { whitelist: FederationWhitelist; stored: StoredServer | null },
  question: DiagnosisQuestion,
): Promise<ServerDiagnosis> {
  const { clock, whitelist, stored } = parts;
  const resolver = createResolver(config, parts);
  const client = createFederationClient(config, { ...parts, resolver });
  const monotonicNowMs = () => performance.now();
  try {
    const fetcher = createKeyFetcher(config, client);
    return await diagnoseServer({ fetcher, whitelist, clock, monotonicNowMs, stored }, question);
  } finally {
    client.close();
  }
}

function storedServer(database: Database): StoredServer {
  const fetchStore = new FetchStore(database);
  return {
    findHealth: async (serverName) => (await fetchStore.findHealth([serverName])).get(serverName) ?? null,
    findKeys: (serverName) => database.client.verifyKey.findMany({ where: { serverName } }),
  };
}
