import { homeserverUrlOf } from '../../config/homeserver-url.js';
import { TRIAL_SERVER_NAME } from '../../config/load-config.js';
import type { Config } from '../../config/schema.js';
import type { Clock } from '../../core/base/clock.js';
import { findServerName, keepServerName } from '../../core/store/database-identity.js';
import type { Database } from '../../core/store/db.js';
import { identityErrors, type KnownIdentity } from '../../core/notary/own-keys/identity.js';
import { resolveOwnKeys } from '../../core/notary/own-keys/own-key-states.js';
import {
  checkSharedName,
  NOT_SHARED,
  type SharedNameAnswer,
} from '../../core/notary/own-keys/shared-name.js';
import { SigningKeyStore } from '../../core/notary/own-keys/signing-key-store.js';
import { configuredOldKeys, type OwnSigningKeys } from './own-signing-keys.js';
import type { StartProblem } from './start-problem.js';

/** What the checks of name and keys look at. */
export interface IdentitySources {
  /** `null`: there is none yet, or it cannot be asked. */
  database: Database | null;
  /** Set while migrations are pending, so that the name it keeps cannot be read. */
  isBehind?: boolean;
  clock: Clock;
  /** `null`: the file of `signing_key_path` is still to be made. */
  keys: OwnSigningKeys | null;
}

/**
 * What speaks against serving under this name with these keys over this store and beside this homeserver, as the start
 * and `config check` ask it. Changes nothing. Rejects when the store cannot be reached.
 */
export async function checkIdentity(config: Config, sources: IdentitySources): Promise<StartProblem[]> {
  const stored = await checkStoredIdentity(config, sources);
  return [...stored, ...homeserverProblems(await askHomeserver(config, sources.keys))];
}

/** The same without the homeserver. */
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

/** Asks the homeserver beside us whether it has our name and other keys. Never rejects. */
export async function askHomeserver(config: Config, keys: OwnSigningKeys | null): Promise<SharedNameAnswer> {
  const homeserverUrl = homeserverUrlOf(config);
  const activeKeys = keys?.active ?? null;
  if (homeserverUrl === null || activeKeys?.length === 0) return NOT_SHARED;
  return checkSharedName({ homeserverUrl, serverName: config.server_name, activeKeys });
}

/** A homeserver that is away does not keep us down: our own record is withheld until it has told. */
export function homeserverProblems({ error, silence, mayTell }: SharedNameAnswer): StartProblem[] {
  if (error !== null) return [{ setting: 'signing_key_path', message: error, isError: true }];
  if (silence === null) return [];
  const message =
    `The homeserver did not say whether it publishes keys under our name: ${silence}. ` +
    (mayTell
      ? 'Our own key record is withheld until it does, unless it was published before'
      : 'See to it that no other server is called by our server_name');
  return [{ setting: 'auth.homeserver_url', message, isError: false }];
}
