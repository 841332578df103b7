import {
  createTestAuthority,
  startRemoteServer,
  type RemoteServer,
} from '../../support/origins/remote-server.js';
import { startTestService, type TestService } from '../../support/service.js';
import { OperationRunner, type OperationResult } from '../run-operation.js';

export const HOUR_MS = 3_600_000;

export const SERVER = `query Server($name: String!) { server(name: $name) { id
  id name federationAllowed worstState keyCount failCount failureCause addedAt validUntil refetchAfter backoffUntil
  records {
    id keyId kind key state validUntilMs expiredAt published
    signatures { signer keyId valid message } }
  lastFetch { id outcome message cause steps { name title status advice startedAtMs durationMs } }
  fetches(first: 1) { nodes { outcome } pageInfo { hasNextPage endCursor } totalCount }
  events { nodes { kind severity message keyId } } } }`;
export const DIAGNOSE = `mutation Diagnose($name: String!, $keyId: String) {
  diagnoseServer(serverName: $name, keyId: $keyId) {
    userErrors { code }
    serverName ok published resolvedTo checkedAt steps { name status message advice detail } } }`;
export const REFRESH = `mutation Refresh($serverName: String!) { refreshServerKeys(serverName: $serverName) {
  userErrors { code message field } server { name keyCount worstState failCount } fetch { outcome cause } } }`;
export const DELETE = `mutation Delete($ids: [ID!]!) { deleteKeyRecords(ids: $ids) {
  userErrors { code field } matched deleted freedBytes } }`;

/** A service with one remote server that it can ask. */
export interface KeysKit {
  service: TestService;
  remote: RemoteServer;
  runner: OperationRunner;
  /** The server as the page of a server asks for it. */
  serverOf(name: string): Promise<OperationResult['data']>;
  /** Starts the service again with changed settings. */
  restart(settings: Record<string, unknown>): Promise<void>;
  remove(): Promise<void>;
}

/** Starts both; the record of the remote server is valid for ten hours. */
export async function startKeysKit(): Promise<KeysKit> {
  const authority = await createTestAuthority();
  const service = await startTestService({ caPaths: [authority.caPath] });
  const validUntilTs = service.clock.now() + 10 * HOUR_MS;
  const remote = await startRemoteServer(authority, { validUntilTs });
  const kit: KeysKit = {
    service,
    remote,
    runner: new OperationRunner(service.context.services.operators),
    serverOf: async (name) => (await kit.runner.run(SERVER, { name })).data.server,
    restart: async (settings) => {
      kit.service = await kit.service.restart(settings);
      kit.runner = new OperationRunner(kit.service.context.services.operators);
    },
    remove: async () => {
      await kit.service.remove();
      await remote.origin.close();
      await authority.remove();
    },
  };
  return kit;
}
