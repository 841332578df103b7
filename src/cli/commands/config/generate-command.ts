import type { Command } from 'commander';
import { generateSample } from '../../../config/output/generate-sample.js';
import { configJsonSchema } from '../../../config/output/json-schema.js';
import { parseServerName } from '../../../core/notary/federation/server-name.js';
import { CommandError, EXIT } from '../../exit.js';
import { writeNew } from '../../write-new.js';

/** `vidimus config generate|schema`. */
export function addGenerateCommands(config: Command): void {
  config
    .command('generate')
    .description('print a configuration file with every setting explained')
    .option('-o, --output <file>', 'write to a new file, never over an old one')
    .option('--server-name <name>', 'the name of this server')
    .addHelpText('after', GENERATE_EXAMPLES)
    .action(generate);
  config
    .command('schema')
    .description('print the JSON Schema of the configuration, for editors')
    .option('-o, --output <file>', 'write to a new file, never over an old one')
    .addHelpText('after', SCHEMA_EXAMPLES)
    .action(schema);
}

const GENERATE_EXAMPLES = `
Examples:
  $ vidimus config generate --server-name example.org --output config.yaml
  $ vidimus config generate --output /etc/vidimus/config.yaml`;

const SCHEMA_EXAMPLES = `
Editors with the YAML language server use it when the configuration begins with
  # yaml-language-server: $schema=config.schema.json

Examples:
  $ vidimus config schema --output config.schema.json`;

async function generate({ output, serverName }: { output?: string; serverName?: string }): Promise<void> {
  if (serverName !== undefined && parseServerName(serverName) === null) {
    throw new CommandError(`${JSON.stringify(serverName)} is no server name such as example.org.`, EXIT.use);
  }
  await writeNew(output, [generateSample(serverName ?? null)]);
}

async function schema({ output }: { output?: string }): Promise<void> {
  await writeNew(output, [`${JSON.stringify(configJsonSchema(), null, 2)}\n`]);
}
