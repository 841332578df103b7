import { randomBytes } from 'node:crypto';

import { createSecretFile, readSecretFile } from '../signing/secret-file.js';
import { WitnessKey } from '../log/notes/witness-key.js';

/** What the file is called in sentences. */
export const WITNESS_KEY_TITLE = 'Witness key file';
const SEED_BYTES = 32;

/** Loads the key that cosigns. Throws as `readSecretFile`, and `ApiError` 500 for a faulty text. */
export async function loadWitnessKey(path: string, remark?: (message: string) => void): Promise<WitnessKey> {
  return WitnessKey.parse(await readSecretFile({ path, title: WITNESS_KEY_TITLE }, remark), path);
}

/** Makes the key of a witness of this name, in a new file. Throws as `createSecretFile`. */
export async function createWitnessKeyFile(path: string, name: string): Promise<WitnessKey> {
  const key = new WitnessKey(name, randomBytes(SEED_BYTES));
  await createSecretFile({ path, title: WITNESS_KEY_TITLE }, key.secretText());
  return key;
}
