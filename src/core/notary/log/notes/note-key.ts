import { Buffer } from 'node:buffer';

import { ApiError } from '../../../base/errors/api-error.js';
import { decodeStandardBase64 } from '../../signing/base64.js';
import { SigningKey } from '../../signing/signer.js';
import { writeSignatureLine } from './signed-note.js';
import { VerifierKey, type KeyType } from './verifier-key.js';

/** A key of ours as its file states it. */
export interface NoteKeyText {
  name: string;
  seed: Buffer;
}

export const SEED_BYTES = 32;
const SECRET = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/;

/** A key that signs notes, in the text forms of Go's `sumdb/note`. */
export abstract class NoteKey {
  readonly signingKey: SigningKey;
  /** By this others check what it signs. */
  readonly verifier: VerifierKey;

  /** Throws for a name that no note can state. `seed` has 32 bytes. */
  protected constructor(
    readonly name: string,
    type: KeyType,
    private readonly seed: Uint8Array,
  ) {
    this.signingKey = new SigningKey('note', seed);
    const verifier = VerifierKey.create(name, type, this.signingKey.publicKey);
    if (verifier === null) throw new Error('a key of notes cannot have this name');
    this.verifier = verifier;
  }

  get verifierKey(): string {
    return this.verifier.text;
  }

  /** The text form of the secret key, with its line feed. */
  secretText(): string {
    const { type, keyId } = this.verifier;
    const typed = Buffer.concat([Uint8Array.of(type), this.seed]);
    return `PRIVATE+KEY+${this.name}+${keyId.toString('hex')}+${typed.toString('base64')}\n`;
  }

  protected sign(message: Uint8Array): Buffer {
    return Buffer.from(this.signingKey.sign(message), 'base64');
  }

  protected lineOf(signature: Buffer): string {
    return writeSignatureLine({ name: this.name, keyId: this.verifier.keyId, signature });
  }
}

/** Reads the text form of a secret key. Throws `ApiError` 500 with what is wrong with the file, never the seed. */
export function parseNoteKey(text: string, type: KeyType, file: string): NoteKeyText {
  const [, name = '', keyId = '', encoded = ''] = SECRET.exec(text.trim()) ?? [];
  const typed = decodeStandardBase64(encoded);
  if (typed?.length !== 1 + SEED_BYTES || typed[0] !== type) {
    throw unfit(`${file} holds no key of the form PRIVATE+KEY+NAME+ID+BASE64 (Ed25519, type ${type})`);
  }
  const seed = typed.subarray(1);
  const verifier = VerifierKey.create(name, type, new SigningKey('note', seed).publicKey);
  if (verifier?.keyId.toString('hex') !== keyId)
    throw unfit(`${file} is damaged: name, ID and key do not agree`);
  return { name, seed };
}

function unfit(message: string): ApiError {
  return new ApiError(500, message, { reason: 'note_key_file_syntax' });
}
