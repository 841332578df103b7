import { dirname } from 'node:path';

import { InvalidArgumentError, type Command } from 'commander';

import { ApiError } from '../../core/base/errors/api-error.js';
import { makeFolders } from '../../core/base/make-folders.js';
import {
  appendSigningKey,
  createSigningKeyFile,
  isKeyVersion,
} from '../../core/notary/signing/signing-key-file.js';
import { requireConfig, type JsonOption } from '../configuration.js';
import { CommandError } from '../errors.js';
import { print, printJson } from '../terminal.js';
import { addJsonCommand } from './command.js';

interface GenerateOption extends JsonOption {
  output?: string;
  version?: string;
  append?: true;
}

/** `vidimus keys generate`; `keys rotate` asks the server. */
export function addKeysGenerateCommand(program: Command): void {
  addJsonCommand(program, 'keys generate', {
    text: 'create a signing key in a new file (mode 0600); no file is ever overwritten',
    notes: 'To replace a key, use "vidimus keys rotate": it shows the next step and when it is safe.',
    examples: [
      '-c config.yaml',
      '--output /etc/vidimus/signing.key --version a_2027',
      '-c config.yaml --append',
    ],
  })
    .option('-o, --output <file>', 'the file (default: signing_key_path)')
    .option('--version <version>', 'the part after "ed25519:" of the key ID', readVersion)
    .option('--append', 'add the key to an existing file')
    .action(generate);
}

async function generate(option: GenerateOption): Promise<void> {
  const isOutside = option.config === undefined && option.output !== undefined;
  const config = isOutside ? null : requireConfig(option).config;
  const path = option.output ?? config?.signing_key_path ?? null;
  if (path === null)
    throw new CommandError('The configuration has no signing_key_path; name a file with --output.');
  const { keyId, publicKeyBase64: publicKey } = await makeKey(path, option);
  const serverName = config?.server_name ?? 'SERVER.NAME';
  const peerLine = `trusted_key_servers: [{server_name: "${serverName}", verify_keys: {"${keyId}": "${publicKey}"}}]`;
  if (option.json) printJson({ path, keyId, publicKey, peerLine });
  else
    print(
      `file        ${path}`,
      `key ID      ${keyId}`,
      `public key  ${publicKey}`,
      '',
      'Back the file up: peers know this server by its keys.',
      'Peers that use this notary add this to their configuration:',
      `  ${peerLine}`,
    );
}

async function makeKey(path: string, { append, version }: GenerateOption) {
  if (append) return appendSigningKey(path, version);
  makeFolders(dirname(path), 0o700);
  try {
    return await createSigningKeyFile(path, version);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'signing_key_file_exists') throw error;
    const remedy = 'Add a key to it with --append, or name a new file with --output.';
    throw new CommandError(`${path} exists already and is never overwritten. ${remedy}`);
  }
}

function readVersion(text: string): string {
  if (isKeyVersion(text)) return text;
  throw new InvalidArgumentError('Expected at most 64 letters, digits and _.');
}
