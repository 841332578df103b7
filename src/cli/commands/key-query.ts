import { InvalidArgumentError, type Command } from 'commander';

import { toPlainJson } from '../../core/base/json/json-value.js';
import { printable } from '../../core/base/text/strings.js';
import { serverNameError, FederationWhitelist } from '../../core/notary/federation/server-name.js';
import { requireConfig, type JsonOption } from '../configuration.js';
import { CommandError } from '../errors.js';
import { print, printJson } from '../terminal.js';
import { addJsonCommand } from './command.js';

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
  parts.lookups.close();
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
