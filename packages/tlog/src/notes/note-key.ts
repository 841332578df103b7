import { Buffer } from 'node:buffer';

import { decodeBase64 } from '../base64.js';
import { cosignedMessage, writeCosignature } from './cosignature.js';
import { Ed25519Signer, SEED_BYTES } from './ed25519.js';
import { parseNote, verifyNote, writeSignatureLine } from './signed-note.js';
import { KEY_TYPES, VerifierKey, type KeyType } from './verifier-key.js';

const SECRET = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/;

/** The text of a secret key is damaged, or of another kind. The message never contains the seed. */
export class NoteKeyError extends Error {}

/** A key that signs notes, in the text forms of Go's `sumdb/note`. */
abstract class NoteKey {
  /** By this others check what it signs. */
  readonly verifier: VerifierKey;
  readonly #signer: Ed25519Signer;

  /** Throws for a name that no note can state. `seed` has 32 bytes. */
  protected constructor(
    readonly name: string,
    type: KeyType,
    private readonly seed: Uint8Array,
  ) {
    this.#signer = new Ed25519Signer(seed);
    const verifier = VerifierKey.create(name, type, this.#signer.publicKey);
    if (verifier === null) throw new NoteKeyError(`a key of notes cannot have the name ${name}`);
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
    return this.#signer.sign(message);
  }

  protected lineOf(signature: Buffer): string {
    return writeSignatureLine({ name: this.name, keyId: this.verifier.keyId, signature });
  }
}

/** The key that signs a log's checkpoints. */
export class LogKey extends NoteKey {
  /** `origin` is the log's address without scheme; `seed` has 32 bytes. */
  constructor(
    readonly origin: string,
    seed: Uint8Array,
  ) {
    super(origin, KEY_TYPES.ed25519, seed);
  }

  /** Reads the text form of the secret key. Throws `NoteKeyError`. */
  static parse(text: string): LogKey {
    const { name, seed } = parseSecret(text, KEY_TYPES.ed25519);
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

/** The key that a witness cosigns the checkpoints of other logs with. */
export class WitnessKey extends NoteKey {
  /** `name` is the witness's address without scheme; `seed` has 32 bytes. */
  constructor(name: string, seed: Uint8Array) {
    super(name, KEY_TYPES.cosignature, seed);
  }

  /** Reads the text form of the secret key. Throws `NoteKeyError`. */
  static parse(text: string): WitnessKey {
    const { name, seed } = parseSecret(text, KEY_TYPES.cosignature);
    return new WitnessKey(name, seed);
  }

  /** Our line below a note with this text, made at this time. */
  cosign(text: string, seconds: number): string {
    return this.lineOf(writeCosignature(seconds, this.sign(cosignedMessage(seconds, text))));
  }
}

function parseSecret(text: string, type: KeyType): { name: string; seed: Buffer } {
  const [, name = '', keyId = '', encoded = ''] = SECRET.exec(text.trim()) ?? [];
  const typed = decodeBase64(encoded);
  if (typed?.length !== 1 + SEED_BYTES || typed[0] !== type)
    throw new NoteKeyError(`holds no key of the form PRIVATE+KEY+NAME+ID+BASE64 (Ed25519, type ${type})`);
  const seed = typed.subarray(1);
  const verifier = VerifierKey.create(name, type, new Ed25519Signer(seed).publicKey);
  if (verifier?.keyId.toString('hex') !== keyId)
    throw new NoteKeyError('is damaged: name, ID and key do not agree');
  return { name, seed };
}
