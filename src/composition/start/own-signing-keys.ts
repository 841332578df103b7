import { dirname } from 'node:path';

import type { Config } from '../../config/schema.js';
import { ApiError } from '../../core/base/errors/api-error.js';
import type { RetiredKey } from '../../core/notary/key-record/record-signing.js';
import type { Logger } from '../../core/base/logger.js';
import { makeFolders } from '../../core/base/make-folders.js';
import { selfTestSigningKeys, type SigningKey } from '../../core/notary/signing/signer.js';
import { createSigningKeyFile, loadSigningKeys } from '../../core/notary/signing/signing-key-file.js';
import { refuseErrors, type StartProblem, whyFileCannotBeMade } from './start-problem.js';

/** The keys we sign with, as read from their files. */
export interface OwnSigningKeys {
  /** Listed in our own record, which they sign. None: somebody else publishes the record of our name. */
  active: readonly SigningKey[];
  /** Sign answers about other servers; some of the active ones when there are any. */
  notary: readonly SigningKey[];
}

/** `keys` is null when there are errors, and when the file of `signing_key_path` is still to be made. */
export interface ReadKeyFiles {
  keys: OwnSigningKeys | null;
  problems: StartProblem[];
}

/** Reads the key files and says everything that is wrong with them; makes nothing. */
export async function readKeyFiles(config: Config): Promise<ReadKeyFiles> {
  const problems: StartProblem[] = [];
  const active = await readFileOf(config, 'signing_key_path', problems);
  const notary = await readFileOf(config, 'key_server_signing_keys_path', problems);
  if (active === null || notary === null) return { keys: null, problems };
  const keys = { active, notary: notary.length === 0 ? active : notary };
  problems.push(...unlistedKeys(keys), ...failedSelfTest(keys));
  return { keys: problems.some(({ isError }) => isError) ? null : keys, problems };
}

/**
 * As `readKeyFiles`, for the start: rejects with everything that is wrong, and logs what is odd. `null`: the file is
 * made once the store is open and knows no key of ours.
 */
export async function requireKeyFiles(config: Config, logger: Logger): Promise<OwnSigningKeys | null> {
  const { keys, problems } = await readKeyFiles(config);
  refuseErrors(problems, logger);
  return keys;
}

/** Makes the first key, in a file that must not be there yet. Rejects with a sentence for operators. */
export async function makeFirstKey(path: string, logger: Logger): Promise<OwnSigningKeys> {
  makeFolders(dirname(path), 0o700);
  const key = await createSigningKeyFile(path);
  logger.info({ path, key_id: key.keyId }, 'made a signing key; back it up');
  return { active: [key], notary: [key] };
}

/** Setting old_signing_keys. */
export function configuredOldKeys({ old_signing_keys: old }: Config): RetiredKey[] {
  return [...old].map(([keyId, { key, expired_ts: expiredTs }]) => ({ keyId, publicKey: key, expiredTs }));
}

/** No keys when the setting is unset; `null` when they cannot be read. Only `signing_key_path` may be missing: a first start makes it. */
async function readFileOf(
  config: Config,
  setting: 'signing_key_path' | 'key_server_signing_keys_path',
  problems: StartProblem[],
): Promise<SigningKey[] | null> {
  const path = config[setting];
  if (path === null) return [];
  const remark = (message: string) => void problems.push({ setting, message, isError: false });
  try {
    return await loadSigningKeys(path, remark);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isToBeMade = error.reason === 'signing_key_file_missing' && setting === 'signing_key_path';
    const message = isToBeMade ? await whyNotMade(config, path) : error.message;
    if (message !== null) problems.push({ setting, message, isError: true });
    return null;
  }
}

/** A key that is made at the start cannot be one that signs already, and needs a place. */
async function whyNotMade(config: Config, path: string): Promise<string | null> {
  return config.key_server_signing_keys_path === null
    ? whyFileCannotBeMade('Signing key file', path)
    : `Signing key file ${path} does not exist, and beside key_server_signing_keys_path none is made`;
}

/** A key that signs our answers and is not in our record is the sign of a name that somebody else publishes, too. */
function unlistedKeys({ active, notary }: OwnSigningKeys): StartProblem[] {
  if (active.length === 0) return [];
  const listed = new Set(active.map(({ keyId, publicKeyBase64 }) => `${keyId} ${publicKeyBase64}`));
  const unlisted = notary.filter(({ keyId, publicKeyBase64 }) => !listed.has(`${keyId} ${publicKeyBase64}`));
  if (unlisted.length === 0) return [];
  const message =
    `key_server_signing_keys_path holds ${unlisted.map(({ keyId }) => keyId).join(', ')}, which signing_key_path does ` +
    'not: with it we would vouch for the keys of signing_key_path. When a homeserver has our server_name, remove ' +
    'signing_key_path, and the record is fetched from the homeserver. When the name is ours alone, put the key into ' +
    'the file of signing_key_path too';
  return [{ setting: 'key_server_signing_keys_path', message, isError: true }];
}

function failedSelfTest({ active, notary }: OwnSigningKeys): StartProblem[] {
  try {
    selfTestSigningKeys([...new Set([...active, ...notary])]);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [{ setting: 'signing_key_path', message: error.message, isError: true }];
  }
}
