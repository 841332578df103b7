import { Buffer } from 'node:buffer';
import { randomBytes, randomInt } from 'node:crypto';
import { realpath } from 'node:fs/promises';

import { ApiError } from '../../base/errors/api-error.js';
import { createSecretFile, readSecretFile, replaceSecretFile } from './secret-file.js';
import { decodeBase64, encodeBase64, selfTestSigningKeys, SigningKey } from './signer.js';

const WANTED = 'wanted: ed25519 VERSION SEED (32 bytes in Base64)';
const VERSION = /^[A-Za-z0-9_]+$/;
const MAX_VERSION_LENGTH = 64;

/** True for what may follow `ed25519:` in a key ID of ours (Matrix spec, appendix "Key identifiers"). */
export function isKeyVersion(text: string): boolean {
  return text.length <= MAX_VERSION_LENGTH && VERSION.test(text);
}

/**
 * Reads the common text form of signing keys: one `ed25519 VERSION BASE64SEED` per line, blank lines and lines
 * that start with `#` aside. Throws `ApiError` 500 with the line number, what was found and the wanted form
 * (never the seed) for a faulty line, a version used twice and a text without keys.
 */
export function parseSigningKeys(text: string, source: string): SigningKey[] {
  const lineOfVersion = new Map<string, number>();
  const keys: SigningKey[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const where = `${source}, line ${index + 1}`;
    const { version, seed } = parseLine(line, where);
    const earlier = lineOfVersion.get(version);
    if (earlier !== undefined) {
      throw keyFileError(where, `version ${version} is already used in line ${earlier}`);
    }
    lineOfVersion.set(version, index + 1);
    keys.push(new SigningKey(version, seed));
  }
  if (keys.length === 0) throw keyFileError(source, 'contains no signing key');
  return keys;
}

function parseLine(line: string, where: string): { version: string; seed: Buffer } {
  const [algorithm = '', version = '', encoded = '', ...rest] = line.split(/[ \t]+/);
  if (encoded === '' || rest.length > 0) {
    throw keyFileError(where, `found ${encoded === '' ? 'less' : 'more'} than three words`);
  }
  if (algorithm !== 'ed25519') {
    throw keyFileError(where, `found the algorithm ${JSON.stringify(algorithm.slice(0, 32))}`);
  }
  if (!isKeyVersion(version)) throw versionError(where, version);
  const seed = decodeBase64(encoded);
  if (seed === null) throw keyFileError(where, 'found a seed that is not Base64');
  if (seed.length !== 32) throw keyFileError(where, `found a seed of ${seed.length} bytes`);
  return { version, seed };
}

function versionError(where: string, version: string): ApiError {
  return keyFileError(
    where,
    `found the version ${JSON.stringify(version.slice(0, 32))} (letters, digits and _ only, at most ${MAX_VERSION_LENGTH})`,
  );
}

function keyFileError(where: string, found: string): ApiError {
  return new ApiError(500, `Signing keys, ${where}: ${found}; ${WANTED}`, {
    reason: 'signing_key_file_syntax',
  });
}

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

/** A new key, with its line of the text form. */
function makeKey(version: string): { key: SigningKey; line: string } {
  if (!isKeyVersion(version)) throw versionError('new signing key', version);
  const seed = randomBytes(32);
  const key = new SigningKey(version, seed);
  selfTestSigningKeys([key]);
  return { line: `ed25519 ${version} ${encodeBase64(seed)}\n`, key };
}

function randomVersion(): string {
  let version = 'a_';
  for (let i = 0; i < 5; i++) version += LETTERS.charAt(randomInt(LETTERS.length));
  return version;
}
