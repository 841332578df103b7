import { access, mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { UnreadableHomeserverFile } from '../../../config/synapse/homeserver-files.js';
import type { HomeserverKeys } from '../../../config/synapse/homeserver-keys.js';
import {
  UnusableSetting,
  importHomeserver,
  type ImportedHomeserver,
} from '../../../config/synapse/import-homeserver.js';
import { ApiError } from '../../../core/base/errors/api-error.js';
import { counted } from '../../../core/base/text/counted.js';
import { createSecretFile } from '../../../core/notary/signing/secret-file.js';
import { parseSigningKeys } from '../../../core/notary/signing/signing-key-text.js';
import { CommandError, EXIT } from '../../exit.js';
import { note } from '../../terminal/print.js';
import { writeNew } from '../../write-new.js';

export function addImportCommand(config: Command): void {
  config
    .command('import-synapse')
    .description('make a configuration beside a Synapse out of its own, with its signing keys')
    .argument('<files...>', 'homeserver.yaml, then the files that are laid over it')
    .option('-o, --output <file>', 'write to a new file, never over an old one, and the keys beside it')
    .addHelpText('after', EXAMPLES)
    .action(importSynapse);
}

const EXAMPLES = `
What cannot be taken over is told, one line each, with file and line number. With --output the signing keys are copied
into homeserver.signing.key beside the new file, mode 0600; without it the configuration names the file they are in.
Nothing of the homeserver is changed. Relative paths are taken from the folder of the file they stand in.

Examples:
  $ vidimus config import-synapse /etc/synapse/homeserver.yaml --output config.yaml
  $ vidimus config import-synapse homeserver.yaml conf.d/server_name.yaml`;

const KEY_FILE = { title: 'Signing key file', name: 'homeserver.signing.key' };
const MAX_CONFIG_BYTES = 1024 * 1024;

async function importSynapse(paths: string[], { output }: { output?: string }): Promise<void> {
  const texts = await Promise.all(paths.map(async (path) => ({ path, text: await readText(path) })));
  const imported = importFrom(texts);
  const { keys, remarks } = imported;
  if (output !== undefined && (await isThere(output)))
    throw new CommandError(`${output} was not written: the file exists already and is never overwritten.`);
  const keyPath = output === undefined ? keys.path : await copyKeys(keys, dirname(output));
  await writeNew(output, configText(imported, { keyPath, from: paths }));
  for (const { file, line, setting, message } of remarks) note(`${file}:${line}  ${setting}: ${message}`);
  if (keys.text !== null && output === undefined)
    note(`The signing key stands in the configuration itself: put it into ${keys.path}, or use --output.`);
  note(`${counted(remarks.length, 'remark')}; "vidimus config check" tells whether all is well.`);
}

function importFrom(texts: { path: string; text: string }[]): ImportedHomeserver {
  try {
    return importHomeserver(texts);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const hint =
      error instanceof UnusableSetting && error.setting === 'server_name'
        ? '. Debian keeps it in conf.d/server_name.yaml: name that file, too'
        : '';
    const where = error instanceof UnreadableHomeserverFile ? '' : `${texts[0]?.path}  `;
    throw new CommandError(`${where}${error.message}${hint}`, EXIT.use);
  }
}

async function readText(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8');
    if (text.length <= MAX_CONFIG_BYTES) return text;
  } catch (error) {
    throw new CommandError(
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  throw new CommandError(`${path} is larger than ${MAX_CONFIG_BYTES} bytes`, EXIT.use);
}

/** Writes the keys into a file of our own; its name as the configuration has it. */
async function copyKeys(keys: HomeserverKeys, folder: string): Promise<string> {
  const text = keys.text ?? (await readText(keys.path));
  const path = join(folder, KEY_FILE.name);
  try {
    parseSigningKeys(text, keys.path);
    await mkdir(folder, { recursive: true });
    await createSecretFile({ path, title: KEY_FILE.title }, text);
  } catch (error) {
    if (error instanceof ApiError) throw new CommandError(`${error.message}.`);
    throw error;
  }
  note(`Written: ${path}`);
  return `./${KEY_FILE.name}`;
}

function configText(
  { settings }: ImportedHomeserver,
  { keyPath, from }: { keyPath: string; from: string[] },
) {
  const { server_name, dialect, auth, listeners, ...rest } = settings;
  const whole = { server_name, dialect, auth, key_server_signing_keys_path: keyPath, listeners, ...rest };
  const head = [
    '# yaml-language-server: $schema=config.schema.json',
    `# Configuration of Vidimus beside a Synapse, taken from ${from.map((path) => basename(path)).join(', ')}.`,
    '# What does not stand here is as by default; "vidimus config generate" prints every setting.',
    '',
  ];
  return head.join('\n') + stringify(whole, { lineWidth: 0 });
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
