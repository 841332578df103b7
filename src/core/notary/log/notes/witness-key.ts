import { cosignedMessage, writeCosignature } from './cosignature.js';
import { NoteKey, parseNoteKey } from './note-key.js';
import { KEY_TYPES } from './verifier-key.js';

/** The key that a witness cosigns the checkpoints of other logs with. */
export class WitnessKey extends NoteKey {
  static readonly title = 'Witness key file';

  /** `name` is the witness's address without scheme; `seed` has 32 bytes. */
  constructor(name: string, seed: Uint8Array) {
    super(name, KEY_TYPES.cosignature, seed);
  }

  /** Reads the text form of the secret key. Throws as `parseNoteKey`. */
  static parse(text: string, source: string): WitnessKey {
    const { name, seed } = parseNoteKey(text, KEY_TYPES.cosignature, `${WitnessKey.title} ${source}`);
    return new WitnessKey(name, seed);
  }

  /** Our line below a note with this text, made at this time. */
  cosign(text: string, seconds: number): string {
    return this.lineOf(writeCosignature(seconds, this.sign(cosignedMessage(seconds, text))));
  }
}
