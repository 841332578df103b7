import { randomBytes } from 'node:crypto';

import { createSecretFile, readSecretFile } from '../signing/secret-file.js';
import { LogKey } from './notes/log-key.js';

/** What the file is called in sentences. */
export const LOG_KEY_TITLE = 'Log key file';
const SEED_BYTES = 32;

/** Loads the key that signs the log. Throws as `readSecretFile`, and `ApiError` 500 for a faulty text. */
export async function loadLogKey(path: string, remark?: (message: string) => void): Promise<LogKey> {
  return LogKey.parse(await readSecretFile({ path, title: LOG_KEY_TITLE }, remark), path);
}

/** Makes the key of a log that is called `origin`, in a new file. Throws as `createSecretFile`. */
export async function createLogKeyFile(path: string, origin: string): Promise<LogKey> {
  const key = new LogKey(origin, randomBytes(SEED_BYTES));
  await createSecretFile({ path, title: LOG_KEY_TITLE }, key.secretText());
  return key;
}
