import { randomBytes, randomInt } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { ApiError } from '../../base/errors/api-error.js';
import { createSecretFile, readSecretFile, replaceSecretFile } from './secret-file.js';
import { selfTestSigningKeys, SigningKey } from './signer.js';
import { formatSigningKey, parseSigningKeys } from './signing-key-text.js';

const TITLE = 'Signing key file';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Loads all signing keys of a file, in the order they stand in it. Throws as `readSecretFile`, and `ApiError` 500 for
 * a faulty text.
 */
export async function loadSigningKeys(
  path: string,
  remark: (message: string) => void = () => undefined,
): Promise<SigningKey[]> {
  return parseSigningKeys(await readSecretFile({ path, title: TITLE }, remark), path);
}

/**
 * Makes a new key (seed from node:crypto) and writes it to a new file. The version is `a_` and five letters unless
 * given. Throws as `createSecretFile`.
 */
export async function createSigningKeyFile(path: string, version = randomVersion()): Promise<SigningKey> {
  const { key, line } = makeKey(version);
  await createSecretFile({ path, title: TITLE }, line);
  return key;
}

/**
 * Adds a new key behind the keys of a file; what stands in it stays as it is. Throws as `replaceSecretFile`, and
 * `ApiError` 500 when the file is unfit or the version is in it already.
 */
export async function appendSigningKey(path: string, version = randomVersion()): Promise<SigningKey> {
  const text = await readSecretFile({ path, title: TITLE });
  const { key, line } = makeKey(version);
  if (parseSigningKeys(text, path).some((other) => other.version === version)) {
    const message = `Signing key file ${path} has a key of version ${version} already`;
    throw new ApiError(500, message, { reason: 'signing_key_version_taken' });
  }
  const separator = text === '' || text.endsWith('\n') ? '' : '\n';
  await replaceSecretFile({ path, title: TITLE }, text + separator + line);
  return key;
}

/**
 * Takes a key out of a file into a new one beside it, whose path is returned: no key is ever destroyed. The new file is
 * there first; one of an earlier try with the same line will do. Throws as `replaceSecretFile`, and `ApiError` 500 when
 * the key is not in the file or the only one.
 */
export async function setSigningKeyAside(path: string, keyId: string): Promise<string> {
  const text = await readSecretFile({ path, title: TITLE });
  const keys = parseSigningKeys(text, path);
  const key = keys.find((one) => one.keyId === keyId);
  if (key === undefined || keys.length === 1) {
    const what = key === undefined ? `has no key ${keyId}` : `has no other key than ${keyId}`;
    throw new ApiError(500, `Signing key file ${path} ${what}`, { reason: 'signing_key_needed' });
  }
  const lines = text.split('\n');
  const own = lines.filter((line) => isLineOf(line, key.version)).join('\n');
  const aside = `${await realpath(path)}.retired-${key.version}`;
  await createSecretFile({ path: aside, title: TITLE }, `${own}\n`).catch(async (error: unknown) => {
    if (!(error instanceof ApiError) || error.reason !== 'signing_key_file_exists') throw error;
    if ((await readSecretFile({ path: aside, title: TITLE })) !== `${own}\n`) throw error;
  });
  const rest = lines.filter((line) => !isLineOf(line, key.version)).join('\n');
  await replaceSecretFile({ path, title: TITLE }, rest);
  return aside;
}

function isLineOf(line: string, version: string): boolean {
  return line.trim().split(/[ \t]+/, 2)[1] === version && !line.trim().startsWith('#');
}

function makeKey(version: string): { key: SigningKey; line: string } {
  const seed = randomBytes(32);
  const line = formatSigningKey(version, seed);
  const key = new SigningKey(version, seed);
  selfTestSigningKeys([key]);
  return { line, key };
}

function randomVersion(): string {
  let version = 'a_';
  for (let i = 0; i < 5; i++) version += LETTERS.charAt(randomInt(LETTERS.length));
  return version;
}
