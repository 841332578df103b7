import { Buffer } from 'node:buffer';

/** Decodes standard padded Base64 in its only form (RFC 4648 §3.5); `null` for anything else. */
export function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
