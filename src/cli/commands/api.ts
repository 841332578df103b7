import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';

import { errorCode } from '../../core/base/errors/api-error.js';
import { isRecord } from '../../core/base/json/is-record.js';
import { toPlainJson } from '../../core/base/json/json-value.js';
import { parseJsonOrNull } from '../../core/base/json/strict-json.js';
import type { Variables } from '../api/operation.js';
import { configOption, type ConfigOption } from '../configuration.js';
import { CommandError, EXIT, printJson } from '../terminal.js';
import { addCommand } from './command.js';

export function addApiCommand(program: Command): void {
  addCommand(program, 'api', {
    text: 'send any GraphQL operation to the running server',
    notes: `The schema is web-admin/schema.graphql in the sources; introspection is on. The command acts as an admin.

Exit codes: 0 done, 1 the answer has errors, 2 wrong use, 3 server or database not reachable.`,
    examples: [
      "'{ overview { version health { title state } } }' -c config.yaml",
      '@servers.graphql --variables \'{"first": 10}\' -c config.yaml',
    ],
  })
    .argument('<document>', 'the operation; @FILE reads it from a file')
    .addOption(configOption())
    .option('--variables <json>', 'its variables, as a JSON object', readVariables, {})
    .action(api);
}

async function api(document: string, option: ConfigOption & { variables: Variables }): Promise<void> {
  const text = document.startsWith('@') ? await readDocument(document.slice(1)) : document;
  const { withServer } = await import('../api/run-operation.js');
  const answer = await withServer(option, (send) => send(text, option.variables));
  printJson(answer);
  if (answer['errors'] !== undefined) throw new CommandError(null);
}

async function readDocument(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`${path} cannot be read (${errorCode(error)}).`, EXIT.use);
  }
}

function readVariables(text: string): Variables {
  const value = toPlainJson(parseJsonOrNull(Buffer.from(text)));
  if (isRecord(value)) return value;
  throw new InvalidArgumentError('Expected a JSON object.');
}
