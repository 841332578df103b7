import { homeserverUrlOf, lacksHomeserver } from '../../config/homeserver-url.js';
import { TRIAL_SERVER_NAME } from '../../config/load-config.js';
import type { Config } from '../../config/schema.js';
import type { Clock } from '../../core/base/clock.js';
import { clockError, type KnownTimes } from '../../core/base/judged-clock.js';
import type { AcceptedRecord } from '../../core/notary/key-record/key-record.js';
import {
  identityErrors,
  type KnownIdentity,
  resolveOwnKeys,
} from '../../core/notary/own-keys/own-key-states.js';
import {
  checkFoundName,
  checkSharedName,
  NOT_SHARED,
  type SharedNameAnswer,
} from '../../core/notary/own-keys/own-name.js';
import { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import { findServerName, keepServerName } from '../../core/store/database-identity.js';
import type { Database } from '../../core/store/db.js';
import { programTs } from '../../core/store/migration/files.js';
import { configuredOldKeys, type OwnSigningKeys } from './own-signing-keys.js';
import type { StartProblem } from './start-problem.js';

/** What a clock is judged by; of the program alone without a database. */
export async function knownTimes(config: Config, database: Database | null): Promise<KnownTimes> {
  const signedTs =
    database === null ? null : await new SigningKeyStore(database).signedTs(config.server_name);
  return { programTs: programTs(config.database.engine), signedTs };
}

/** The same of the program alone while the store is away: the clock is judged then, too. */
export function timesKnownNow(config: Config, database: Database): Promise<KnownTimes> {
  return knownTimes(config, database).catch(() => knownTimes(config, null));
}

/** What the checks of name and keys look at. */
export interface IdentitySources {
  /** `null`: there is none yet, or it cannot be asked. */
  database: Database | null;
  /** Set where it cannot be asked. */
  isAway?: boolean;
  /** Set while migrations are pending, so that the name it keeps cannot be read. */
  isBehind?: boolean;
  clock: Clock;
  /** `null`: the file of `signing_key_path` is still to be made. */
  keys: OwnSigningKeys | null;
}

/** The same, and how the record of our name is fetched, as peers do. */
export interface NameSources extends IdentitySources {
  fetchOwnRecord: (signal: AbortSignal) => Promise<AcceptedRecord>;
}

/**
 * What speaks against serving under this name with these keys over this store, beside this homeserver and by this clock,
 * as the start and `config check` ask it. Changes nothing. Rejects when the store cannot be reached.
 */
export async function checkIdentity(config: Config, sources: NameSources): Promise<StartProblem[]> {
  const stored = await checkStoredIdentity(config, sources);
  const named = nameProblems(await askWhose(config, sources));
  // What is found by our name may be what we published ourselves.
  const isOpen = sources.isAway === true && homeserverUrlOf(config) === null;
  return [...stored, ...(await clockProblems(config, sources)), ...(isOpen ? named.map(undecided) : named)];
}

function undecided({ setting, message, isError }: StartProblem): StartProblem {
  const open =
    'Name and keys cannot be checked while the database is away. Unless it knows keys of ours by this name';
  return { setting, message: isError ? `${open}: ${message}` : message, isError: false };
}

/** What the store says alone. */
export async function checkStoredIdentity(config: Config, sources: IdentitySources): Promise<StartProblem[]> {
  const { clock, keys } = sources;
  const known = await findKnown(sources);
  const identity = {
    serverName: config.server_name,
    trialName: TRIAL_SERVER_NAME,
    missingKeyFile: keys === null ? config.signing_key_path : null,
  };
  const active = (keys?.active ?? []).map((key) => ({ keyId: key.keyId, publicKey: key.publicKeyBase64 }));
  const states = { active, configuredOld: configuredOldKeys(config), stored: known.keys };
  const errors = [
    ...identityErrors(known, identity),
    ...resolveOwnKeys(states, clock.now()).errors.map((message) => ({
      setting: 'signing_key_path',
      message,
    })),
  ];
  return errors.map((error) => ({ ...error, isError: true }));
}

async function findKnown({ database, isBehind }: IdentitySources): Promise<KnownIdentity> {
  if (database === null) return { names: [], keys: [] };
  const store = new SigningKeyStore(database);
  const kept = isBehind === true ? null : await findServerName(database);
  return { names: kept === null ? await store.ownNames() : [kept], keys: await store.list() };
}

/** Keeps the name of a server that has started, but for that of a trial, which another may follow. */
export async function keepName({ server_name: name }: Config, database: Database): Promise<void> {
  if (name !== TRIAL_SERVER_NAME) await keepServerName(database, name);
}

/**
 * Asks who may have our name whether it publishes other keys under it: the homeserver beside us, or where none is named
 * in the dialect of homeservers whoever is found by the name, unless a record of ours was published under it before.
 * Never rejects but for the store.
 */
export async function askWhose(
  config: Config,
  { database, keys, fetchOwnRecord }: Omit<NameSources, 'clock'>,
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

/** Who is silent does not keep us down: our own record is withheld until it has told. */
export function nameProblems({ error, silence, mayTell }: SharedNameAnswer): StartProblem[] {
  if (error !== null) return [{ setting: 'signing_key_path', message: error, isError: true }];
  if (silence === null) return [];
  const message = `${silence}. ${
    mayTell
      ? 'Our own key record is withheld until it does, unless it was published before'
      : 'See to it that no other server is called by our server_name'
  }`;
  return [{ setting: 'auth.homeserver_url', message, isError: false }];
}

/** A wrong clock does not keep us down either. */
async function clockProblems(config: Config, { database, clock }: IdentitySources): Promise<StartProblem[]> {
  const error = clockError(clock.now(), await knownTimes(config, database));
  if (error === null) return [];
  const message = `${error} Nothing is signed that states the time, our own key record above all, until it is right`;
  return [{ setting: 'signing_key_path', message, isError: false }];
}
