import { randomBytes, randomInt } from 'node:crypto';
import type { Stats } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../base/errors/error-code.js';
import { ApiError } from '../../base/errors/api-error.js';
import { otherMembers, readAccountFiles } from './group-readers.js';
import type { FileReaders } from './group-readers.js';
import { SigningKey } from './signer.js';
import { formatSigningKey, parseSigningKeys } from './signing-key-text.js';

const MAX_FILE_BYTES = 65_536;
const MAX_SHOWN_OTHERS = 3;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Loads all signing keys of a file, in the order they stand in it. Throws `ApiError` 500, its message made for
 * the operator, when the file is missing, no regular file, larger than 64 KiB, open to others than its owner and us
 * (not on Windows) or faulty. A group may read it when nobody else is in it, as packages of homeservers have it; then
 * `remark` gets a sentence.
 */
export async function loadSigningKeys(
  path: string,
  remark: (message: string) => void = () => undefined,
): Promise<SigningKey[]> {
  const file = await openKeyFile(path);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refused(path, { reason: 'signing_key_file_type', what: 'is no regular file' });
    if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) remark(await checkMode(path, stats));
    if (stats.size > MAX_FILE_BYTES) {
      throw refused(path, {
        reason: 'signing_key_file_size',
        what: `is larger than ${MAX_FILE_BYTES} bytes`,
      });
    }
    return parseSigningKeys(await file.readFile('utf8'), path);
  } finally {
    await file.close();
  }
}

/**
 * Makes a new key (seed from node:crypto) and writes it to a new file with mode 0600, flushed to disk before
 * it returns. The version is `a_` and five letters unless given. Throws `ApiError` 500 with the reason
 * `signing_key_file_exists` when the file is there already: keys are never overwritten.
 */
export async function createSigningKeyFile(path: string, version = randomVersion()): Promise<SigningKey> {
  const seed = randomBytes(32);
  const line = formatSigningKey(version, seed);
  const file = await createKeyFile(path);
  try {
    await file.writeFile(line);
    await file.sync();
  } catch (error) {
    // What cannot be removed either stays, and the error names the file.
    await unlink(path).catch(() => undefined);
    throw refused(path, { reason: 'signing_key_file_write', what: 'cannot be written', cause: error });
  } finally {
    await file.close();
  }
  await syncDirectory(dirname(path));
  return new SigningKey(version, seed);
}

/** The remark on a file that only a group of our own may read; throws for any other that is open to others. */
async function checkMode(path: string, { mode, gid, uid }: Stats): Promise<string> {
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  const readers = { gid, uids: [uid, process.getuid?.() ?? uid] };
  const others = (mode & 0o077) === 0o040 ? await findOthers(readers) : null;
  if (others?.length === 0) {
    return `Signing key file ${path} has mode ${shown}. Nobody else is in its group now; chmod 600 keeps it so`;
  }
  const who = others === null ? '' : ` (${others.slice(0, MAX_SHOWN_OTHERS).join(', ')})`;
  const what = `has mode ${shown}: others than its owner can get at it${who}. Run: chmod 600 ${path}`;
  throw refused(path, { reason: 'signing_key_file_mode', what });
}

/** Without the files of accounts nobody can tell. */
async function findOthers(readers: FileReaders): Promise<string[] | null> {
  try {
    return otherMembers(await readAccountFiles(), readers);
  } catch {
    return null;
  }
}

function randomVersion(): string {
  let version = 'a_';
  for (let i = 0; i < 5; i++) version += LETTERS.charAt(randomInt(LETTERS.length));
  return version;
}

async function openKeyFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw errorCode(error) === 'ENOENT'
      ? refused(path, { reason: 'signing_key_file_missing', what: 'does not exist', cause: error })
      : refused(path, { reason: 'signing_key_file_unreadable', what: 'cannot be opened', cause: error });
  }
}

async function createKeyFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    throw errorCode(error) === 'EEXIST'
      ? refused(path, {
          reason: 'signing_key_file_exists',
          what: 'exists already and is never overwritten',
          cause: error,
        })
      : refused(path, { reason: 'signing_key_file_write', what: 'cannot be created', cause: error });
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

function refused(
  path: string,
  { reason, what, cause }: { reason: string; what: string; cause?: unknown },
): ApiError {
  const code = errorCode(cause);
  const system = code === '' ? '' : ` (${code})`;
  return new ApiError(500, `Signing key file ${path} ${what}${system}`, { reason, cause });
}
