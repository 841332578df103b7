import { dirname } from 'node:path';

import { InvalidArgumentError, type Command } from 'commander';

import { ApiError } from '../../core/base/errors/api-error.js';
import { toPlainJson } from '../../core/base/json/json-value.js';
import { makeFolders } from '../../core/base/make-folders.js';
import { printable } from '../../core/base/text/strings.js';
import { FederationWhitelist, serverNameError } from '../../core/notary/federation/server-name.js';
import {
  appendSigningKey,
  createSigningKeyFile,
  isKeyVersion,
} from '../../core/notary/signing/signing-key-file.js';
import { requireConfig, type JsonOption } from '../configuration.js';
import { CommandError, print, printJson } from '../terminal.js';
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

export function addKeyQueryCommand(program: Command): void {
  addJsonCommand(program, 'key query', {
    text: 'fetch the keys of a server step by step, without the running server',
    notes: `Uses name resolution, certificate checks, address rules and dialect of the configuration. A Matrix server needs
"dialect: matrix", or VIDIMUS__DIALECT=matrix.

Exit codes: 0 the keys can be fetched, 1 they cannot, 2 wrong use.`,
    examples: ['matrix.org -c config.yaml', '192.0.2.1:8448 -c config.yaml --json'],
  })
    .argument('<server>', 'server name, such as example.org or 192.0.2.1:8448', readServerName)
    .action(query);
}

async function query(serverName: string, option: JsonOption): Promise<void> {
  const loaded = requireConfig(option);
  const { config } = loaded;
  const { createFetchParts, SILENT } = await import('../../composition/parts.js');
  const { diagnoseAfresh } = await import('../../composition/key-fetch.js');
  const parts = createFetchParts(loaded, SILENT);
  const whitelist = new FederationWhitelist(config.federation_domain_whitelist);
  const report = await diagnoseAfresh({ ...parts, whitelist, stored: null }, { serverName, keyId: null });
  parts.resolver.close();
  const published = toPlainJson(report.published);
  if (option.json) printJson({ ...report, published });
  else {
    for (const { status, title, ms, sentence, advice } of report.steps) {
      print(printable(`${status.padEnd(7)}  ${title} (${ms} ms): ${sentence}`));
      if (advice !== undefined) print(printable(`         ${advice}`));
    }
    if (published !== null) printJson(published);
  }
  if (!report.ok)
    throw new CommandError(
      option.json ? null : `The keys cannot be fetched in the dialect ${config.dialect}.`,
    );
}

function readServerName(text: string): string {
  const error = serverNameError(text);
  if (error === null) return text;
  throw new InvalidArgumentError(error);
}
