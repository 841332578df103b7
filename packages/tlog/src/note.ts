import { Buffer } from 'node:buffer';
import { createHash, createPublicKey, sign, type KeyObject } from 'node:crypto';

import { PUBLIC_KEY_BYTES, SEED_BYTES, importPublicKey, privateKeyOf, verifySignature } from './ed25519.js';

/** Decodes standard padded Base64 in its only form (RFC 4648 §3.5); `null` for anything else. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

/** Signature types of notes (C2SP signed-note, "Signature types"): a log's own, and a witness's with its time. */
export const KEY_TYPES = { ed25519: 1, cosignature: 4 } as const;

export type KeyType = (typeof KEY_TYPES)[keyof typeof KEY_TYPES];

const KEY_NAME = /^[^+\s\p{Cc}]+$/u;
const KEY_ID_BYTES = 4;
const TIME_BYTES = 8;
const VERIFIER_KEY = /^([^+]+)\+[0-9a-f]{8}\+(\S+)$/;
const SECRET_KEY = /^PRIVATE\+KEY\+([^+\s]+)\+[0-9a-f]{8}\+(\S+)$/;

/** What a witness signs (C2SP tlog-cosignature, "Ed25519 signed message"). */
const cosignedMessage = (seconds: number | bigint, text: string): Buffer =>
  Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);

/** The public half of a note key. */
export class VerifierKey {
  readonly keyId: Buffer;
  /** `name+hex(key ID)+base64(type || public key)`. */
  readonly text: string;
  readonly #key: KeyObject;

  constructor(
    readonly name: string,
    readonly type: KeyType,
    publicKey: KeyObject,
  ) {
    const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES);
    const typed = Buffer.concat([Uint8Array.of(type), bytes]);
    this.keyId = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, KEY_ID_BYTES);
    this.text = `${name}+${this.keyId.toString('hex')}+${typed.toString('base64')}`;
    this.#key = publicKey;
  }

  /** Reads the text form; `null`: invalid, of another type, or its key ID does not match name and key. */
  static parse(text: string): VerifierKey | null {
    const [, name = '', encoded = ''] = VERIFIER_KEY.exec(text) ?? [];
    const typed = decodeBase64(encoded);
    const type = Object.values(KEY_TYPES).find((each) => each === typed?.[0]);
    const publicKey = typed === null ? null : importPublicKey(typed.subarray(1));
    if (type === undefined || publicKey === null || !KEY_NAME.test(name)) return null;
    const key = new VerifierKey(name, type, publicKey);
    return key.text === text ? key : null;
  }

  /** Whether this key has signed the text of a note; a witness's signature begins with its time. */
  verify(text: string, signature: Buffer): boolean {
    if (this.type === KEY_TYPES.ed25519) return verifySignature(this.#key, Buffer.from(text), signature);
    if (signature.length < TIME_BYTES) return false;
    const message = cosignedMessage(signature.readBigUInt64BE(), text);
    return verifySignature(this.#key, message, signature.subarray(TIME_BYTES));
  }
}

/** When a verified cosignature was made, POSIX ms. */
export function cosignedTsOf(signature: Buffer): number {
  return Number(signature.readBigUInt64BE()) * 1000;
}

/** The text of a secret key is damaged, or of another kind. The message never contains the seed. */
export class NoteKeyError extends Error {}

/** A key that signs notes, in the text forms of Go's `sumdb/note`. `name` is an address without scheme. */
abstract class NoteKey {
  readonly verifier: VerifierKey;
  readonly #privateKey: KeyObject;
  readonly #seed: Uint8Array;

  protected constructor(
    readonly name: string,
    type: KeyType,
    seed: Uint8Array,
  ) {
    if (!KEY_NAME.test(name)) throw new NoteKeyError(`cannot have the name ${name}`);
    this.#privateKey = privateKeyOf(seed);
    this.verifier = new VerifierKey(name, type, createPublicKey(this.#privateKey));
    this.#seed = seed;
  }

  /** Reads the text form of the secret key. Throws `NoteKeyError`. */
  static parse<Key extends NoteKey>(this: new (name: string, seed: Uint8Array) => Key, text: string): Key {
    const [line = '', name = '', encoded = ''] = SECRET_KEY.exec(text.trim()) ?? [];
    const seed = decodeBase64(encoded)?.subarray(1);
    if (seed?.length !== SEED_BYTES)
      throw new NoteKeyError('holds no key of the form PRIVATE+KEY+NAME+ID+BASE64 (Ed25519)');
    const key = new this(name, seed);
    if (key.secretText() === `${line}\n`) return key;
    throw new NoteKeyError('is damaged or of another kind: name, ID, type and key do not agree');
  }

  get verifierKey(): string {
    return this.verifier.text;
  }

  /** The text form of the secret key, with its line feed. */
  secretText(): string {
    const { name, type, keyId } = this.verifier;
    const typed = Buffer.concat([Uint8Array.of(type), this.#seed]);
    return `PRIVATE+KEY+${name}+${keyId.toString('hex')}+${typed.toString('base64')}\n`;
  }

  protected signatureLine(message: Buffer, time = Buffer.alloc(0)): string {
    const signature = Buffer.concat([time, sign(null, message, this.#privateKey)]);
    return writeSignatureLine({ name: this.name, keyId: this.verifier.keyId, signature });
  }
}

/** The key that signs a log's checkpoints; its name is the log's origin. */
export class LogKey extends NoteKey {
  constructor(name: string, seed: Uint8Array) {
    super(name, KEY_TYPES.ed25519, seed);
  }

  /** The note with this text, which ends with a line feed, and our signature. */
  signNote(text: string): string {
    return `${text}\n${this.signatureLine(Buffer.from(text))}`;
  }
}

/** The key that a witness cosigns the checkpoints of other logs with. */
export class WitnessKey extends NoteKey {
  constructor(name: string, seed: Uint8Array) {
    super(name, KEY_TYPES.cosignature, seed);
  }

  /** Our line below a note with this text, made at this time. */
  cosign(text: string, seconds: number): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeBigUInt64BE(BigInt(seconds));
    return this.signatureLine(cosignedMessage(seconds, text), time);
  }
}

/** A line below a note, not yet verified. */
export interface NoteSignature {
  /** Of the key. */
  name: string;
  keyId: Buffer;
  signature: Buffer;
}

/** A parsed note (C2SP signed-note). */
export interface SignedNote {
  /** What is signed; ends with a line feed. */
  text: string;
  signatures: readonly NoteSignature[];
}

/** Others must accept 16. We accept more: a log may have many witnesses that we do not know. */
const MAX_SIGNATURES = 100;
const SIGNATURE_LINE = /^— (\S+) (\S+)$/u;
// eslint-disable-next-line no-control-regex -- what notes must not have
const CONTROL = /[\0-\x09\x0b-\x1f]/;

/** Reads a note; `null`: not a note. Verifies nothing. */
export function parseNote(note: string): SignedNote | null {
  const end = note.lastIndexOf('\n\n');
  if (end === -1 || CONTROL.test(note)) return null;
  const signatures = parseSignatureLines(note.slice(end + 2));
  return signatures === null || signatures.length === 0 ? null : { text: note.slice(0, end + 1), signatures };
}

/** Reads signature lines, each with its line feed; `null`: one is invalid, or there are too many. */
export function parseSignatureLines(text: string): NoteSignature[] | null {
  const lines = text.split('\n', MAX_SIGNATURES + 2);
  if (lines.pop() !== '' || lines.length > MAX_SIGNATURES) return null;
  const signatures = lines.flatMap((line) => {
    const [, name = '', encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
    const blob = decodeBase64(encoded);
    if (blob === null || blob.length <= KEY_ID_BYTES || !KEY_NAME.test(name)) return [];
    return [{ name, keyId: blob.subarray(0, KEY_ID_BYTES), signature: blob.subarray(KEY_ID_BYTES) }];
  });
  return signatures.length === lines.length ? signatures : null;
}

/** A signature's line, with its line feed. */
export function writeSignatureLine({ name, keyId, signature }: NoteSignature): string {
  return `— ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`;
}

/** The signatures of a note by these keys. `null`: there is none, or one of them is wrong. */
export function verifyNote(
  { text, signatures }: SignedNote,
  keys: readonly VerifierKey[],
): NoteSignature[] | null {
  const known = signatures.flatMap((signature) => {
    const key = keys.find(({ name, keyId }) => name === signature.name && keyId.equals(signature.keyId));
    return key === undefined ? [] : [{ key, signature }];
  });
  const isSigned = known.every(({ key, signature }) => key.verify(text, signature.signature));
  return known.length > 0 && isSigned ? known.map(({ signature }) => signature) : null;
}
