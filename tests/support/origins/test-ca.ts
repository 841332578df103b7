import { generateKeyPairSync, randomBytes, sign, type KeyPairKeyObjectResult } from 'node:crypto';
import net from 'node:net';

import ipaddr from 'ipaddr.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** PEM texts for a TLS server; `cert` holds the leaf only. */
export interface TestCertificate {
  cert: string;
  key: string;
}

export interface LeafOptions {
  /** DNS names and IP addresses; empty for a certificate without alternative names. */
  names: string[];
  commonName?: string;
  notBefore?: Date;
  notAfter?: Date;
}

/** A throwaway authority; trust it through `caPem`. */
export interface TestCa {
  caPem: string;
  leaf(options: LeafOptions): Promise<TestCertificate>;
  expired(names: string[]): Promise<TestCertificate>;
  notYetValid(names: string[]): Promise<TestCertificate>;
}

const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS);
const generate = (): KeyPairKeyObjectResult => generateKeyPairSync('ec', { namedCurve: 'P-256' });

// X.509 in DER (RFC 5280), as far as tests need it.
function tlv(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}

const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const extension = (oid: string, value: Buffer, isCritical = false): Buffer =>
  sequence(hex(oid), hex(isCritical ? '0101ff' : ''), tlv(0x04, value));
const commonNameOf = (name: string): Buffer =>
  sequence(tlv(0x31, sequence(hex('0603550403'), tlv(0x0c, Buffer.from(name)))));

function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050
    ? tlv(0x17, Buffer.from(digits.slice(2)))
    : tlv(0x18, Buffer.from(digits));
}

/** Basic constraints: up to one authority below it; key usage: signs certificates and lists. */
const AUTHORITY = [
  extension('0603551d13', hex('30060101ff020101'), true),
  extension('0603551d0f', hex('03020106'), true),
];

function leafExtensions(names: string[]): Buffer[] {
  const [noAuthority, tlsServer] = [sequence(), sequence(hex('06082b06010505070301'))];
  const base = [extension('0603551d13', noAuthority), extension('0603551d25', tlsServer)];
  const general = names.map((name) =>
    net.isIP(name) === 0
      ? tlv(0x82, Buffer.from(name))
      : tlv(0x87, Buffer.from(ipaddr.parse(name).toByteArray())),
  );
  return names.length === 0 ? base : [...base, extension('0603551d11', sequence(...general))];
}

interface Certificate {
  subject: string;
  keys: KeyPairKeyObjectResult;
  notBefore?: Date | undefined;
  notAfter?: Date | undefined;
  extensions: readonly Buffer[];
}

/** In PEM; signed by itself unless another certificate is given. */
function issue(certificate: Certificate, issuer = certificate): string {
  const { subject, keys, extensions } = certificate;
  const { notBefore = daysFromNow(-1), notAfter = daysFromNow(30) } = certificate;
  const isRsa = issuer.keys.privateKey.asymmetricKeyType === 'rsa';
  const algorithm = sequence(hex(isRsa ? '06092a864886f70d01010b0500' : '06082a8648ce3d040302'));
  const signed = sequence(
    hex('a003020102'),
    tlv(0x02, hex('40'), randomBytes(8)),
    algorithm,
    commonNameOf(issuer.subject),
    sequence(time(notBefore), time(notAfter)),
    commonNameOf(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', signed, issuer.keys.privateKey);
  const whole = sequence(signed, algorithm, tlv(0x03, hex('00'), signature)).toString('base64');
  const lines = whole.match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function pemOf(certificate: Certificate, issuer?: Certificate): TestCertificate {
  const key = certificate.keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { cert: issue(certificate, issuer), key };
}

/** Makes an authority. */
export async function createTestCa(name = 'Vidimus test authority'): Promise<TestCa> {
  const validity = { notBefore: daysFromNow(-400), notAfter: daysFromNow(400) };
  const authority = { subject: name, keys: generate(), ...validity, extensions: AUTHORITY };
  const caPem = issue(authority);
  const leaf = async ({ names, commonName = 'test leaf', ...dates }: LeafOptions): Promise<TestCertificate> =>
    pemOf({ subject: commonName, keys: generate(), ...dates, extensions: leafExtensions(names) }, authority);
  return {
    caPem,
    leaf,
    expired: (names) => leaf({ names, notBefore: daysFromNow(-60), notAfter: daysFromNow(-1) }),
    notYetValid: (names) => leaf({ names, notBefore: daysFromNow(1), notAfter: daysFromNow(60) }),
  };
}

/** A good certificate for 127.0.0.1, good.example and name.example, with some 40 kB of others behind it. */
export async function overlongChain(ca: TestCa): Promise<TestCertificate> {
  const { cert, key } = await ca.leaf({ names: ['127.0.0.1', 'good.example', 'name.example'] });
  return { cert: `${cert}\n${`${ca.caPem}\n`.repeat(100)}`, key };
}

/** A certificate that vouches for itself. */
export async function createSelfSigned(names: string[], keys = generate()): Promise<TestCertificate> {
  return pemOf({ subject: 'self-signed test leaf', keys, extensions: leafExtensions(names) });
}
