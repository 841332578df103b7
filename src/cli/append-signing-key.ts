import { chown, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { ApiError } from '../core/base/errors/api-error.js';
import type { SigningKey } from '../core/notary/signing/signer.js';
import { createSigningKeyFile, loadSigningKeys } from '../core/notary/signing/signing-key-file.js';

/**
 * Adds a new key behind the keys of a file. The file is replaced as a whole and keeps owner and mode 0600, so
 * that a crash leaves either the old or the new one. Throws `ApiError` when the file is unfit or the version is
 * in it already.
 */
export async function appendSigningKey(path: string, version: string | undefined): Promise<SigningKey> {
  const present = await loadSigningKeys(path);
  const target = await realpath(path);
  const unfinished = `${target}.new`;
  const key = await createSigningKeyFile(unfinished, version);
  try {
    if (present.some((other) => other.version === key.version)) {
      const message = `Signing key file ${path} has a key of version ${key.version} already`;
      throw new ApiError(500, message, { reason: 'signing_key_version_taken' });
    }
    await putBefore(unfinished, await readFile(target, 'utf8'));
    const { uid, gid } = await stat(target);
    if (process.getuid?.() === 0) await chown(unfinished, uid, gid);
    await rename(unfinished, target);
    return key;
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function putBefore(path: string, text: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const line = await file.readFile('utf8');
    const separator = text === '' || text.endsWith('\n') ? '' : '\n';
    await file.write(text + separator + line, 0);
    await file.sync();
  } finally {
    await file.close();
  }
}
