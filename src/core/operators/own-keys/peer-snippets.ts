/** Ready lines for a peer's configuration file. */
export interface PeerSnippet {
  software: string;
  /** Language of the file: yaml or toml. */
  language: string;
  text: string;
}

/** A key peers are to trust; `publicKey` is unpadded base64. */
export interface TrustedKey {
  keyId: string;
  publicKey: string;
}

/**
 * How peers name us as a server they take other servers' keys from, with every key they shall accept. Double-quoted JSON
 * strings are YAML and TOML, too.
 */
export function peerSnippets(serverName: string, keys: readonly TrustedKey[]): PeerSnippet[] {
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
