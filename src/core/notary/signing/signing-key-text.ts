import { Buffer } from 'node:buffer';
import { ApiError } from '../../base/errors/api-error.js';
import { decodeBase64, encodeBase64 } from './base64.js';
import { SigningKey } from './signer.js';

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
      throw keyFileError(where, `version ${version} is used already in line ${earlier}`);
    }
    lineOfVersion.set(version, index + 1);
    keys.push(new SigningKey(version, seed));
  }
  if (keys.length === 0) throw keyFileError(source, 'no signing key in it');
  return keys;
}

/** One line of the text form, with its line feed. */
export function formatSigningKey(version: string, seed: Uint8Array): string {
  if (!isKeyVersion(version)) throw versionError('new signing key', version);
  return `ed25519 ${version} ${encodeBase64(seed)}\n`;
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
  if (seed === null) throw keyFileError(where, 'found a seed that is no Base64');
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
