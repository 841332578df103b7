import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

import { parseProviderList } from '../../core/preview/oembed/oembed-providers.js';
import { errorCode } from '../../core/base/errors/api-error.js';
import { valueProblem, type Problem } from '../config-errors.js';
import type { Config } from '../schema.js';

/** Contents of the files a configuration names. Not part of it, so that it can be printed. */
export interface ReferencedFiles {
  readonly databasePassword: string | null;
  readonly federationCaPems: readonly string[];
  readonly tlsCertificatePem: string | null;
  readonly tlsPrivateKeyPem: string | null;
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Reads and checks them; signing keys are not among them, they may still have to be made. */
export function readReferencedFiles(config: Config): { files: ReferencedFiles; problems: Problem[] } {
  const problems: Problem[] = [];
  const read = (name: string, path: string | null, reader: (path: string) => string) => {
    try {
      return path === null ? null : reader(path);
    } catch (error) {
      problems.push(valueProblem(name, reasonOf(error)));
      return null;
    }
  };
  const { database, media, alerts, oembed } = config;
  const files: ReferencedFiles = {
    databasePassword: read('database.password_path', database.password_path, readPassword),
    federationCaPems: config.federation_custom_ca_list.flatMap(
      (path, index) => read(`federation_custom_ca_list.${index}`, path, readCertificates) ?? [],
    ),
    tlsCertificatePem: read('tls_certificate_path', config.tls_certificate_path, readCertificates),
    tlsPrivateKeyPem: read('tls_private_key_path', config.tls_private_key_path, readPrivateKey),
  };
  const { tlsCertificatePem: certificate, tlsPrivateKeyPem: key } = files;
  if (certificate !== null && key !== null && !belongTogether(certificate, key)) {
    const problem = 'is not the key of the certificate in tls_certificate_path';
    problems.push(valueProblem('tls_private_key_path', problem));
  }
  // Only whether they can be used: they are read again when they are.
  read('media.s3.secret_access_key_path', media.s3.secret_access_key_path, readPassword);
  read('alerts.webhook.secret_path', alerts.webhook.secret_path, readPassword);
  for (const [index, path] of oembed.additional_providers.entries())
    read(`oembed.additional_providers.${index}`, path, readProviders);
  return { files, problems };
}

function readProviders(path: string): string {
  const text = readText(path);
  try {
    parseProviderList(text);
    return text;
  } catch {
    throw new Error(`names a file that is not in the format of oembed.com/providers.json: ${path}`);
  }
}

function readPassword(path: string): string {
  const password = readText(path).trim();
  if ((statSync(path).mode & 0o007) !== 0) {
    throw new Error(`names a file that every user of this machine can read; run: chmod 600 ${path}`);
  }
  if (password === '') throw new Error(`names an empty file: ${path}`);
  return password;
}

function readCertificates(path: string): string {
  const pem = readText(path);
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error(`names a file without a PEM certificate: ${path}`);
  if (!blocks.every(isCertificate)) throw new Error(`names a file with a damaged certificate: ${path}`);
  return pem;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function belongTogether(certificatePem: string, privateKeyPem: string): boolean {
  return new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(privateKeyPem));
}

function readPrivateKey(path: string): string {
  const pem = readText(path);
  try {
    createPrivateKey(pem);
    return pem;
  } catch {
    throw new Error(
      `names a file without a usable PEM private key (keys with a pass phrase are not read): ${path}`,
    );
  }
}

function readText(path: string): string {
  if (statSync(path).size > MAX_FILE_BYTES)
    throw new Error(`names a file above ${MAX_FILE_BYTES} bytes: ${path}`);
  return readFileSync(path, 'utf8');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = errorCode(error);
  const path = 'path' in error ? String(error.path) : '';
  if (code === 'ENOENT') return `names a file that does not exist: ${path}`;
  if (code === 'EACCES') return `names a file this user may not read: ${path}`;
  if (code === 'EISDIR') return 'names a folder, not a file';
  return error.message;
}
