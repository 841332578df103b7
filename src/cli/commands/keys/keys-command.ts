import { dirname } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { ApiError } from '../../../core/base/errors/api-error.js';
import { makeFolders } from '../../../core/base/make-folders.js';
import type { SigningKey } from '../../../core/notary/signing/signer.js';
import { appendSigningKey, createSigningKeyFile } from '../../../core/notary/signing/signing-key-file.js';
import { configOption, requireConfig, type ConfigOption } from '../../configuration.js';
import { CommandError } from '../../exit.js';
import { print, printJson } from '../../terminal/print.js';
import { isKeyVersion } from '../../../core/notary/signing/signing-key-text.js';

interface GenerateOption extends ConfigOption {
  output?: string;
  version?: string;
  append?: true;
  json?: true;
}

/** `vidimus keys generate`; `keys rotate` asks the server. */
export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('our own signing keys').addHelpText('after', EXAMPLES);
  keys
    .command('generate')
    .description('make a signing key in a new file (mode 0600); nothing is ever overwritten')
    .addOption(configOption())
    .option('-o, --output <file>', 'the file (signing_key_path of the configuration)')
    .option('--version <version>', 'what follows "ed25519:" in the key ID (a_ and five letters)', readVersion)
    .option('--append', 'add the key to the keys of an existing file')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action(generate);
}

const EXAMPLES = `
To replace a key, go by "vidimus keys rotate": it says what is to be done next, and when that is safe.

Examples:
  $ vidimus keys generate --config config.yaml
  $ vidimus keys generate --output /etc/vidimus/signing.key --version a_2027
  $ vidimus keys generate --config config.yaml --append`;

async function generate(option: GenerateOption): Promise<void> {
  const configured =
    option.config === undefined && option.output !== undefined ? null : requireConfig(option);
  const path = option.output ?? configured?.config.signing_key_path ?? null;
  if (path === null)
    throw new CommandError('The configuration has no signing_key_path; name a file with --output.');
  const key = option.append
    ? await appendSigningKey(path, option.version)
    : await create(path, option.version);
  const { keyId, publicKeyBase64: publicKey } = key;
  const serverName = configured?.config.server_name ?? 'SERVER.NAME';
  const peerLine = `trusted_key_servers: [{server_name: "${serverName}", verify_keys: {"${keyId}": "${publicKey}"}}]`;
  if (option.json) {
    printJson({ path, keyId, publicKey, peerLine });
    return;
  }
  print(
    `file        ${path}`,
    `key ID      ${keyId}`,
    `public key  ${publicKey}`,
    '',
    'Back the file up: peers know this server by its keys.',
    'Peers that trust this notary put into their configuration:',
    `  ${peerLine}`,
  );
}

async function create(path: string, version: string | undefined): Promise<SigningKey> {
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
  throw new InvalidArgumentError('Wanted: letters, digits and _ only, at most 64.');
}
