import { randomBytes } from 'node:crypto';

import { createSecretFile, readSecretFile } from '../signing/secret-file.js';
import { compareWithReference } from '../signing/signer.js';
import { LogKey } from './notes/log-key.js';
import { SEED_BYTES } from './notes/note-key.js';

/** What messages call the file. */
export const LOG_KEY_FILE = 'Log key file';

/** Loads the key. Throws as `readSecretFile`, and `ApiError` 500 for a faulty text. */
export async function loadLogKey(path: string, remark?: (message: string) => void): Promise<LogKey> {
  return LogKey.parse(await readSecretFile({ path, title: LOG_KEY_FILE }, remark), path);
}

/** Creates a key of this name in a new file. Throws as `createSecretFile`. */
export async function createLogKeyFile(path: string, name: string): Promise<LogKey> {
  const key = new LogKey(name, randomBytes(SEED_BYTES));
  compareWithReference([key.signingKey]);
  await createSecretFile({ path, title: LOG_KEY_FILE }, key.secretText());
  return key;
}
