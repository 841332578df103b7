import { randomBytes, randomInt } from 'node:crypto';
import { createSecretFile, readSecretFile } from './secret-file.js';
import { SigningKey } from './signer.js';
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
  const seed = randomBytes(32);
  await createSecretFile({ path, title: TITLE }, formatSigningKey(version, seed));
  return new SigningKey(version, seed);
}

function randomVersion(): string {
  let version = 'a_';
  for (let i = 0; i < 5; i++) version += LETTERS.charAt(randomInt(LETTERS.length));
  return version;
}
