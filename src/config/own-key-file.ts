/** Where our own keys are kept when the configuration does not say. */
export const DEFAULT_OWN_KEY_FILE = './data/signing.key';

/**
 * The plain configuration with the default `signing_key_path`, where the name is ours for certain. It stays unset
 * when other keys sign (then somebody else publishes the record) and beside a homeserver, which may have the name.
 */
export function withOwnKeyFile(input: Record<string, unknown>): Record<string, unknown> {
  const isNamed = input['signing_key_path'] !== undefined;
  if (isNamed || input['key_server_signing_keys_path'] !== undefined || isBesideHomeserver(input))
    return input;
  return { ...input, signing_key_path: DEFAULT_OWN_KEY_FILE };
}

function isBesideHomeserver({ dialect, auth }: Record<string, unknown>): boolean {
  const hasHomeserver = typeof auth === 'object' && auth !== null && 'homeserver_url' in auth;
  return dialect === 'matrix' && hasHomeserver;
}
