import { createHash } from 'node:crypto';

import type { SigningKeyStore } from '../../notary/own-keys/signing-key-store.js';
import { decodeBase64, type SigningKey } from '../../notary/signing/signer.js';

/** A key peers are to trust; `publicKey` is unpadded base64. */
export interface TrustedKey {
  keyId: string;
  publicKey: string;
}

/**
 * Lines for the configuration of peers: how they name us as a server they take other servers' keys from, with every key
 * they shall accept. Double-quoted JSON strings are YAML and TOML, too.
 */
export function peerSnippets(serverName: string, keys: readonly TrustedKey[]) {
  const name = JSON.stringify(serverName);
  const quoted = keys.map(({ keyId, publicKey }) => [JSON.stringify(keyId), JSON.stringify(publicKey)]);
  return [
    {
      software: 'Synapse',
      language: 'yaml',
      text: lines(
        'trusted_key_servers:',
        `  - server_name: ${name}`,
        '    verify_keys:',
        ...quoted.map(([id, key]) => `      ${id}: ${key}`),
      ),
    },
    {
      software: 'Dendrite',
      language: 'yaml',
      text: lines(
        'federation_api:',
        '  key_perspectives:',
        `    - server_name: ${name}`,
        '      keys:',
        ...quoted.flatMap(([id, key]) => [`        - key_id: ${id}`, `          public_key: ${key}`]),
      ),
    },
    {
      software: 'Continuwuity',
      language: 'toml',
      text: lines(
        '[global]',
        `trusted_servers = [{ server_name = ${name}, verify_keys = [${quoted.map(([, key]) => key).join(', ')}] }]`,
      ),
    },
    {
      software: 'Conduit (Tuwunel and others of the family)',
      language: 'toml',
      text: lines('[global]', `trusted_servers = [${name}]`),
    },
  ];
}

function lines(...texts: string[]): string {
  return `${texts.join('\n')}\n`;
}

export interface OwnSigningKeySources {
  store: SigningKeyStore;
  /** Keys that sign answers about other servers, published or not. */
  notaryKeys: readonly SigningKey[];
  /** When this process started, for keys that only its files know. */
  startedTs: number;
}

/** A key this service signs or has signed with. The private part never gets here. */
export type OwnSigningKey = Awaited<ReturnType<typeof listOwnSigningKeys>>[number];

/** All our keys: those in use first, then retired ones, the latest first. */
export async function listOwnSigningKeys({ store, notaryKeys, startedTs }: OwnSigningKeySources) {
  const stored = await store.list();
  const known = new Set(stored.map(({ keyId }) => keyId));
  const unpublished = notaryKeys
    .filter(({ keyId }) => !known.has(keyId))
    .map(({ keyId, publicKeyBase64: publicKey }) => ({ keyId, publicKey, firstSeenTs: startedTs }));
  return [...stored, ...unpublished.map((key) => ({ ...key, state: 'active', retiredTs: null }))]
    .map((key) => ({
      ...key,
      active: key.state === 'active',
      // SHA-256 of the 32 public bytes as groups of four hex digits, for reading out loud.
      fingerprint: fingerprintOf(key.publicKey),
    }))
    .toSorted((a, b) => Number(b.active) - Number(a.active) || (b.retiredTs ?? 0) - (a.retiredTs ?? 0));
}

function fingerprintOf(publicKey: string): string {
  const hex = createHash('sha256')
    .update(decodeBase64(publicKey) ?? Buffer.alloc(0))
    .digest('hex');
  return hex.replace(/.{4}(?=.)/g, '$& ');
}
