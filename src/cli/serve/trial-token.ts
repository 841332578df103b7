import { randomBytes } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { errorCode } from '../../core/base/errors/error-code.js';
import type { AccessTokenStore } from '../../core/access/users/access-token-store.js';

const MAX_FILE_BYTES = 1024;

/**
 * The access token for trying the service out, kept in a file (mode 0600) so that later starts show the same
 * one. Made anew when the file is missing or open to others, or the token is unknown, expired or revoked.
 */
export async function trialToken(store: AccessTokenStore, path: string, userId: string): Promise<string> {
  const kept = await readToken(path);
  if (kept !== null && (await store.findValid(kept)) !== null) return kept;
  const { token } = await store.create({ userId, label: 'made at the first start', expiresTs: null });
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(unfinished, `${token}\n`, { mode: 0o600, flag: 'wx' });
  await rename(unfinished, path);
  return token;
}

async function readToken(path: string): Promise<string | null> {
  try {
    const { mode, size } = await stat(path);
    const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
    return isOpen || size > MAX_FILE_BYTES ? null : (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
