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

/**
 * Decides which of our keys are active and which are retired, and what an operator should hear about.
 * A key that left the key file retires when that is noticed, unless old_signing_keys names the true time.
 */
export function resolveOwnKeys({ active, configuredOld, stored }: OwnKeySources, nowTs: number) {
  const retired: RetiredKey[] = [];
  /** Rows that are new or changed. */
  const changed: SigningKeyRow[] = [];
  const notes: string[] = [];
  /** Contradictions that must stop the start. */
  const errors: string[] = [];
  const rows = new Map(stored.map((row) => [row.keyId, row]));
  const activeIds = new Set(active.map(({ keyId }) => keyId));
  for (const { keyId, publicKey } of active) {
    const row = rows.get(keyId);
    if (row !== undefined && row.publicKey !== publicKey)
      errors.push(`${keyId} is a different key than before; give a new key a new version`);
    else if (row?.state !== 'active') {
      if (row !== undefined) notes.push(`signing key ${keyId} was retired and is active again`);
      const firstSeenTs = row?.firstSeenTs ?? nowTs;
      changed.push({ keyId, publicKey, state: 'active', firstSeenTs, retiredTs: null });
    }
  }
  const configuredIds = new Set(configuredOld.map(({ keyId }) => keyId));
  const left = stored
    .filter(({ keyId }) => !activeIds.has(keyId) && !configuredIds.has(keyId))
    .map(({ keyId, publicKey, retiredTs }) => ({ keyId, publicKey, expiredTs: retiredTs ?? nowTs }));
  for (const old of [...configuredOld, ...left]) {
    const { keyId, publicKey, expiredTs: retiredTs } = old;
    if (activeIds.has(keyId)) {
      errors.push(`${keyId} is both in the signing key file and in old_signing_keys`);
      continue;
    }
    retired.push(old);
    const row = rows.get(keyId);
    if (row?.state === 'retired' && row.retiredTs === retiredTs) continue;
    changed.push({ keyId, publicKey, state: 'retired', retiredTs, firstSeenTs: row?.firstSeenTs ?? nowTs });
    if (!configuredIds.has(keyId))
      notes.push(`signing key ${keyId} is no longer in the key file and is retired as of now`);
  }
  return { retired, changed, notes, errors };
}

/** Who the configuration says we are. */
interface Identity {
  serverName: string;
  /** The name of a trial, which a name of one's own follows. */
  trialName: string;
  /** The signing key file when it is missing, so that a key would be made. */
  missingKeyFile: string | null;
}

/**
 * Contradictions between the configuration and what the database knows: the name that it keeps, or of one from before
 * that those under which a record of ours was published. An identity must not be made by accident: peers know a server
 * by its name and keys.
 */
export function identityErrors(
  { names, keys }: { names: readonly string[]; keys: readonly SigningKeyRow[] },
  { serverName, trialName, missingKeyFile }: Identity,
) {
  const errors: { setting: 'server_name' | 'signing_key_path'; message: string }[] = [];
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
