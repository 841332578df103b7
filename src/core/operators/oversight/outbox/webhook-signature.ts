import { createHmac } from 'node:crypto';

/** Header that carries it. */
export const SIGNATURE_HEADER = 'Vidimus-Signature';

/** `t=SECONDS,v1=HEX`: HMAC-SHA256 under the secret over `SECONDS.BODY`, in hexadecimal digits. */
export function signWebhook(secret: string, body: string | Buffer, ts: number): string {
  const seconds = Math.floor(ts / 1000);
  return `t=${seconds},v1=${macOf(secret, seconds, body).toString('hex')}`;
}

function macOf(secret: string, seconds: number, body: string | Buffer): Buffer {
  return createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
}
