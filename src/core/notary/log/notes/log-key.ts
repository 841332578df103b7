import { Buffer } from 'node:buffer';

import { NoteKey, parseNoteKey } from './note-key.js';
import { parseNote, verifyNote } from './signed-note.js';
import { KEY_TYPES } from './verifier-key.js';

/** The key that signs the log's checkpoints. */
export class LogKey extends NoteKey {
  static readonly title = 'Log key file';

  /** `origin` is the log's address without scheme; `seed` has 32 bytes. */
  constructor(
    readonly origin: string,
    seed: Uint8Array,
  ) {
    super(origin, KEY_TYPES.ed25519, seed);
  }

  /** Reads the text form of the secret key. Throws as `parseNoteKey`. */
  static parse(text: string, source: string): LogKey {
    const { name, seed } = parseNoteKey(text, KEY_TYPES.ed25519, `${LogKey.title} ${source}`);
    return new LogKey(name, seed);
  }

  /** The note with this text, which ends with a line feed, and our signature. */
  signNote(text: string): string {
    return `${text}\n${this.lineOf(this.sign(Buffer.from(text)))}`;
  }

  /** The text of a note that bears our signature; `null`: it does not, or the signature fails. */
  openNote(note: string): string | null {
    const parsed = parseNote(note);
    return parsed === null || verifyNote(parsed, [this.verifier]) === null ? null : parsed.text;
  }
}
