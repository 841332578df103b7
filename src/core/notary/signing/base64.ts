import { Buffer } from 'node:buffer';

const PAD = 0x3d;

/**
 * Decodes Base64 (RFC 4648 §4 or §5, also mixed), padded or unpadded. Returns null for anything else: blanks,
 * other characters, wrong padding, a length no byte string has. Unused bits of the last character are
 * ignored, as Python's `binascii` (and so every Synapse) does: compare decoded bytes, never texts.
 */
export function decodeBase64(text: string): Buffer | null {
  const length = lengthWithoutPadding(text);
  if (length === null || length % 4 === 1) return null;
  for (let i = 0; i < length; i++) {
    if (!isBase64Code(text.charCodeAt(i))) return null;
  }
  return Buffer.from(text, 'base64');
}

/** Encodes as unpadded standard Base64 (Matrix spec, appendix "Unpadded Base64"). */
export function encodeBase64(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return text.slice(0, lengthWithoutPadding(text) ?? text.length);
}

/** Padding may be left out entirely; when it is there it must fill the last group of four. */
function lengthWithoutPadding(text: string): number | null {
  let length = text.length;
  while (length > 0 && text.length - length < 2 && text.charCodeAt(length - 1) === PAD) length--;
  return length < text.length && text.length % 4 !== 0 ? null : length;
}

function isBase64Code(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2b ||
    code === 0x2f ||
    code === 0x2d ||
    code === 0x5f
  );
}
