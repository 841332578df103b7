import { Command } from 'commander';

import { VERSION } from '../config/version.js';
import { addOperation } from './api/add-operation.js';
import { ACCESS_OPERATIONS } from './api/operations/access.js';
import { KEY_OPERATIONS } from './api/operations/keys.js';
import { PREVIEW_OPERATIONS } from './api/operations/previews.js';
import { SERVER_OPERATIONS } from './api/operations/server.js';
import type { Operation } from './api/operation.js';
import { addApiCommand } from './commands/api.js';
import { addConfigCommands } from './commands/config.js';
import { addDbCommands } from './commands/db.js';
import { addDoctorCommand, addHealthcheckCommand } from './commands/doctor.js';
import { addKeyQueryCommand, addKeysGenerateCommand } from './commands/keys.js';
import { addServeCommand, addVersionCommand } from './commands/serve.js';
import { addSignInCodeCommand } from './commands/sign-in-code.js';

export const OPERATIONS: readonly Operation[] = [
  ...SERVER_OPERATIONS,
  ...KEY_OPERATIONS,
  ...PREVIEW_OPERATIONS,
  ...ACCESS_OPERATIONS,
];

/** All commands. Parsing rejects with `CommanderError` for wrong use and help. */
export function createProgram(): Command {
  const program = new Command('vidimus')
    .description("A notary for other servers' signing keys and a safe URL preview service")
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'show help with examples')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'vidimus: ')) })
    .showHelpAfterError('(add --help for the options and examples)')
    .configureHelp({
      // 24 lines hold the commands alone.
      visibleOptions: (command) => (command.parent === null ? [] : [...command.options]),
    })
    .helpCommand(false);
  addServeCommand(program);
  addConfigCommands(program);
  addKeysGenerateCommand(program);
  addDbCommands(program);
  addSignInCodeCommand(program);
  addDoctorCommand(program);
  addHealthcheckCommand(program);
  addKeyQueryCommand(program);
  for (const operation of OPERATIONS) addOperation(program, operation);
  addApiCommand(program);
  addVersionCommand(program);
  return program;
}
