import { Command } from 'commander';
import { VERSION } from '../config/version.js';
import { addOperations } from './api/add-operations.js';
import { addAdminCommands } from './commands/admin-command.js';
import { addApiCommand } from './commands/api-command.js';
import { addCompletionCommand } from './commands/completion-command.js';
import { addConfigCommands } from './commands/config/config-command.js';
import { addDbCommands } from './commands/db/db-command.js';
import { addDoctorCommand } from './commands/doctor-command.js';
import { addHealthcheckCommand } from './commands/healthcheck-command.js';
import { addKeyCommands } from './commands/key/key-command.js';
import { addKeysCommands } from './commands/keys/keys-command.js';
import { addServeCommand } from './commands/serve/serve-command.js';
import { addVersionCommand } from './commands/version-command.js';

const COMMANDS = [
  addServeCommand,
  addHealthcheckCommand,
  addDoctorCommand,
  addConfigCommands,
  addKeysCommands,
  addKeyCommands,
  addDbCommands,
  addAdminCommands,
  addOperations,
  addApiCommand,
  addVersionCommand,
  addCompletionCommand,
];

/** All commands with their options and examples. Parsing rejects with `CommanderError` for wrong use and help. */
export function createProgram(): Command {
  const program = new Command('vidimus')
    .description("A notary for other servers' signing keys and a safe URL preview service")
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'show help with examples')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'vidimus: ')) })
    .showHelpAfterError('(add --help for the options and examples)')
    .addHelpText(
      'after',
      `
Examples:
  $ vidimus config generate --server-name example.org --output config.yaml
  $ vidimus config check --config config.yaml
  $ vidimus serve --config config.yaml
  $ vidimus key query matrix.org --config config.yaml

Exit codes: 0 done, 1 failed, 2 wrong use or faulty configuration, 3 server or database not reachable.`,
    );
  for (const add of COMMANDS) add(program);
  return program;
}
