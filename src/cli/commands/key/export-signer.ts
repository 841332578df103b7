import { InvalidArgumentError } from 'commander';

import type { Config } from '../../../config/schema.js';
import { printable } from '../../../core/base/text/printable.js';
import { decodeBase64 } from '../../../core/notary/signing/base64.js';
import type { OwnSigner } from '../../../core/operators/keys/record-view.js';
import type { ExportSigner } from '../../../core/operators/keys/signed-export.js';
import { CommandError } from '../../exit.js';

/** A key of the notary that the operator knows from elsewhere. */
export interface TrustedKey {
  keyId: string;
  publicKey: Buffer;
}

/** Reads `--key`: ID, colon, base64. */
export function readKey(text: string): TrustedKey {
  const [, keyId, encoded] = /^([a-z0-9]+:\w+):([A-Za-z0-9+/]{43}=?)$/.exec(text) ?? [];
  const publicKey = encoded === undefined ? null : decodeBase64(encoded);
  if (keyId !== undefined && publicKey !== null) return { keyId, publicKey };
  throw new InvalidArgumentError('Wanted: the ID and the public key, such as ed25519:a_1:BASE64.');
}

/** Whether the key of `--key` has signed an export; ends the command when it was given and has not. */
export function requireSigner(
  path: string,
  signers: readonly ExportSigner[],
  key: TrustedKey | undefined,
): boolean {
  if (key === undefined) return false;
  const isTrusted = signers.some(
    ({ keyId, publicKey }) => keyId === key.keyId && decodeBase64(publicKey)?.equals(key.publicKey) === true,
  );
  if (isTrusted) return true;
  throw new CommandError(
    `${path} proves nothing: it is not signed by the key ${printable(key.keyId)} of --key.`,
  );
}

/** Our keys that sign exports; ends the command when there are none. */
export async function signerOf(config: Config): Promise<OwnSigner> {
  const { readKeyFiles } = await import('../../../composition/start/own-signing-keys.js');
  const { keys, problems } = await readKeyFiles(config);
  if (keys === null || keys.notary.length === 0) {
    throw new CommandError(
      problems.find(({ isError }) => isError)?.message ??
        'There is no key to sign with. Start the server once.',
    );
  }
  return { serverName: config.server_name, keys: keys.notary };
}
