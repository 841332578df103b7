import { randomBytes } from 'node:crypto';

import { createSecretFile, readSecretFile } from '../signing/secret-file.js';
import { compareWithReference } from '../signing/signer.js';
import { SEED_BYTES, type NoteKey } from './notes/note-key.js';

/** A class of keys that sign notes. */
export interface NoteKeyKind<Key extends NoteKey> {
  /** What the file is called in sentences. */
  readonly title: string;
  new (name: string, seed: Uint8Array): Key;
  parse(text: string, source: string): Key;
}

/** Loads a key. Throws as `readSecretFile`, and `ApiError` 500 for a faulty text. */
export async function loadNoteKey<Key extends NoteKey>(
  kind: NoteKeyKind<Key>,
  path: string,
  remark?: (message: string) => void,
): Promise<Key> {
  return kind.parse(await readSecretFile({ path, title: kind.title }, remark), path);
}

/** Makes a key of this name in a new file. Throws as `createSecretFile`. */
export async function createNoteKeyFile<Key extends NoteKey>(
  Kind: NoteKeyKind<Key>,
  path: string,
  name: string,
): Promise<Key> {
  const key = new Kind(name, randomBytes(SEED_BYTES));
  compareWithReference([key.signingKey]);
  await createSecretFile({ path, title: Kind.title }, key.secretText());
  return key;
}
