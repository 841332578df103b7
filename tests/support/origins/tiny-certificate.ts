import { generateKeyPairSync } from 'node:crypto';

const LONG = 0x80;

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  return Buffer.concat([Buffer.from(length < LONG ? [tag, length] : [tag, LONG + 1, length]), content]);
}

const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const utcTime = (text: string): Buffer => der(0x17, Buffer.from(text));
const bits = (...content: readonly Uint8Array[]): Buffer => der(0x03, Buffer.from([0]), ...content);

/** A certificate of 104 bytes, as PEM: nobody's, by nobody, but with a key, which takes OpenSSL the longest to read. */
export function tinyCertificate(): string {
  const ed25519 = sequence(der(0x06, Buffer.from('2b6570', 'hex')));
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
  const validity = sequence(utcTime('200101000000Z'), utcTime('400101000000Z'));
  const serial = der(0x02, Buffer.from([1]));
  const content = sequence(serial, ed25519, sequence(), validity, sequence(), publicKey);
  const base64 = sequence(content, ed25519, bits()).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
