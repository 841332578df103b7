import { randomBytes } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { errorCode } from '../../core/base/errors/error-code.js';
import { TRIAL_SERVER_NAME } from '../../config/load-config.js';
import type { AppContext } from '../../composition/context.js';
import type { AccessTokenStore } from '../../core/access/users/access-token-store.js';

const MAX_FILE_BYTES = 1024;
const LABEL = 'made at the first start';

const TRIAL_USER = `@operator:${TRIAL_SERVER_NAME}`;

/**
 * The access token for trying the service out, kept in a file (mode 0600) so that later starts show the same
 * one. Made anew when the file is missing or open to others, or the token is unknown, expired or revoked.
 */
export async function trialToken(store: AccessTokenStore, path: string): Promise<string> {
  const kept = await readToken(path);
  if (kept !== null && (await store.findValid(kept)) !== null) return kept;
  const { token } = await store.create({ userId: TRIAL_USER, label: LABEL, expiresTs: null });
  const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(unfinished, `${token}\n`, { mode: 0o600, flag: 'wx' });
  await rename(unfinished, path);
  return token;
}

/** Ends the tokens of a trial: one that was shown around must not open a service in earnest. */
export async function endTrial({ access: { tokens: store }, parts }: AppContext): Promise<void> {
  const left = (await store.list()).filter(
    ({ userId, label, revokedTs }) => userId === TRIAL_USER && label === LABEL && revokedTs === null,
  );
  for (const { id } of left) await store.revoke(id);
  if (left.length > 0) parts.logger.info('the access token of the trial is not valid any more');
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
