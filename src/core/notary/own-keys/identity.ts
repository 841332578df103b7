import type { SigningKeyRow } from './signing-key-store.js';

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
      `The database belongs to the server ${former}, and server_name is ${serverName} now: peers would take our keys ` +
      `for those of another server, and stored media has the other name. Set server_name to ${former}. To begin anew ` +
      'under another name, name another database, media_store_path and log.key_path';
    errors.push({ setting: 'server_name', message });
  }
  if (missingKeyFile === null) return errors;
  const known = keys.filter(({ state }) => state === 'active').map(({ keyId }) => keyId);
  if (known.length === 0) return errors;
  const message =
    `Signing key file ${missingKeyFile} does not exist, but the database knows ${known.join(', ')}, by which peers ` +
    'know this server. Put the file back from its backup, or correct signing_key_path. If the key is lost for good, ' +
    'make another one with "vidimus keys generate"; the lost one is then published as retired';
  errors.push({ setting: 'signing_key_path', message });
  return errors;
}
