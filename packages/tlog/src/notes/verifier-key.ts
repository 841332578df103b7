import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

import { decodeBase64 } from '../base64.js';
import { readCosignature } from './cosignature.js';
import { Ed25519Verifier } from './ed25519.js';

/** Signatures of notes (C2SP signed-note, "Signature types"): a log's own, and those of witnesses, with their time. */
export const KEY_TYPES = { ed25519: 1, cosignature: 4 } as const;

export type KeyType = (typeof KEY_TYPES)[keyof typeof KEY_TYPES];

/** What keys may be called. */
export const KEY_NAME = /^[^+\s\p{Cc}]+$/u;

const KEY_ID_BYTES = 4;
const FORM = /^([^+]+)\+([0-9a-f]{8})\+(\S+)$/;

/** What others check the signatures of a name by. */
export class VerifierKey {
  readonly keyId: Buffer;
  /** `name+hex(key ID)+base64(type || public key)`. */
  readonly text: string;

  private constructor(
    readonly name: string,
    readonly type: KeyType,
    private readonly key: { publicKey: Uint8Array; verifier: Ed25519Verifier },
  ) {
    const typed = Buffer.concat([Uint8Array.of(type), key.publicKey]);
    this.keyId = createHash('sha256').update(`${name}\n`).update(typed).digest().subarray(0, KEY_ID_BYTES);
    this.text = `${name}+${this.keyId.toString('hex')}+${typed.toString('base64')}`;
  }

  /** `null`: 32 bytes that cannot be accepted as a public key, or a name that no note can state. */
  static create(name: string, type: KeyType, publicKey: Uint8Array): VerifierKey | null {
    const verifier = Ed25519Verifier.create(publicKey);
    if (verifier === null || !KEY_NAME.test(name)) return null;
    return new VerifierKey(name, type, { publicKey, verifier });
  }

  /** Reads the text form; `null`: it is none, of another type, or its key ID is not that of name and key. */
  static parse(text: string): VerifierKey | null {
    const [, name = '', , encoded = ''] = FORM.exec(text) ?? [];
    const typed = decodeBase64(encoded);
    const type = Object.values(KEY_TYPES).find((each) => each === typed?.[0]);
    if (typed === null || type === undefined) return null;
    const key = VerifierKey.create(name, type, typed.subarray(1));
    return key?.text === text ? key : null;
  }

  /** Whether this is a signature of ours over the text of a note; of a witness it has its time in front. */
  verify(text: string, signature: Uint8Array): boolean {
    const { verifier } = this.key;
    if (this.type === KEY_TYPES.ed25519) return verifier.verify(Buffer.from(text), signature);
    const cosignature = readCosignature(signature, text);
    return cosignature !== null && verifier.verify(cosignature.message, cosignature.signature);
  }
}
