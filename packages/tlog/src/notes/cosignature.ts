import { Buffer } from 'node:buffer';

/** A witness's statement about a checkpoint, taken apart. */
export interface Cosignature {
  /** When it was made, whole seconds since 1970. */
  seconds: number;
  /** What has been signed. */
  message: Buffer;
  signature: Uint8Array;
}

const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** What a witness signs (C2SP tlog-cosignature, "Ed25519 signed message"). */
export function cosignedMessage(seconds: number, text: string): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
}

/** What follows the key ID in the witness's line. */
export function writeCosignature(seconds: number, signature: Uint8Array): Buffer {
  const time = Buffer.alloc(TIME_BYTES);
  time.writeBigUInt64BE(BigInt(seconds));
  return Buffer.concat([time, signature]);
}

/** Reads what follows the key ID, beside the text it is about; `null`: it is none. */
export function readCosignature(bytes: Uint8Array, text: string): Cosignature | null {
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return null;
  const seconds = Number(Buffer.from(bytes).readBigUInt64BE());
  if (!Number.isSafeInteger(seconds)) return null;
  return { seconds, message: cosignedMessage(seconds, text), signature: bytes.subarray(TIME_BYTES) };
}
