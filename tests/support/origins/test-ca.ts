import 'reflect-metadata';

import { webcrypto } from 'node:crypto';
import net from 'node:net';

import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
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

const serial = (): string => Buffer.from(webcrypto.getRandomValues(new Uint8Array(8))).toString('hex');
const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS);

const generate = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

async function privatePem(keys: webcrypto.CryptoKeyPair): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return x509.PemConverter.encode(der, 'PRIVATE KEY');
}

function leafExtensions(names: string[]): x509.Extension[] {
  const base = [
    new x509.BasicConstraintsExtension(false),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
  ];
  if (names.length === 0) return base;
  const general = names.map((name) => ({ type: net.isIP(name) === 0 ? 'dns' : 'ip', value: name }) as const);
  return [...base, new x509.SubjectAlternativeNameExtension(general)];
}

/** Makes an authority. */
export async function createTestCa(name = 'Vidimus test authority'): Promise<TestCa> {
  const keys = await generate();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: `CN=${name}`,
    notBefore: daysFromNow(-400),
    notAfter: daysFromNow(400),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  const leaf = async ({ names, commonName, notBefore, notAfter }: LeafOptions): Promise<TestCertificate> => {
    const leafKeys = await generate();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: `CN=${commonName ?? 'test leaf'}`,
      issuer: authority.subject,
      notBefore: notBefore ?? daysFromNow(-1),
      notAfter: notAfter ?? daysFromNow(30),
      signingAlgorithm: ALGORITHM,
      publicKey: leafKeys.publicKey,
      signingKey: keys.privateKey,
      extensions: leafExtensions(names),
    });
    return { cert: certificate.toString('pem'), key: await privatePem(leafKeys) };
  };
  return {
    caPem: authority.toString('pem'),
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
export async function createSelfSigned(names: string[]): Promise<TestCertificate> {
  const keys = await generate();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: 'CN=self-signed test leaf',
    notBefore: daysFromNow(-1),
    notAfter: daysFromNow(30),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: leafExtensions(names),
  });
  return { cert: certificate.toString('pem'), key: await privatePem(keys) };
}
