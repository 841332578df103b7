import type { Stats } from 'node:fs';
import { chown, type FileHandle, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

import { ApiError, errorCode } from '../../base/errors/api-error.js';

/**
 * Names in a group besides the given users, whether they are listed with it or have it as their first one; `null` when
 * the group is not in the file, so that nobody can tell.
 */
export function otherMembers(
  { passwd, group }: { passwd: string; group: string },
  { gid, uids }: { gid: number; uids: readonly number[] },
): string[] | null {
  const entry = rowsOf(group).find(([, , id]) => id === String(gid));
  if (entry === undefined) return null;
  const users = rowsOf(passwd);
  const first = users.filter(([, , , primary]) => primary === String(gid)).map(([name = '']) => name);
  const listed = (entry[3] ?? '').split(',').filter((name) => name !== '');
  const ours = new Set(users.filter(([, , uid]) => uids.includes(Number(uid))).map(([name]) => name));
  return [...new Set([...first, ...listed])].filter((name) => !ours.has(name));
}

function rowsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.trim().split(':'));
}

export interface SecretFile {
  path: string;
  /** What it is called in sentences, such as `Signing key file`. */
  title: string;
}

const MAX_FILE_BYTES = 65_536;
const MAX_SHOWN_OTHERS = 3;

/**
 * Reads a file that holds a secret. Throws `ApiError` 500, its message made for the operator, when the file is
 * missing, no regular file, larger than 64 KiB or open to others than its owner and us (not on Windows). A group may
 * read it when nobody else is in it, as packages of homeservers have it; then `remark` gets a sentence.
 */
export async function readSecretFile(
  secret: SecretFile,
  remark: (message: string) => void = () => undefined,
): Promise<string> {
  const file = await openSecretFile(secret, 'r');
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refused(secret, { reason: 'type', what: 'is not a regular file' });
    if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) remark(await checkMode(secret, stats));
    if (stats.size > MAX_FILE_BYTES) {
      throw refused(secret, { reason: 'size', what: `is larger than ${MAX_FILE_BYTES} bytes` });
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Writes a new file with mode 0600, flushed to disk before it returns. Throws `ApiError` 500 with the reason
 * `signing_key_file_exists` when the file is there already: keys are never overwritten.
 */
export async function createSecretFile(secret: SecretFile, text: string): Promise<void> {
  const file = await openSecretFile(secret, 'wx');
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    // What cannot be removed either stays, and the error names the file.
    await unlink(secret.path).catch(() => undefined);
    throw refused(secret, { reason: 'write', what: 'cannot be written', cause: error });
  } finally {
    await file.close();
  }
  await syncDirectory(dirname(secret.path));
}

/**
 * Replaces such a file as a whole, so that a crash leaves either the old or the new one; it keeps its owner and gets
 * mode 0600. Throws as `createSecretFile`, for a file beside it that an earlier try left, too.
 */
export async function replaceSecretFile({ path, title }: SecretFile, text: string): Promise<void> {
  const target = await realpath(path);
  const unfinished = `${target}.new`;
  await createSecretFile({ path: unfinished, title }, text);
  try {
    const { uid, gid } = await stat(target);
    if (process.getuid?.() === 0) await chown(unfinished, uid, gid);
    await rename(unfinished, target);
  } catch (error) {
    await unlink(unfinished).catch(() => undefined);
    throw refused({ path, title }, { reason: 'write', what: 'cannot be replaced', cause: error });
  }
  await syncDirectory(dirname(target));
}

/** The remark on a file that only a group of our own may read; throws for any other that is open to others. */
async function checkMode(secret: SecretFile, { mode, gid, uid }: Stats): Promise<string> {
  const { path, title } = secret;
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  const readers = { gid, uids: [uid, process.getuid?.() ?? uid] };
  const others = (mode & 0o077) === 0o040 ? await findOthers(readers) : null;
  if (others?.length === 0) {
    return `${title} ${path} has mode ${shown}. Nobody else is in its group now; to keep it private, run: chmod 600 ${path}`;
  }
  const who = others === null ? '' : ` (${others.slice(0, MAX_SHOWN_OTHERS).join(', ')})`;
  const what = `has mode ${shown}: other users can read it${who}. Run: chmod 600 ${path}`;
  throw refused(secret, { reason: 'mode', what });
}

/** Without the files of accounts, as on Windows, nobody can tell. */
async function findOthers(readers: Parameters<typeof otherMembers>[1]): Promise<string[] | null> {
  try {
    const files = ['/etc/passwd', '/etc/group'].map((path) => readFile(path, 'utf8'));
    const [passwd = '', group = ''] = await Promise.all(files);
    return otherMembers({ passwd, group }, readers);
  } catch {
    return null;
  }
}

const OPEN_FAULTS: Readonly<Record<string, Fault>> = {
  'r ENOENT': { reason: 'missing', what: 'does not exist' },
  r: { reason: 'unreadable', what: 'cannot be opened' },
  'wx EEXIST': { reason: 'exists', what: 'exists already and is never overwritten' },
};

async function openSecretFile(secret: SecretFile, flags: 'r' | 'wx'): Promise<FileHandle> {
  try {
    return await open(secret.path, flags, 0o600);
  } catch (cause) {
    const fault = OPEN_FAULTS[`${flags} ${errorCode(cause)}`] ?? OPEN_FAULTS[flags];
    throw refused(secret, { ...(fault ?? { reason: 'write', what: 'cannot be created' }), cause });
  }
}

/** Makes the new directory entry durable; a file system without this notion is no reason to fail. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

interface Fault {
  reason: string;
  what: string;
  cause?: unknown;
}

function refused({ path, title }: SecretFile, { reason, what, cause }: Fault): ApiError {
  const code = errorCode(cause);
  const system = code === '' ? '' : ` (${code})`;
  return new ApiError(500, `${title} ${path} ${what}${system}`, {
    reason: `signing_key_file_${reason}`,
    cause,
  });
}
