import { readFile } from 'node:fs/promises';

import { InvalidArgumentError, type Command } from 'commander';

import { errorCode } from '../../core/base/errors/error-code.js';
import { isRecord } from '../../core/base/json/is-record.js';
import { toPlainJson } from '../../core/base/json/json-value.js';
import { parseStrictJson } from '../../core/base/json/strict-json.js';
import type { Variables } from '../api/operation.js';
import { withServer } from '../api/ask-server.js';
import { configOption, type ConfigOption } from '../configuration.js';
import { CommandError, EXIT } from '../exit.js';
import { printJson } from '../terminal/print.js';

/** `vidimus api`. */
export function addApiCommand(program: Command): void {
  program
    .command('api')
    .description('send any GraphQL operation to the running server, and print its answer as JSON')
    .argument('<document>', 'the operation; @FILE reads it from a file')
    .addOption(configOption())
    .option('--variables <json>', 'its variables, as a JSON object', readVariables, {})
    .addHelpText('after', EXAMPLES)
    .action(api);
}

const EXAMPLES = `
The schema is web-admin/schema.graphql in the sources, and introspection answers. This command acts as an admin; the
audit log names the account that ran it.

Exit codes: 0 done, 1 the answer has errors, 2 wrong use, 3 server or database not reachable.

Examples:
  $ vidimus api '{ overview { version health { title state } } }' -c config.yaml
  $ vidimus api @servers.graphql --variables '{"first": 10}' -c config.yaml`;

async function api(document: string, option: ConfigOption & { variables: Variables }): Promise<void> {
  const text = document.startsWith('@') ? await readDocument(document.slice(1)) : document;
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
  try {
    const value = toPlainJson(parseStrictJson(Buffer.from(text), { floats: 'keep' }));
    if (isRecord(value)) return value;
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError('Wanted: a JSON object.');
}
