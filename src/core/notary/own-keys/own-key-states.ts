import type { RetiredKey } from '../key-record/record-signing.js';
import type { SigningKeyRow } from './signing-key-store.js';

/** What the key file, the configuration and the store say about our keys. */
export interface OwnKeySources {
  /** Keys of the key file. */
  active: readonly { keyId: string; publicKey: string }[];
  /** Setting old_signing_keys. */
  configuredOld: readonly RetiredKey[];
  stored: readonly SigningKeyRow[];
}

/** The states that follow, and what an operator should hear about. */
export interface OwnKeyStates {
  retired: RetiredKey[];
  /** Rows that are new or changed. */
  changed: SigningKeyRow[];
  notes: string[];
  /** Contradictions that must stop the start. */
  errors: string[];
}

/**
 * Decides which of our keys are active and which are retired.
 * A key that left the key file retires when that is noticed, unless old_signing_keys names the true time.
 */
export function resolveOwnKeys(sources: OwnKeySources, nowTs: number): OwnKeyStates {
  const states: OwnKeyStates = { retired: [], changed: [], notes: [], errors: [] };
  const stored = new Map(sources.stored.map((row) => [row.keyId, row]));
  const active = new Map(sources.active.map((key) => [key.keyId, key]));
  for (const key of sources.active) resolveActive(key, stored.get(key.keyId), { states, nowTs });

  for (const old of sources.configuredOld) {
    if (active.has(old.keyId)) {
      states.errors.push(`${old.keyId} is both in the signing key file and in old_signing_keys`);
      continue;
    }
    states.retired.push(old);
    const row = stored.get(old.keyId);
    if (row?.state === 'retired' && row.retiredTs === old.expiredTs) continue;
    states.changed.push({
      keyId: old.keyId,
      publicKey: old.publicKey,
      state: 'retired',
      retiredTs: old.expiredTs,
      firstSeenTs: row?.firstSeenTs ?? nowTs,
    });
  }

  const configured = new Set(sources.configuredOld.map((old) => old.keyId));
  for (const row of sources.stored) {
    if (active.has(row.keyId) || configured.has(row.keyId)) continue;
    const expiredTs = row.retiredTs ?? nowTs;
    states.retired.push({ keyId: row.keyId, publicKey: row.publicKey, expiredTs });
    if (row.state === 'retired') continue;
    states.changed.push({ ...row, state: 'retired', retiredTs: expiredTs });
    states.notes.push(`signing key ${row.keyId} is no longer in the key file and is retired as of now`);
  }
  return states;
}

function resolveActive(
  key: { keyId: string; publicKey: string },
  row: SigningKeyRow | undefined,
  at: { states: OwnKeyStates; nowTs: number },
): void {
  const { states, nowTs } = at;
  if (row !== undefined && row.publicKey !== key.publicKey) {
    states.errors.push(`${key.keyId} is a different key than before; give a new key a new version`);
    return;
  }
  if (row?.state === 'active') return;
  if (row !== undefined) states.notes.push(`signing key ${key.keyId} was retired and is active again`);
  const { keyId, publicKey } = key;
  states.changed.push({
    keyId,
    publicKey,
    state: 'active',
    firstSeenTs: row?.firstSeenTs ?? nowTs,
    retiredTs: null,
  });
}

/** Who the configuration says we are. */
export interface Identity {
  serverName: string;
  /** The name of a trial, which a name of one's own follows. */
  trialName: string;
  /** The signing key file when it is missing, so that a key would be made. */
  missingKeyFile: string | null;
}

/** What the database knows of us. */
export interface KnownIdentity {
  /** The name that the database keeps; of one from before that, those under which a record of ours was published. */
  names: readonly string[];
  keys: readonly SigningKeyRow[];
}

/** A contradiction between the configuration and what the database knows; `message` says the way out. */
export interface IdentityError {
  setting: 'server_name' | 'signing_key_path';
  message: string;
}

/** An identity must not be made by accident: peers know a server by its name and keys. */
export function identityErrors(
  { names, keys }: KnownIdentity,
  { serverName, trialName, missingKeyFile }: Identity,
): IdentityError[] {
  const errors: IdentityError[] = [];
  const [former] = names.filter((name) => name !== trialName);
  if (former !== undefined && !names.includes(serverName)) {
    const message =
      `The database belongs to the server ${former}, but server_name is ${serverName}: peers would take our keys ` +
      `for those of another server, and stored media has the old name. Set server_name to ${former}. To start over ` +
      'under a new name, set another database, media_store_path and log.key_path';
    errors.push({ setting: 'server_name', message });
  }
  if (missingKeyFile === null) return errors;
  const known = keys.filter(({ state }) => state === 'active').map(({ keyId }) => keyId);
  if (known.length === 0) return errors;
  const message =
    `Signing key file ${missingKeyFile} does not exist, but the database knows ${known.join(', ')}, by which peers ` +
    'know this server. Restore the file from a backup, or correct signing_key_path. If the key is lost for good, ' +
    'create another one with "vidimus keys generate"; the lost one is then published as retired';
  errors.push({ setting: 'signing_key_path', message });
  return errors;
}
