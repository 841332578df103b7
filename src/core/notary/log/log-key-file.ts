import { randomBytes } from 'node:crypto';

import { LogKey, NoteKeyError, SEED_BYTES } from '@vidimus/tlog';

import { ApiError } from '../../base/errors/api-error.js';
import { createSecretFile, readSecretFile } from '../signing/secret-file.js';

/** What messages call the file. */
export const LOG_KEY_FILE = 'Log key file';

/** Loads the key. Throws as `readSecretFile`, and `ApiError` 500 for a faulty text. */
export async function loadLogKey(path: string, remark?: (message: string) => void): Promise<LogKey> {
  const text = await readSecretFile({ path, title: LOG_KEY_FILE }, remark);
  try {
    return LogKey.parse(text);
  } catch (error) {
    if (!(error instanceof NoteKeyError)) throw error;
    throw new ApiError(500, `${LOG_KEY_FILE} ${path} ${error.message}`, { reason: 'note_key_file_syntax' });
  }
}

/** Creates a key of this name in a new file. Throws as `createSecretFile`. */
export async function createLogKeyFile(path: string, name: string): Promise<LogKey> {
  const key = new LogKey(name, randomBytes(SEED_BYTES));
  await createSecretFile({ path, title: LOG_KEY_FILE }, key.secretText());
  return key;
}
