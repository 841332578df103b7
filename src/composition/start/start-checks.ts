import { homeserverUrlOf, lacksHomeserver } from '../../config/homeserver-url.js';
import { TRIAL_SERVER_NAME } from '../../config/load-config.js';
import type { Config } from '../../config/schema.js';
import type { Clock } from '../../core/base/clock.js';
import type { AcceptedRecord } from '../../core/notary/key-record/key-record.js';
import { identityErrors, resolveOwnKeys } from '../../core/notary/own-keys/own-key-states.js';
import {
  checkFoundName,
  checkSharedName,
  NOT_SHARED,
  type SharedNameAnswer,
} from '../../core/notary/own-keys/own-name.js';
import { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import { findServerName, keepServerName } from '../../core/store/database-identity.js';
import type { Database } from '../../core/store/db.js';
import { configuredOldKeys, type OwnSigningKeys, type StartProblem } from './key-files.js';

/** `keys` is null while the file of `signing_key_path` is still to be made. */
interface IdentitySources {
  database: Database;
  clock: Clock;
  keys: OwnSigningKeys | null;
}

/** What the store says against serving under this name with these keys. Changes nothing. */
export async function checkStoredIdentity(
  config: Config,
  { database, clock, keys }: IdentitySources,
): Promise<StartProblem[]> {
  const store = new SigningKeyStore(database);
  const kept = await findServerName(database);
  const known = { names: kept === null ? await store.ownNames() : [kept], keys: await store.list() };
  const identity = {
    serverName: config.server_name,
    trialName: TRIAL_SERVER_NAME,
    missingKeyFile: keys === null ? config.signing_key_path : null,
  };
  const active = (keys?.active ?? []).map((key) => ({ keyId: key.keyId, publicKey: key.publicKeyBase64 }));
  const states = { active, configuredOld: configuredOldKeys(config), stored: known.keys };
  const contradictions = resolveOwnKeys(states, clock.now()).errors;
  return [
    ...identityErrors(known, identity).map((error) => ({ ...error, isError: true })),
    ...contradictions.map((message) => ({ setting: 'signing_key_path', message, isError: true })),
  ];
}

/** Keeps the name of a server that has started, but for that of a trial, which another may follow. */
export async function keepName({ server_name: name }: Config, database: Database): Promise<void> {
  if (name !== TRIAL_SERVER_NAME) await keepServerName(database, name);
}

/** How the record of our name is fetched, as peers do. */
export interface NameSources extends Pick<IdentitySources, 'keys'> {
  database: Database | null;
  fetchOwnRecord: (signal: AbortSignal) => Promise<AcceptedRecord>;
}

/**
 * Asks who may have our name whether it publishes other keys under it: the homeserver beside us, or where none is named
 * in the dialect of homeservers whoever is found by the name, unless a record of ours was published under it before.
 * Never rejects but for the store.
 */
export async function askWhose(
  config: Config,
  { database, keys, fetchOwnRecord }: NameSources,
  outer?: AbortSignal,
): Promise<SharedNameAnswer> {
  const { server_name: serverName } = config;
  const homeserverUrl = homeserverUrlOf(config);
  const activeKeys = keys?.active ?? null;
  if (activeKeys?.length === 0) return NOT_SHARED;
  if (homeserverUrl !== null) return checkSharedName({ homeserverUrl, serverName, activeKeys });
  if (!lacksHomeserver(config) || serverName === TRIAL_SERVER_NAME) return NOT_SHARED;
  const signedTs = database === null ? null : await new SigningKeyStore(database).signedTs(serverName);
  if (signedTs !== null) return NOT_SHARED;
  const signal = outer ?? new AbortController().signal;
  return checkFoundName({ serverName, activeKeys }, () => fetchOwnRecord(signal));
}

/** A silent server does not stop the start: our own record is withheld until it has answered. */
export function nameProblems({ error, silence, mayTell }: SharedNameAnswer): StartProblem[] {
  if (error !== null) return [{ setting: 'signing_key_path', message: error, isError: true }];
  if (silence === null) return [];
  const message = `${silence}. ${
    mayTell
      ? 'Our own key record is withheld until it does, unless it was published before'
      : 'Make sure that no other server uses our server_name'
  }`;
  return [{ setting: 'auth.homeserver_url', message, isError: false }];
}
