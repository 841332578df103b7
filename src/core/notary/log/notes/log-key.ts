import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { ApiError } from '../../../base/errors/api-error.js';
import { Ed25519Verifier } from '../../signing/ed25519.js';
import { SigningKey } from '../../signing/signer.js';

/** Ed25519 signatures of notes (C2SP signed-note, "Signature types"). */
const TYPE_ED25519 = 1;
const KEY_ID_BYTES = 4;
const SEED_BYTES = 32;
const SECRET = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/;

/** The key that signs the log's checkpoints, in the text forms of Go's `sumdb/note`. */
export class LogKey {
  /** `name+hex(key ID)+base64(type || public key)`: by this others check the log. */
  readonly verifierKey: string;
  readonly signingKey: SigningKey;
  readonly #keyId: Buffer;
  readonly #verifier: Ed25519Verifier | null;

  /** `origin` is the log's address without scheme; `seed` has 32 bytes. */
  constructor(
    readonly origin: string,
    private readonly seed: Uint8Array,
  ) {
    this.signingKey = new SigningKey('log', seed);
    const typed = Buffer.concat([Uint8Array.of(TYPE_ED25519), this.signingKey.publicKey]);
    this.#keyId = createHash('sha256').update(`${origin}\n`).update(typed).digest().subarray(0, KEY_ID_BYTES);
    this.#verifier = Ed25519Verifier.create(this.signingKey.publicKey);
    this.verifierKey = `${origin}+${this.#keyId.toString('hex')}+${typed.toString('base64')}`;
  }

  /** Reads the text form of the secret key. Throws `ApiError` 500 with what is wrong, never the seed. */
  static parse(text: string, source: string): LogKey {
    const [, origin = '', keyId = '', encoded = ''] = SECRET.exec(text.trim()) ?? [];
    const typed = Buffer.from(encoded, 'base64');
    if (typed.length !== 1 + SEED_BYTES || typed[0] !== TYPE_ED25519) {
      throw unfit(source, 'holds no key of the form PRIVATE+KEY+NAME+ID+BASE64 (Ed25519)');
    }
    const key = new LogKey(origin, typed.subarray(1));
    if (key.#keyId.toString('hex') !== keyId)
      throw unfit(source, 'is damaged: name, ID and key do not agree');
    return key;
  }

  /** The text form that `parse` reads, with its line feed. */
  secretText(): string {
    const typed = Buffer.concat([Uint8Array.of(TYPE_ED25519), this.seed]);
    return `PRIVATE+KEY+${this.origin}+${this.#keyId.toString('hex')}+${typed.toString('base64')}\n`;
  }

  /** The note with this text, which ends with a line feed, and our signature. */
  signNote(text: string): string {
    const signature = Buffer.from(this.signingKey.sign(Buffer.from(text)), 'base64');
    const blob = Buffer.concat([this.#keyId, signature]).toString('base64');
    return `${text}\n— ${this.origin} ${blob}\n`;
  }

  /** The text of a note that bears our signature; `null`: it does not, or the signature fails. */
  openNote(note: string): string | null {
    const end = note.lastIndexOf('\n\n');
    if (end === -1) return null;
    const text = note.slice(0, end + 1);
    const prefix = `— ${this.origin} `;
    const lines = note.slice(end + 2).split('\n');
    const blobs = lines
      .filter((line) => line.startsWith(prefix))
      .map((line) => Buffer.from(line.slice(prefix.length), 'base64'))
      .filter((blob) => blob.subarray(0, KEY_ID_BYTES).equals(this.#keyId));
    const isSigned = blobs.every((blob) =>
      this.#verifier?.verify(Buffer.from(text), blob.subarray(KEY_ID_BYTES)),
    );
    return blobs.length > 0 && isSigned ? text : null;
  }
}

function unfit(source: string, what: string): ApiError {
  return new ApiError(500, `Log key file ${source} ${what}`, { reason: 'log_key_file_syntax' });
}
